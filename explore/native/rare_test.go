package native

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"cdpor/explore/dpor"
	"cdpor/lang/golang/native"
)

var rareRuns = flag.Int("rare-runs", 0, "how often TestRare just runs each test, to say how rarely its bug shows")

// rare are tests with a bug that shows in fewer than one of 100 runs, and what it is.
var rare = map[string]Kind{
	"TestMeanBug": Failed, "TestTokensBug": Failed, "TestTransferBug": Deadlock, "TestCounterBug": Failed,
	"TestReadLockTwiceBug": Deadlock, "TestDoneFirstBug": Crash, "TestClosedTooSoonBug": Crash, "TestCacheBug": Failed,
	"TestUnsubscribeBug": Crash, "TestCloseTwiceBug": Crash, "TestCondOnceBug": Failed, "TestVisitsBug": Failed,
	"TestSemaphoreBug": Deadlock, "TestTornLineBug": Failed, "TestFirstErrorBug": Failed, "TestFinishedBug": Failed,
	"TestExpvarBug": Failed, "TestFreeListBug": Failed, "TestLastUserBug": Failed, "TestElectionBug": Failed,
	"TestSubmitClosedBug": Crash, "TestTornMeanBug": Failed, "TestForwardBug": Failed,
}

// TestRare: bugs that hardly ever show when a test is just run are found in ten seconds, with a schedule that shows
// them again, also by go test alone. How rarely they show is told by
//
//	go test ./explore/native -run TestRare -v -args -rare-runs=1000
func TestRare(t *testing.T) {
	test := built(t, "ordinary")
	binary := filepath.Join(t.TempDir(), "plain")
	if *rareRuns > 0 {
		cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-c", "-o", binary, ".")
		cmd.Dir = test.Dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	dir, alone := replaysAlone(t, test)
	for name, want := range rare {
		t.Run(name, func(t *testing.T) {
			if *rareRuns > 0 {
				n := failing(t, binary, test.Dir, name)
				t.Logf("%d of %d runs show it", n, *rareRuns)
				if 100*n >= *rareRuns {
					t.Errorf("that is not rare")
				}
			}
			p := native.Start(test, name)
			defer p.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			begun := time.Now()
			r, err := Search(ctx, p, Options{Algorithm: dpor.SourceAlgorithm, Events: 1000, Random: 20})
			if err != nil || len(r.Findings) != 1 || r.Findings[0].Kind != want {
				t.Fatalf("%v: %+v", err, r)
			}
			t.Logf("found by %d executions in %v", r.Runs, time.Since(begun).Round(time.Millisecond))
			replayed(t, test, name, r, r.Findings[0])
			followsAlone(t, alone, dir, test, name, r)
		})
	}
}

// TestPoolAlone: go test alone stops at a pool of the program as well, and not at those of the library.
func TestPoolAlone(t *testing.T) {
	test := built(t, "ordinary")
	dir, alone := replaysAlone(t, test)
	const name = "TestPooledBug"
	r := explored(t, test, name, Options{Algorithm: dpor.SourceAlgorithm, OnlyRandom: true, Random: 1000})
	if len(r.Findings) != 1 {
		t.Fatalf("%+v", r)
	}
	followsAlone(t, alone, dir, test, name, r)
}

// followsAlone lets a binary of go test follow the schedule of what a search has found.
func followsAlone(t *testing.T, binary, dir string, test *native.Test, name string, r *Result) {
	t.Helper()
	file, err := native.WriteSchedule(dir, name, r.Names, r.Width, 1000, r.Findings[0].Schedule)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, "-test.timeout=1m")
	cmd.Dir, cmd.Env = test.Dir, append(os.Environ(), "CDPOR_REPLAY="+file)
	out, err := cmd.CombinedOutput()
	text := map[Kind]string{Failed: "--- FAIL: " + name, Deadlock: "waits for good: ", Crash: ": "}[r.Findings[0].Kind]
	if err == nil || !strings.Contains(string(out), text) {
		t.Errorf("go test along the schedule: %v\n%s", err, out)
	}
}

// replaysAlone is a binary of go test that follows schedules, as cdpor run --overlay keeps it, and the folder of that.
func replaysAlone(t *testing.T, test *native.Test) (dir, binary string) {
	t.Helper()
	dir = t.TempDir()
	tools, err := native.Installed(t.Context(), test.Dir)
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := tools.Overlay(t.Context(), test.Dir, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	binary = filepath.Join(dir, "alone")
	cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-c", "-overlay", overlay, "-o", binary, ".")
	cmd.Dir = test.Dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir, binary
}

// failing is how many of some runs of a test fail, panic or do not come to their end.
func failing(t *testing.T, binary, dir, name string) (n int) {
	for left := *rareRuns; left > 0; {
		cmd := exec.CommandContext(t.Context(), binary, "-test.run=^"+name+"$", "-test.v", "-test.timeout=20s",
			"-test.count="+strconv.Itoa(min(left, 100)))
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		passed := strings.Count(string(out), "\n--- PASS")
		failed := strings.Count(string(out), "\n--- FAIL")
		if err != nil && failed == 0 { // it has died of it
			failed = 1
		}
		if passed+failed == 0 {
			t.Fatalf("nothing was run:\n%s", out)
		}
		n, left = n+failed, left-passed-failed
	}
	return n
}
