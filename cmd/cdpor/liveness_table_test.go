package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cdpor/cmd/cdpor/internal/files"

	"github.com/google/go-cmp/cmp"
)

// livenessRuns is how often -update runs each program for the seconds in testdata/liveness/README.md.
const livenessRuns = 3

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
// executions as a whole show, and its repaired twin is ok. With -update it writes the table, with processor times.
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
	exe := ""
	if *update {
		exe = filepath.Join(t.TempDir(), "cdpor")
		if out, err := exec.Command("go", "build", "-o", exe, ".").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	var want []string
	for _, file := range paths {
		want = append(want, livenessRow(t, file, exe))
	}
	row := regexp.MustCompile(`(?m)^\| \[.*\|$\n`)
	got := row.FindAllString(string(text), -1)
	if *update {
		head, _, _ := strings.Cut(string(text), got[0])
		_, tail, _ := strings.Cut(string(text), got[len(got)-1])
		if err := os.WriteFile(page, []byte(head+strings.Join(want, "")+tail), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	seconds := regexp.MustCompile(`\| [0-9.]* (\||$)`)
	timeless := func(rows []string) string {
		return seconds.ReplaceAllString(seconds.ReplaceAllString(strings.Join(rows, ""), "| S $1"), "| S $1")
	}
	if diff := cmp.Diff(timeless(want), timeless(got)); diff != "" {
		t.Errorf("runs (-) and rows of %s (+); refresh with go test ./cmd/cdpor -run LivenessTable -update:\n%s",
			page, diff)
	}
}

// livenessRow runs a program and its twin; if there is an executable, that too, for the processor time.
func livenessRow(t *testing.T, file, exe string) string {
	t.Helper()
	src := load(t, file, nil).src
	if len(src.Expect) != 2 || len(src.Expect[1].With) != 1 {
		t.Fatalf("%s: a program and its twin are expected", file)
	}
	name := strings.TrimSuffix(filepath.Base(file), ".yaml")
	cells := []string{"", "", ""}
	for name, value := range src.Expect[1].With {
		cells[1] = "`-p " + name + "=" + value + "`"
	}
	cells[0] = fmt.Sprintf("[%s](%[1]s.yaml)", name)
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
			cells[2] = v.Kind
		}
		states := fmt.Sprint(r.Liveness.States)
		if r.Liveness.States == 0 {
			states = "none"
		}
		cells = append(cells, states, livenessSeconds(t, exe, args))
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// livenessSeconds is the median of the processor time, user and system, of some runs of an executable.
func livenessSeconds(t *testing.T, exe string, args []string) string {
	t.Helper()
	if exe == "" {
		return "0"
	}
	var times []float64
	for range livenessRuns {
		c := exec.Command(exe, args...)
		if err := c.Run(); err != nil && c.ProcessState == nil {
			t.Fatal(err)
		}
		times = append(times, (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds())
	}
	slices.Sort(times)
	return fmt.Sprintf("%.3f", times[livenessRuns/2])
}
