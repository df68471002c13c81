package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cdpor/cmd/cdpor/internal/files"

	"github.com/google/go-cmp/cmp"
)

// livenessRun is what is read from cdpor run --json.
type livenessRun struct {
	Verdict    string
	Violations []struct{ Kind string }
	Liveness   struct {
		Decided     bool
		States      int
		Termination string
	}
}

// TestLivenessTable holds the table of testdata/liveness/README.md against runs: each program has a bug that only
// executions as a whole show, and its repaired twin is ok. With -update it writes the table.
func TestLivenessTable(t *testing.T) {
	page := filepath.Join("..", "..", "testdata", "liveness", "README.md")
	paths, err := files.Programs([]string{filepath.Dir(page)})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]string{} // what the second column says
	var got, want []string
	row := regexp.MustCompile("(?m)^\\| ([\\w-]+) \\| (.*) \\| `-p .*\\|\n")
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		shown[m[1]], got = m[2], append(got, m[0])
	}
	for _, file := range paths {
		want = append(want, livenessRow(t, file, shown))
	}
	if *update {
		head, _, _ := strings.Cut(string(text), got[0])
		_, tail, _ := strings.Cut(string(text), got[len(got)-1])
		if err := os.WriteFile(page, []byte(head+strings.Join(want, "")+tail), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("runs (-) and rows of %s (+); refresh with go test ./cmd/cdpor -run LivenessTable -update:\n%s",
			page, diff)
	}
}

// livenessRow runs a program and its twin, and tells it together with what the program shows.
func livenessRow(t *testing.T, file string, shown map[string]string) string {
	t.Helper()
	src := load(t, file, nil).src
	if len(src.Expect) != 2 || len(src.Expect[1].With) != 1 {
		t.Fatalf("%s: a program and its twin are expected", file)
	}
	name := strings.TrimSuffix(filepath.Base(file), ".yaml")
	cells := []string{name, shown[name], "", ""}
	for name, value := range src.Expect[1].With {
		cells[2] = "`-p " + name + "=" + value + "`"
	}
	for i, entry := range src.Expect {
		args := []string{"run", file, "--json"}
		for name, value := range entry.With {
			args = append(args, "-p", name+"="+value)
		}
		var stdout, stderr bytes.Buffer
		runMain(args, nil, &stdout, &stderr)
		var r livenessRun
		if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
			t.Fatalf("%s: %v\n%s", file, err, &stderr)
		}
		if r.Verdict != entry.Verdict || !r.Liveness.Decided || (len(r.Violations) == 1) != (i == 0) {
			t.Errorf("cdpor %s: verdict %s, violations %v", strings.Join(args, " "), r.Verdict, r.Violations)
		}
		for _, v := range r.Violations {
			if !slices.Contains([]string{"no way to end", "endless", "eventually", "leads to", "eventually always"},
				v.Kind) {
				t.Errorf("%s: %s is nothing that only executions as a whole show", file, v.Kind)
			}
			cells[3] = v.Kind
		}
		states := fmt.Sprint(r.Liveness.States)
		if r.Liveness.States == 0 {
			states = "none"
		}
		cells = append(cells, states)
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}
