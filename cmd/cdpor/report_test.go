package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/synth"
)

// reports are runs whose reports are kept in testdata/report, each verdict and each kind of violation among them: the
// name of the file, the columns, and the arguments behind cdpor run. A program of ours is in testdata/report itself.
var reports = []struct {
	name    string
	columns int
	args    string
}{
	{"ok", 80, "testdata/programs/cas.yaml"},
	{"ok-constraints", 100, "-v --algorithm constrained testdata/programs/producer-consumer.yaml"},
	{"ok-compared", 120, "--algorithm constrained --compare-with source testdata/programs/producer-consumer.yaml"},
	{"ok-linearizable", 80, "testdata/programs/linearizable-treiber.yaml"},
	{"ok-large", 80, "testdata/programs/indexer.yaml"},
	{"ok-advice", 80, "OWN/advice.yaml"},
	{"ok-lock-held", 80, "OWN/leak.yaml"},
	{"ok-need-not-end", 100, "testdata/programs/token-ring.yaml"},
	{"ok-coverage", 100, "--coverage testdata/programs/token-ring.yaml"},
	{"ok-unproved", 80, "--algorithm constrained --trust-constraints OWN/advice.yaml"},
	{"vacuous", 80, "OWN/vacuous.yaml"},
	{"bounded", 80, "--max-executions 2 --algorithm source --simulate 0 testdata/programs/cas.yaml"},
	{"bounded-preemptions", 80, "--preemptions 1 --algorithm interleavings testdata/programs/peterson.yaml"},
	{"incomplete", 80, "--graph-states 5 testdata/programs/unfair-lock.yaml"},
	{"simulation", 100, "--simulate 50 testdata/programs/cas.yaml"},
	{"final", 80, "testdata/programs/lost-worker.yaml"},
	{"final-show", 100, "--show 2 testdata/programs/lost-worker.yaml"},
	{"final-verbose", 100, "-v testdata/programs/lost-worker.yaml"},
	{"final-outcomes", 120, "OWN/outcomes.yaml"},
	{"assert", 80, "testdata/programs/peterson-broken.yaml"},
	{"runtime-error", 80, "testdata/programs/check-then-act.yaml"},
	{"always", 100, "testdata/programs/always-counter.yaml"},
	{"invariant", 80, "OWN/invariant.yaml"},
	{"reachable", 80, "OWN/reachable.yaml"},
	{"data-race", 100, "testdata/programs/double-checked-locking-racy.yaml"},
	{"not-linearizable", 80, "testdata/programs/linearizable-array-queue-broken.yaml"},
	{"deadlock", 80, "testdata/programs/accounts-broken.yaml"},
	{"deadlock-wide", 120, "testdata/programs/accounts-broken.yaml"},
	{"deadlock-states", 80, "OWN/states.yaml"},
	{"deadlock-allowed", 100, "testdata/programs/dining-philosophers.yaml"},
	{"deadlock-required", 80, "OWN/required.yaml"},
	{"endless", 80, "testdata/programs/polite-livelock.yaml"},
	{"no-way-to-end", 100, "testdata/liveness/strict-alternation.yaml"},
	{"leads-to", 100, "testdata/programs/unfair-lock.yaml"},
	{"slice", 80, "--slice testdata/programs/lost-worker.yaml"},
	{"stop-at-first", 80, "--stop-at-first --simulate 0 testdata/programs/lost-worker.yaml"},
	{"github", 120, "--format github testdata/programs/lost-worker.yaml"},
	{"go-ok", 80, "testdata/go/transfer --func TestFixed"},
	{"go-deadlock", 80, "testdata/go/lockorder --func TestBug"},
	{"go-deadlock-wide", 120, "testdata/go/lockorder --func TestBug"},
	{"go-leak", 100, "testdata/go/timeoutleak --func TestBug"},
	{"go-panic", 80, "testdata/go/sendonclosed --func TestBug"},
	{"go-test-fails", 100, "testdata/go/lostupdate --func TestBug"},
	{"go-data-race", 80, "testdata/go/atomicandplain --func TestBug"},
	{"go-bounded", 80, "testdata/go/stoppedticker --func TestFixed --bound ticks=1"},
	{"go-early", 100, "OWN/early --func TestEarly"},
	{"go-several", 80, "testdata/go/lostupdate"},
}

// spent are the times in a report.
var spent = regexp.MustCompile(`\b(\d+h)?(\d+m)?\d+(\.\d+)?(µs|ms|s)\b`)

// TestReports compares the reports with what they should be. Those who change them read them as somebody who has never
// seen one.
func TestReports(t *testing.T) {
	if err := synth.Available(); err != nil {
		t.Skip(err)
	}
	own, err := filepath.Abs(filepath.Join("testdata", "report"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	files := map[string]bool{}
	for _, r := range reports {
		files[r.name+".txt"] = true
		if testing.Short() && strings.HasPrefix(r.name, "go-") && r.name != "go-deadlock" {
			continue // each loads a part of the standard library
		}
		t.Run(r.name, func(t *testing.T) {
			golden(t, filepath.Join(own, r.name+".txt"), reported(t, r.args, r.columns))
		})
	}
	there, err := filepath.Glob(filepath.Join(own, "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range there {
		if !files[filepath.Base(path)] {
			t.Errorf("%s is the report of no run", path)
		}
	}
}

// reported runs a command at the root of the module and returns it with what it prints, without times.
func reported(t *testing.T, line string, columns int) string {
	t.Helper()
	t.Chdir("../..")
	t.Setenv("COLUMNS", strconv.Itoa(columns))
	line = strings.ReplaceAll(line, "OWN", "cmd/cdpor/testdata/report")
	var stdout, stderr bytes.Buffer
	code := runMain(append([]string{"run", "--no-cache"}, strings.Fields(line)...), nil, &stdout, &stderr)
	if code == fault.ExitInput || code == fault.ExitInternal {
		t.Errorf("exit code %d\n%s", code, &stderr)
	}
	text := spent.ReplaceAllString(stdout.String(), "TIME")
	return fmt.Sprintf("$ cdpor run %s\n%s(exit code %d)\n", line, text, code)
}
