package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cdpor/synth"
)

// goRuns is how often a test is run by Go itself.
var goRuns = flag.Int("native", 0, "measure testdata/tables/go.md anew, with so many runs of each bug by Go")

const (
	goPrograms = "../../testdata/go"
	// enough hits say that Go shows a bug in more than one of a hundred of a thousand runs.
	enough = 11
	// hangs is after how long a test is taken for one that hangs. It takes milliseconds if it does not.
	hangs = 2 * time.Second
)

// TestGoNative runs two bugs that there are in each execution, and their fixed twins, with Go: what is counted for the
// page is shown each time, and never.
func TestGoNative(t *testing.T) {
	if testing.Short() {
		t.Skip("builds tests with go")
	}
	for _, name := range []string{"callbackunderlock", "doublelock"} {
		binary := goTest(t, name)
		if hits, of := shown(t, binary, "TestBug", 3); hits != of {
			t.Errorf("%s: Go shows the bug in %d of %d runs, which there is in each", name, hits, of)
		}
		if hits, of := shown(t, binary, "TestFixed", 3); hits > 0 {
			t.Errorf("%s: TestFixed fails in %d of %d runs", name, hits, of)
		}
	}
}

// TestGoMeasured compares the programs of the page with those that there are. With -native it measures the page.
func TestGoMeasured(t *testing.T) {
	page := filepath.Join(goPrograms, "../tables/go.md")
	folders, err := filepath.Glob(goPrograms + "/*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	if *goRuns > 0 {
		measureGo(t, page, folders)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range folders {
		name := filepath.Base(filepath.Dir(file))
		if !slices.Contains(strings.FieldsFunc(string(text), func(c rune) bool { return c < 'a' || c > 'z' }), name) {
			t.Errorf("%s is not in %s; refresh with -args -native=1000", name, page)
		}
	}
}

// measureGo writes the page.
func measureGo(t *testing.T, page string, files []string) {
	if err := synth.Available(); err != nil {
		t.Fatal(err)
	}
	cdpor := filepath.Join(t.TempDir(), "cdpor")
	if out, err := exec.Command("go", "build", "-o", cdpor, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	groups := map[[2]int][]string{} // by hits and runs
	var times []float64
	seldom, slow := 0, 0
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file))
		binary := goTest(t, name)
		hits, of := shown(t, binary, "TestBug", *goRuns)
		if 100*hits < of {
			seldom++
		}
		if fails, of := shown(t, binary, "TestFixed", min(*goRuns, 100)); fails > 0 {
			t.Errorf("%s: TestFixed fails in %d of %d runs", name, fails, of)
		}
		for _, test := range []string{"TestBug", "TestFixed"} {
			auto := goRun(t, cdpor, name, test)
			if (auto.Verdict == "violation" || len(auto.Early) > 0) != (test == "TestBug") {
				t.Errorf("%s: the verdict of %s is %s", name, test, auto.Verdict)
			}
			if times = append(times, auto.seconds); auto.seconds > 10 {
				slow++
			}
		}
		groups[[2]int{hits, of}] = append(groups[[2]int{hits, of}], name)
		t.Logf("%s: %d of %d", name, hits, of)
	}
	slices.Sort(times)
	text := fmt.Sprintf(goMeasured, len(files), times[len(times)/2], times[len(times)-1], slow, *goRuns, enough,
		seldom, len(files))
	for _, g := range slices.SortedFunc(maps.Keys(groups), func(a, b [2]int) int {
		return cmp.Or(a[0]*b[1]-b[0]*a[1], b[1]-a[1])
	}) {
		text += fmt.Sprintf("| %d of %d | %s |\n", g[0], g[1], strings.Join(groups[g], ", "))
	}
	if err := os.WriteFile(page, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// goTest builds the test binary of one of the programs.
func goTest(t *testing.T, name string) string {
	t.Helper()
	binary, err := filepath.Abs(filepath.Join(t.TempDir(), name))
	if err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-o", binary, ".")
	build.Dir = filepath.Join(goPrograms, name)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return binary
}

// shown runs a test again and again, until its bug has been seen often enough, and returns how often it was in how
// many runs: the test failed, panicked, or hung.
func shown(t *testing.T, binary, test string, runs int) (hits, of int) {
	t.Helper()
	for of < runs && hits < enough {
		of++
		ctx, end := context.WithTimeout(t.Context(), hangs)
		var out bytes.Buffer
		cmd := exec.CommandContext(ctx, binary, "-test.run", "^"+test+"$", "-test.timeout", "0")
		cmd.Stdout, cmd.Stderr = &out, &out
		err := cmd.Run()
		end()
		if err != nil {
			hits++
		} else if !strings.Contains(out.String(), "PASS") {
			t.Fatalf("%s: %s printed %q", binary, test, out.String())
		}
	}
	return hits, of
}

// A goResult is the part of a report about a Go program that is measured.
type goResult struct {
	Verdict string
	Early   []string // places where the test fails if a timer fires early
	seconds float64  // of the command
}

// goRun runs cdpor on a test of one of the programs.
func goRun(t *testing.T, cdpor, name, test string) (r goResult) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), cdpor, "run", "./"+name, "--func", test, "--json")
	cmd.Dir = goPrograms
	start := time.Now()
	out, err := cmd.Output()
	r.seconds = time.Since(start).Seconds()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode()&^3 != 0 {
		t.Fatalf("%v: %v", cmd.Args, err)
	}
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("%v: %v", cmd.Args, err)
	}
	return r
}

const goMeasured = `# Go programs, measured

` + "`cdpor run`" + ` finds the %d bugs of [testdata/go](../go/README.md), and nothing in their fixed twins, in seconds, loading
included (median %.1f, at most %.1f, %d above ten).

How often Go itself shows the bug: TestBug fails, panics or hangs, each time in a process of its own, on two cores. It
is run %d times, or until the bug has been seen %d times; a goroutine that is left behind is nothing that a run shows.
%d of the %d bugs are shown in less than one of a hundred runs.

` + "`go test ./cmd/cdpor -run TestGoMeasured -timeout 0 -args -native=1000`" + ` measures this page.

| Go shows it in | programs |
|---|---|
`
