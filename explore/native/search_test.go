package native

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cdpor/explore/dpor"
	"cdpor/lang/golang/native"
)

// built builds the tests of a package of testdata with gates, once.
func built(t *testing.T, pkg string) *native.Test { return builtWith(t, pkg, false) }

func builtWith(t testing.TB, pkg string, race bool) *native.Test {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the library of Go with gates")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	dir, err := filepath.Abs(filepath.Join("..", "..", "testdata", "native", pkg)) // or ../go/PROGRAM
	if err != nil {
		t.Fatal(err)
	}
	key := fmt.Sprintf("%s-%t", filepath.Base(pkg), race)
	once, _ := binaries.LoadOrStore(key, sync.OnceValues(func() (*native.Test, error) {
		tools, err := native.Installed(t.Context(), dir)
		if err != nil {
			return nil, err
		}
		return native.Build(t.Context(), tools, dir, scratch(t, key), "", race)
	}))
	test, err := once.(func() (*native.Test, error))()
	if err != nil {
		t.Fatal(err)
	}
	return test
}

var binaries sync.Map // by package

// explored explores a test to the end, or to the first finding.
func explored(t *testing.T, test *native.Test, name string, opt Options) *Result {
	t.Helper()
	p := native.Start(test, name)
	defer p.Close()
	if opt.Events == 0 {
		opt.Events = 1000
	}
	r, err := Search(t.Context(), p, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Executions as published (POPL'14 and the tools that came after it), or as counted by hand.
func TestCounts(t *testing.T) {
	test := built(t, "counts")
	for _, c := range []struct {
		name                string
		executions, blocked int64 // of source
		stuck               int64
	}{
		{"TestReaders8", 256, 0, 0},
		{"TestLastZero5", 64, 33, 0},
		{"TestLastZero8", 704, 1611, 0},
		{"TestLockedBuffer5", 252, 0, 0},
		{"TestLockedBuffer8", 12870, 0, 0},
		{"TestStores7", 5040, 0, 0},
		{"TestTwoLocks", 3, 0, 1},
		{"TestFib1", 11, 0, 0},
		{"TestFib2", 140, 0, 0},
		{"TestFib3", 1698, 0, 0},
		{"TestIndexer12", 8, 0, 0},
		{"TestIndexer13", 64, 0, 0},
		{"TestBuffered8", 1430, 0, 0},
		{"TestUnbuffered8", 1, 0, 0},
		{"TestWaitGroup3", 6, 0, 0},
		{"TestOnce2", 2, 0, 0},
		{"TestReadLocks", 1, 0, 0},
		{"TestSignal", 2, 0, 0},
		{"TestMeetThenLock", 2, 0, 0},
		{"TestDefaults", 16, 0, 5},
		{"TestManyObjects", 4, 0, 0}, // each channel is closed before the test waits for it, or behind
	} {
		t.Run(c.name, func(t *testing.T) {
			r := explored(t, test, c.name, Options{Algorithm: dpor.SourceAlgorithm, All: true, Plain: true})
			if r.Executions != c.executions || r.Blocked != c.blocked || r.Stuck != c.stuck || r.Unlike != "" {
				t.Errorf("source: %+v", r)
			}
			r = explored(t, test, c.name, Options{Algorithm: dpor.OptimalAlgorithm, All: true, Plain: true})
			if r.Executions != c.executions || r.Blocked != 0 || r.Stuck != c.stuck {
				t.Errorf("optimal: %+v", r)
			}
			if r.Runs > c.executions+10 { // the first ones are made again
				t.Errorf("optimal: %d runs for %d executions: what it plans is run in vain", r.Runs, r.Executions)
			}
		})
	}
}

// TestInstead: optimal takes over where source gives up too much.
func TestInstead(t *testing.T) {
	test := built(t, "counts")
	for _, c := range []struct {
		name, algorithm string
		executions      int64
	}{{"TestLastZero8", "optimal", 704}, {"TestReaders8", "source", 256}} {
		r := explored(t, test, c.name, Options{Algorithm: dpor.SourceAlgorithm, Instead: dpor.OptimalAlgorithm,
			All: true})
		if r.Algorithm != c.algorithm || r.Executions != c.executions || r.Blocked != 0 {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

// Sleep sets alone try everything from each node: they come to the same executions.
func TestSleepSetsAgree(t *testing.T) {
	test := built(t, "counts")
	for _, name := range []string{"TestLastZero5", "TestTwoLocks", "TestWaitGroup3", "TestOnce2", "TestSignal",
		"TestDefaults", "TestMeetThenLock"} {
		source := explored(t, test, name, Options{Algorithm: dpor.SourceAlgorithm, All: true, Plain: true})
		sleep := explored(t, test, name, Options{Algorithm: dpor.SleepAlgorithm, All: true, Plain: true})
		if source.Executions != sleep.Executions || source.Stuck != sleep.Stuck {
			t.Errorf("%s: %d executions (%d stuck), %d by sleep sets alone (%d)", name, source.Executions, source.Stuck,
				sleep.Executions, sleep.Stuck)
		}
	}
}

// leavesBehind are tests that leave something in variables of the package.
var leavesBehind = map[string]bool{"TestLeavesBehind": true, "TestFirstOnlyBug": true, "TestEveryOther": true}

// Tests with bugs, and repaired ones.
func TestFindings(t *testing.T) {
	test := built(t, "ordinary")
	for name, want := range map[string]Kind{
		"TestMeanBug": Failed, "TestMean": "", "TestJSONBug": Failed, "TestSorted": "", "TestTokensBug": Failed,
		"TestTokens": "", "TestTimeoutLeakBug": Leak, "TestTimeoutInTime": "", "TestTransferBug": Deadlock,
		"TestQueueCloseBug": Crash, "TestQueue": "", "TestTable": "", "TestPipe": "", "TestCounterBug": Failed,
		"TestReadLockTwiceBug": Deadlock, "TestDoneFirstBug": Crash, "TestDoneBehind": "", "TestLateLogBug": Crash,
		"TestLeavesBehind": "", "TestFirstOnlyBug": Failed,
		"TestCacheBug": Failed, "TestCache": "", "TestUnsubscribeBug": Crash, "TestUnsubscribe": "",
		"TestCloseTwiceBug": Crash, "TestCloseTwice": "", "TestCondOnceBug": Failed, "TestCondLoop": "",
		"TestVisitsBug": Failed, "TestVisits": "", "TestSemaphoreBug": Deadlock, "TestSemaphore": "",
		"TestStopLosesJobBug": Failed, "TestStopDrains": "", "TestTornLineBug": Failed, "TestWholeLine": "",
		"TestPollBug": Failed, "TestPollOnce": "", "TestFirstErrorBug": Failed, "TestFirstError": "",
		"TestFinishedBug": Failed, "TestFinished": "", "TestExpvarBug": Failed, "TestExpvar": "", "TestLeftOver": "",
		"TestGuardedLog": "", "TestGuardedPanic": "", "TestGuardedByTimer": "", "TestGuardedByExit": "",
		"TestSeededByClock": "",
		"TestTimeMoves":     "", "TestProcessors": "", "TestIdentifiers": "", "TestEveryOther": "",
		"TestStackText": "", "TestLastingContext": "",
		"FuzzSumBug": Failed, "FuzzSum": "", "BenchmarkCountBug": Failed, "BenchmarkCount": "",
		"TestPooledBug": Failed, "TestPooled": "", "TestLeaksNothing": "",
	} {
		t.Run(name, func(t *testing.T) {
			r := explored(t, test, name, Options{Algorithm: dpor.SourceAlgorithm, Executions: 5000})
			switch {
			case (r.Unlike != "") != leavesBehind[name]:
				t.Errorf("executions differ: %s", r.Unlike)
			case strings.HasPrefix(name, "TestGuarded") && r.Early == nil:
				t.Errorf("no timer fires early: %+v", r)
			case r.Asked != (name == "TestLeftOver" || name == "TestLeaksNothing"):
				t.Errorf("which goroutines there are is asked, or not: %+v", r)
			case want == "" && (len(r.Findings) > 0 || r.Stopped != ""):
				t.Errorf("%+v", r)
			case want != "" && (len(r.Findings) != 1 || r.Findings[0].Kind != want):
				t.Errorf("not found: %+v", r)
			}
			for _, f := range r.Findings {
				replayed(t, test, name, r, f)
			}
		})
	}
}

// TestMeasures: what a test measures is done once.
func TestMeasures(t *testing.T) {
	r := explored(t, built(t, "ordinary"), "TestMeasures", Options{Algorithm: dpor.SourceAlgorithm})
	if len(r.Findings) > 0 || r.Cut > 0 || r.Executions == 0 || r.Stopped != "" {
		t.Errorf("%+v", r)
	}
}

// TestForked: each process waits for files and for signals itself, also one that is forked.
func TestForked(t *testing.T) {
	for _, name := range []string{"TestOtherProcess", "TestOtherSignal"} {
		r := explored(t, built(t, "files"), name, Options{Algorithm: dpor.SourceAlgorithm})
		if len(r.Findings) > 0 || r.Executions == 0 || r.Stopped != "" {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestOutlasted: a search ends in time, and with it what the test has started.
func TestOutlasted(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	p := native.Start(built(t, "files"), "TestOutlasted")
	defer p.Close()
	r, err := Search(ctx, p, Options{Algorithm: dpor.SourceAlgorithm, Events: 1000})
	if err != nil || r.Stopped != StoppedContext {
		t.Error(r, err)
	}
}

// TestLeftInUse: what an execution that is cut holds for good is free in the next one.
func TestLeftInUse(t *testing.T) {
	for _, name := range []string{"TestLoopsForEver", "TestHoldsSpinLock"} {
		r := explored(t, built(t, "ordinary"), name, Options{Algorithm: dpor.SourceAlgorithm, Random: 2})
		if len(r.Findings) > 0 || r.Cut == 0 || !r.Afresh || r.Unlike != "" || r.Stopped != "" {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestLarger: a test is too large only when its goroutines and their actions do not fit into a set.
func TestLarger(t *testing.T) {
	for _, c := range []struct {
		size, needs, want tooSmall
		fits              bool
	}{
		{tooSmall{8, 16, 1, false}, tooSmall{9, 17, 1, false}, tooSmall{16, 32, 1, false}, true},
		{tooSmall{16, 32, 1, false}, tooSmall{17, 32, 13, false}, tooSmall{19, 32, 13, false}, true},
		{tooSmall{128, 32, 2, true}, tooSmall{85, 32, 3, true}, tooSmall{85, 32, 3, true}, true},
		{tooSmall{128, 32, 2, false}, tooSmall{86, 32, 3, false}, tooSmall{86, 32, 3, false}, false},
		{tooSmall{128, 256, 2, false}, tooSmall{129, 1300, 2, false}, tooSmall{129, 1024, 2, false}, false},
	} {
		got := larger(c.size, c.needs)
		if got != c.want || (got.tooLarge(c.needs) == "") != c.fits {
			t.Errorf("%v for %v: %v, not %v", c.size, c.needs, got, c.want)
		}
	}
}

// TestCrowds: a test with more goroutines than a search can tell apart is executed at random, and that is said.
func TestCrowds(t *testing.T) {
	test := built(t, "ordinary")
	r := explored(t, test, "TestCrowd", Options{Algorithm: dpor.SourceAlgorithm, Events: 5000})
	want := fmt.Sprint(mostAtRandom, " schedules at random were executed")
	if len(r.Findings) > 0 || !strings.HasSuffix(r.Stopped, want) {
		t.Errorf("%+v", r)
	}
	r = explored(t, test, "TestCrowdBug", Options{Algorithm: dpor.SourceAlgorithm, Events: 5000})
	if len(r.Findings) != 1 || r.Findings[0].Kind != Failed {
		t.Fatalf("%+v", r)
	}
	p := native.Start(test, "TestCrowdBug")
	defer p.Close()
	again, err := Replay(t.Context(), p, r.Names, r.Width, r.Findings[0].Schedule, 5000)
	if err != nil || Judge(again) != Failed {
		t.Errorf("%v: %+v", err, again)
	}
}

// TestWidens: a finding keeps its schedule where the search begins anew because a goroutine has more alternatives.
func TestWidens(t *testing.T) {
	const name = "TestSelectsLateBug"
	test := built(t, "ordinary")
	r := explored(t, test, name, Options{Algorithm: dpor.SourceAlgorithm, All: true})
	if len(r.Findings) != 1 || r.Findings[0].Width != 1 || r.Width != 2 || r.Stopped != "" {
		t.Fatalf("%+v", r)
	}
	replayed(t, test, name, r, r.Findings[0])
}

// TestTemporaryFolders: each execution has another name for what it makes among temporary files.
func TestTemporaryFolders(t *testing.T) {
	names := map[string]bool{}
	for range 2 {
		dir := t.TempDir()
		t.Setenv("CDPOR_TEMPORARY", dir)
		r := explored(t, built(t, "ordinary"), "TestTemporary", Options{Algorithm: dpor.SourceAlgorithm, Random: 20})
		made, err := os.ReadDir(dir)
		if err != nil || len(made) < int(r.Runs) || len(r.Findings) > 0 || r.Unlike != "" {
			t.Errorf("%v, %d folders: %+v", err, len(made), r)
		}
		for _, m := range made {
			if names[m.Name()] {
				t.Errorf("%s has been made before", m.Name())
			}
			names[m.Name()] = true
		}
	}
}

// TestTimerToldOf: the function of a timer is called so, not by a number of its goroutine.
func TestTimerToldOf(t *testing.T) {
	test := built(t, "ordinary")
	r := explored(t, test, "TestGuardedByExit", Options{Algorithm: dpor.SourceAlgorithm, Early: true})
	if len(r.Findings) != 1 {
		t.Fatalf("%+v", r)
	}
	p := native.Start(test, "TestGuardedByExit")
	defer p.Close()
	again, err := Replay(t.Context(), p, r.Names, r.Findings[0].Width, r.Findings[0].Schedule, 1000)
	if err != nil {
		t.Fatal(err)
	}
	told := Tell(again, r.Findings[0].Width, "TestGuardedByExit", test.Dir)
	if last := told.Steps[len(told.Steps)-1]; last.Goroutine != "function of timer 1" || last.Text != "mu.Lock()" {
		t.Errorf("%+v", last)
	}
}

// TestLinked: what programs link of the runtime is the same in each execution.
func TestLinked(t *testing.T) {
	r := explored(t, built(t, "ordinary"), "TestLinked", Options{Algorithm: dpor.SourceAlgorithm, Random: 20})
	if len(r.Findings) > 0 || r.Unlike != "" || r.Stopped != "" {
		t.Errorf("%+v", r)
	}
}

// TestServed: of a server and its clients, in memory, not all orders can be executed. A timer in which the server ends
// fires early in most of those that are; the test fails whether one does or not.
func TestServed(t *testing.T) {
	opt := Options{Algorithm: dpor.SourceAlgorithm, Random: 20, Executions: 100}
	test := built(t, "ordinary")
	if r := explored(t, test, "TestServed", opt); len(r.Findings) > 0 || r.Executions+r.Blocked < 100 {
		t.Errorf("%+v", r)
	}
	r := explored(t, test, "TestServedBug", opt)
	if len(r.Findings) != 1 || r.Findings[0].Kind != Failed {
		t.Fatalf("%+v", r)
	}
	replayed(t, test, "TestServedBug", r, r.Findings[0])
}

// TestPolling: where nothing else decides, who polls leaves turns to others.
func TestPolling(t *testing.T) {
	test := built(t, "ordinary")
	p := native.Start(test, "TestPollsFirst")
	defer p.Close()
	if r, err := p.Execute(t.Context(), &native.Command{Events: 1000}); err != nil || r.End != native.Ended {
		t.Errorf("%v: %+v", err, r)
	}
}

// replayed follows the schedule of a finding in a process of its own.
func replayed(t *testing.T, test *native.Test, name string, r *Result, f Finding) {
	t.Helper()
	p := native.Start(test, name)
	defer p.Close()
	again, err := Replay(context.Background(), p, r.Names, f.Width, f.Schedule, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if Judge(again) != f.Kind || !slices.Equal(Actions(again), f.Schedule) {
		t.Errorf("the schedule %v of a %s leads to %q by %v", f.Schedule, f.Kind, Judge(again), Actions(again))
	}
	found := false
	for _, s := range again.Steps {
		for _, c := range s.Changes {
			found = found || strings.Contains(c.Place, "_test.go:")
		}
	}
	if !found {
		t.Error("no operation has a place")
	}
}
