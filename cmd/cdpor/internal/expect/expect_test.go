package expect

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/explore"
)

// TestEntries runs expect sections without constraints and compares the line of each entry.
func TestEntries(t *testing.T) {
	const increments = "cdpor: 1\nparams: {N: 2}\nshared: {x: int}\n" +
		"threads: {t: {count: N, run: let a = x; x = a + 1}}\n"
	const stuck = "cdpor: 1\nshared: {go: bool}\nthreads: {t: await go}\n"
	const wrong = "cdpor: 1\nshared: {x: int}\nthreads: {t: 'x = 1; assert x == 2, \"two\"'}\n"
	for name, test := range map[string]struct{ program, expect, want string }{
		"none, and ok": {increments, "", "ok    p.yaml: verdict ok"},
		"none, and a violation": {wrong, "",
			"FAIL  p.yaml\n" +
				"      p.yaml: verdict: ok expected, auto gives violation: p.yaml:3:22: t: assertion failed: two"},
		"outcomes": {increments, "{outcomes: 2}", "ok    p.yaml: outcomes 2, verdict ok"},
		"another number": {increments, "{outcomes: 3, deadlocks: 0}",
			"FAIL  p.yaml\n      p.yaml:5:9: outcomes: 3 expected, auto gives 2"},
		"parameters": {increments, "{with: {N: 1}, outcomes: 1}",
			"ok    p.yaml N=1: outcomes 1, verdict ok"},
		"traces": {increments, "{traces: 4}", "ok    p.yaml: verdict ok, traces 4"},
		"states": {increments, "{algorithm: exhaustive, states: 12}",
			"ok    p.yaml (exhaustive): states 12, verdict ok"},
		"one algorithm": {increments, "{algorithm: sleep, executions: 4}",
			"ok    p.yaml (sleep): executions 4, verdict ok"},
		"of which": {increments, "{executions: 4}",
			"FAIL  p.yaml\n" +
				"      p.yaml:5:9: executions and blocked need an algorithm"},
		"several that differ": {increments, "{algorithm: [source, sleep], executions: 5}",
			"FAIL  p.yaml (source, sleep)\n" +
				"      p.yaml:5:9: executions: 5 expected, source and sleep give 4"},
		"without constraints": {increments, "{algorithm: constrained}",
			"skip  p.yaml (constrained): without constraints\n" +
				"1 skipped"},
		"a deadlock": {stuck, "{verdict: deadlock, deadlocks: 1}",
			"ok    p.yaml: deadlocks 1, verdict deadlock, unchecked: no execution ended normally"},
		"not that one": {wrong, "{verdict: deadlock}",
			"FAIL  p.yaml\n" +
				"      p.yaml:4:9: verdict: deadlock expected, auto gives violation: " +
				"p.yaml:3:22: t: assertion failed: two"},
		"what fails": {wrong, "{fails: [failure, two]}",
			"ok    p.yaml: verdict violation, unchecked: no execution ended normally"},
		"what does not": {wrong, "{fails: [two, deadlock]}",
			"FAIL  p.yaml\n" +
				"      p.yaml:4:9: fails: deadlock expected, auto gives nothing of this kind or with this text"},
		"what else": {wrong, "{fails: []}",
			"FAIL  p.yaml\n" +
				"      p.yaml:4:9: fails: nothing else expected, auto gives p.yaml:3:22: t: assertion failed: two\n" +
				"      p.yaml:4:9: verdict: ok expected, auto gives violation: p.yaml:3:22: t: assertion failed: two"},
		"an unknown algorithm": {increments, "{algorithm: quick}",
			"FAIL  p.yaml (quick)\n" +
				"      p.yaml:5:9: unknown algorithm \"quick\"; there are " + strings.Join(names(), ", ")},
	} {
		t.Run(name, func(t *testing.T) {
			program := test.program
			if test.expect != "" {
				program += "expect: " + test.expect + "\n"
			}
			t.Chdir(t.TempDir())
			if err := os.WriteFile("p.yaml", []byte(program), 0o666); err != nil {
				t.Fatal(err)
			}
			var out, messages bytes.Buffer
			env := &environment.Environment{Stdout: &out, Stderr: &messages, Now: time.Now,
				Context: context.Background()}
			r := &Runner{Env: env, Context: env.Context, Progress: progress.New(env), Host: &source.Host{},
				NoConstraints: true}
			if err := r.Run([]string{"p.yaml"}, false, filepath.Join(t.TempDir(), "junit.xml")); err != nil {
				t.Fatal(err)
			}
			got := strings.TrimSpace(out.String())
			got = got[:max(0, strings.LastIndexByte(got, '\n'))] // without the totals
			if got != test.want {
				t.Errorf("%s\n%s\nwant\n%s", program, got, test.want)
			}
			if failed := strings.HasPrefix(test.want, "FAIL"); failed != (r.Failed == 1) ||
				r.Passed+r.Failed+r.Skipped != 1 {
				t.Errorf("%d passed, %d failed, %d skipped", r.Passed, r.Failed, r.Skipped)
			}
		})
	}
}

// TestFailures writes what several algorithms found instead in one line.
func TestFailures(t *testing.T) {
	var f failures
	f.say("states: more than %d", 5)
	f.gives("traces: 3 expected", "sleep", "2", "")
	f.gives("verdict: ok expected", "source", "violation", "x.yaml:1:1: x")
	f.gives("traces: 3 expected", "optimal", "2", "")
	f.gives("traces: 3 expected", "source", "4", "")
	f.gives("traces: 3 expected", "classic", "2", "")
	want := []string{"states: more than 5",
		"traces: 3 expected, sleep, optimal and classic give 2; source gives 4",
		"verdict: ok expected, source gives violation: x.yaml:1:1: x"}
	if got := f.texts(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q, want %q", got, want)
	}
}

// names are those of all algorithms.
func names() (list []string) {
	for _, a := range explore.Algorithms() {
		list = append(list, a.Name)
	}
	return list
}
