package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/report"
	"cdpor/cmd/cdpor/internal/terminal"
)

// TestSlicedJSON: the JSON of run --slice says what its text says, line by line.
func TestSlicedJSON(t *testing.T) {
	paths, err := files.Programs([]string{"../../testdata/programs", "../../lang/testdata/examples"})
	if err != nil {
		t.Fatal(err)
	}
	verdicts := map[string]int{}
	for i, path := range paths {
		if i%4 != 0 && !strings.Contains(path, "linearizable") {
			continue
		}
		run := func(more ...string) (string, fault.Code) {
			var stdout, stderr bytes.Buffer
			args := []string{"run", "--slice", "--no-constraints", "--max-executions", "20",
				"--algorithm", "source", path}
			code := runMain(append(args, more...), nil, &stdout, &stderr)
			if code > fault.ExitIncomplete || code == fault.ExitInput {
				t.Fatalf("%s: exit code %d\n%s", path, code, &stderr)
			}
			return stdout.String(), code
		}
		text, code := run()
		printed, again := run("--json")
		var r report.SlicedJSON
		if err := json.Unmarshal([]byte(printed), &r); err != nil {
			t.Fatalf("%s: %v\n%s", path, err, printed)
		}
		var want []string
		for _, s := range r.Slices {
			left := "nothing"
			if s.LeftOut.Steps > 0 {
				left = fmt.Sprintf("%s of %d", terminal.Plural(s.LeftOut.Steps, "step"), s.LeftOut.Of)
			}
			if len(s.LeftOut.Threads) > 0 {
				left += ", among them all of " + strings.Join(s.LeftOut.Threads, ", ")
			}
			want = append(want, "slice        for "+strings.Join(s.For, ", "), "left out     "+left,
				fmt.Sprintf("explored     %s: %s, %s",
					s.Search.Algorithm, terminal.Plural(int(s.Search.Executions), "execution"), s.Search.Stopped))
		}
		for _, u := range r.Unchecked {
			key := "unchecked"
			if u.Kind == "never run" {
				key = "never run"
			}
			want = append(want, fmt.Sprintf("%-12s %s", key, u.Text))
		}
		for _, v := range r.Violations {
			want = append(want, violationKind(v.Text))
		}
		slices.Sort(want)
		var got []string
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			for _, key := range []string{"slice ", "left out ", "explored ", "unchecked ", "never run ", "violation "} {
				if rest, there := strings.CutPrefix(line, "violation    "); there && key == "violation " {
					got = append(got, violationKind(rest))
				} else if strings.HasPrefix(line, key) {
					got = append(got, line)
				}
			}
		}
		slices.Sort(got)
		switch {
		case !slices.Equal(got, want):
			t.Errorf("%s: the text says\n%s\nand the JSON\n%s", path, strings.Join(got, "\n"), strings.Join(want, "\n"))
		case code != again || verdictWord(text) != string(r.Verdict):
			t.Errorf("%s: verdict %s and exit code %d in JSON; exit code %d of\n%s", path, r.Verdict, again, code, text)
		}
		verdicts[string(r.Verdict)]++
	}
	if verdicts["ok"] == 0 || verdicts["violation"] < 2 {
		t.Errorf("verdicts %v", slices.Sorted(maps.Keys(verdicts)))
	}
}

// verdictWord is the verdict of a report.
func verdictWord(text string) string {
	_, rest, _ := strings.Cut(text, "verdict      ")
	return rest[:strings.IndexAny(rest, ":;\n")]
}

// violationKind is the line of a violation. Of a deadlock the text shows the state, and the reason below it, and the
// JSON says both in one line.
func violationKind(text string) string {
	if strings.HasPrefix(text, "deadlock") {
		text = "deadlock"
	}
	return "violation    " + text
}
