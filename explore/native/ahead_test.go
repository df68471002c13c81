package native

import (
	"context"
	"slices"
	"strconv"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/lang/golang/native"
)

// TestWorkers: a search counts the same with any number of processes, and sees the same ends.
func TestWorkers(t *testing.T) {
	test := built(t, "counts")
	for _, name := range []string{"TestLastZero5", "TestTwoLocks", "TestWorkers", "TestSignal", "TestPolled",
		"TestLength", "TestLockedBuffer5"} {
		sameWithHelpers(t, test, name, dpor.SourceAlgorithm, 1, 3)
		sameWithHelpers(t, test, name, dpor.OptimalAlgorithm, 2)
		sameWithHelpers(t, test, name, dpor.SleepAlgorithm, 2)
	}
	for seed := range *randomPrograms {
		t.Setenv("SEED", strconv.Itoa(seed))
		sameWithHelpers(t, test, "TestRandom", dpor.SourceAlgorithm, 2)
		sameWithHelpers(t, test, "TestRandom", dpor.OptimalAlgorithm, 2)
	}
}

func sameWithHelpers(t *testing.T, test *native.Test, name string, a *dpor.Algorithm, numbers ...int) {
	t.Helper()
	wanted, want := ends(t, test, name, Options{Algorithm: a})
	for _, n := range numbers {
		opt := Options{Algorithm: a}
		for range n {
			p := native.Start(test, name)
			defer p.Close()
			opt.Helpers = append(opt.Helpers, p)
		}
		list, r := ends(t, test, name, opt)
		if r.Executions != want.Executions || r.Stuck != want.Stuck || r.Events != want.Events ||
			len(r.Findings) != len(want.Findings) || !slices.Equal(list, wanted) {
			t.Errorf("%s by %s with %d helpers: %+v %q, without %+v %q", name, a.Name, n, r, list, want, wanted)
		}
	}
}

// TestNotBegun ends a process that could not be begun.
func TestNotBegun(t *testing.T) {
	p := native.Start(built(t, "counts"), "TestTwoLocks")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Execute(ctx, &native.Command{Events: 100}); err == nil {
		t.Error("a test was executed after its end had been asked for")
	}
	p.SetCold(false)
	p.Close()
}
