package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cdpor/cmd/cdpor/internal/cli"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/synth"
)

// reports are runs whose reports are kept in testdata/report, each verdict and each kind of violation among them: the
// name of the file, and the arguments behind cdpor run. A program of ours is in testdata/report itself.
var reports = []struct{ name, args string }{
	{"ok", "testdata/programs/cas.yaml"},
	{"ok-constraints", "-v --algorithm constrained testdata/programs/producer-consumer.yaml"},
	{"ok-linearizable", "testdata/programs/linearizable-treiber.yaml"},
	{"ok-large", "testdata/programs/indexer.yaml"},
	{"ok-advice", "OWN/advice.yaml"},
	{"ok-lock-held", "OWN/leak.yaml"},
	{"ok-need-not-end", "testdata/programs/token-ring.yaml"},
	{"ok-coverage", "--coverage testdata/programs/token-ring.yaml"},
	{"ok-unproved", "--algorithm constrained --trust-constraints OWN/advice.yaml"},
	{"vacuous", "OWN/vacuous.yaml"},
	{"bounded", "--max-executions 2 --algorithm source --simulate 0 testdata/programs/cas.yaml"},
	{"bounded-preemptions", "--preemptions 1 --algorithm interleavings testdata/programs/peterson.yaml"},
	{"incomplete", "--graph-states 5 testdata/programs/unfair-lock.yaml"},
	{"simulation", "--simulate 50 testdata/programs/cas.yaml"},
	{"final", "testdata/programs/lost-worker.yaml"},
	{"final-show", "--show 2 testdata/programs/lost-worker.yaml"},
	{"final-verbose", "-v testdata/programs/lost-worker.yaml"},
	{"final-outcomes", "OWN/outcomes.yaml"},
	{"assert", "testdata/programs/peterson-broken.yaml"},
	{"runtime-error", "testdata/programs/check-then-act.yaml"},
	{"always", "testdata/programs/always-counter.yaml"},
	{"invariant", "OWN/invariant.yaml"},
	{"reachable", "OWN/reachable.yaml"},
	{"data-race", "testdata/programs/double-checked-locking-racy.yaml"},
	{"not-linearizable", "testdata/programs/linearizable-array-queue-broken.yaml"},
	{"deadlock", "testdata/programs/accounts-broken.yaml"},
	{"deadlock-states", "OWN/states.yaml"},
	{"deadlock-allowed", "testdata/programs/dining-philosophers.yaml"},
	{"deadlock-required", "OWN/required.yaml"},
	{"endless", "testdata/programs/polite-livelock.yaml"},
	{"no-way-to-end", "testdata/liveness/strict-alternation.yaml"},
	{"leads-to", "testdata/programs/unfair-lock.yaml"},
	{"eventually", "OWN/eventually.yaml"},
	{"many-lanes", "testdata/programs/signal-not-broadcast.yaml"},
	{"misused", "testdata/programs/close-too-early.yaml"},
	{"stop-at-first", "--stop-at-first --simulate 0 testdata/programs/lost-worker.yaml"},
	{"github", "--format github testdata/programs/lost-worker.yaml"},
	{"go-ok", "testdata/go/transfer --func TestFixed"},
	{"go-deadlock", "testdata/go/lockorder --func TestBug"},
	{"go-leak", "testdata/go/timeoutleak --func TestBug"},
	{"go-panic", "testdata/go/sendonclosed --func TestBug"},
	{"go-test-fails", "testdata/go/lostupdate --func TestBug"},
	{"go-data-race", "testdata/go/atomicandplain --func TestBug"},
	{"go-bounded", "testdata/go/stoppedticker --func TestFixed --bound ticks=1"},
	{"go-early", "OWN/early --func TestEarly"},
	{"go-several", "testdata/go/lostupdate"},
	{"go-names", "OWN/names --func TestNames"},
	{"go-ticker", "OWN/ticker --func TestFull"},
	{"go-states", "OWN/ticker"},
	{"go-said", "OWN/said"},
	{"go-endless", "OWN/endless --func TestSpin"},
	{"go-refused", "OWN/endless --func TestRefused"},
	{"go-run-ok", "testdata/go/transfer --func TestFixed --engine run"},
	{"go-run-deadlock", "testdata/go/lockorder --func TestBug --engine run"},
	{"go-run-panic", "testdata/go/sendonclosed --func TestBug --engine run"},
	{"go-run-data-race", "testdata/go/lostupdate --func TestBug --engine run"},
	{"go-run-early", "OWN/early --func TestEarly --engine run"},
	{"go-run-several", "testdata/go/lostupdate --engine run"},
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
			golden(t, filepath.Join(own, r.name+".txt"), reported(t, r.args))
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

// reported runs a command at the root of the module on terminals of 80 and 120 columns. The result is the command
// with what it prints, without times: once for widths at which that is the same.
func reported(t *testing.T, line string) string {
	t.Helper()
	t.Chdir("../..")
	t.Setenv(cli.NoRun, "")
	text, last := fmt.Sprintf("$ cdpor run %s\n", line), ""
	line = strings.ReplaceAll(line, "OWN", "cmd/cdpor/testdata/report")
	for _, columns := range []string{"80", "120"} {
		t.Setenv("COLUMNS", columns)
		var stdout, stderr bytes.Buffer
		code := runMain(append([]string{"run", "--no-cache"}, strings.Fields(line)...), nil, &stdout, &stderr)
		if code == fault.ExitInput || code == fault.ExitInternal {
			t.Errorf("exit code %d\n%s", code, &stderr)
		}
		printed := fmt.Sprintf("%s(exit code %d)\n", spent.ReplaceAllString(stdout.String(), "TIME"), code)
		if printed != last {
			text += fmt.Sprintf("-- from %s columns --\n%s", columns, printed)
		}
		last = printed
	}
	return text
}
