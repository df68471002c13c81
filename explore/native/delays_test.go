package native

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"cdpor/explore/dpor"
	"cdpor/lang/golang/native"
)

// TestDelays: each schedule is executed once, beside all that have as many delays.
func TestDelays(t *testing.T) {
	test := built(t, "counts")
	for _, name := range []string{"TestOnce2", "TestSignal", "TestMeetThenLock"} {
		t.Run(name, func(t *testing.T) {
			seen := newTree(16, 32, 1)
			want := map[int]int64{}
			known := map[*node]bool{}
			explored(t, test, name, Options{Algorithm: dpor.InterleavingsAlgorithm, All: true,
				Seen: func(r *native.Record) {
					end, err := seen.add(r)
					if err != nil {
						t.Fatal(err)
					}
					if !known[end] {
						known[end] = true
						want[seen.delays(r)]++
					}
				}})
			got := map[int]int64{}
			p := native.Start(test, name)
			defer p.Close()
			slow := time.NewTimer(longest)
			x := &delaying{search: &search{hard: t.Context(), slow: slow, exec: p, res: &Result{Width: 1}}}
			x.opt = Options{Events: 1000, All: true, Progress: func(r *Result) { got[within(r)]++ }}
			if err := x.all(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(want) < 2 || x.res.Delays != len(want)-1 || x.res.Delayed != int64(len(known)) ||
				x.res.Executions != x.res.Delayed {
				t.Errorf("%d schedules with %d delays at most; of %d", x.res.Delayed, x.res.Delays, len(known))
			}
			for k, n := range want {
				if got[k] != n {
					t.Errorf("%d delays: %d schedules, not %d", k, got[k], n)
				}
			}
		})
	}
}

// TestRareDelays: two delays are enough for each of the bugs that hardly ever show when a test is just run.
func TestRareDelays(t *testing.T) {
	test := built(t, "ordinary")
	for name, want := range rare {
		p := native.Start(test, name)
		defer p.Close()
		x := &delaying{search: &search{opt: Options{Events: 1000}, hard: t.Context(), slow: time.NewTimer(longest),
			exec: p, res: &Result{Width: 1}}}
		err := x.all(t.Context())
		if !errors.Is(err, errEnough) || x.res.Findings[0].Kind != want || x.res.Delays > 1 {
			t.Errorf("%s: %v: %+v", name, err, x.res)
		}
		t.Logf("%s: %d executions", name, x.res.Runs)
	}
}

// within is how many delays an execution has that a search by them has come to.
func within(r *Result) int {
	if r.Delayed == 1 {
		return 0
	}
	return r.Delays + 1
}

// delays counts how often it is not the next in line who goes on.
func (t *tree) delays(r *native.Record) (n int) {
	last, at := 0, t.root
	for _, s := range r.Steps[1:] {
		var line, before []int
		for proc := 1; proc < t.procs; proc++ {
			switch {
			case t.EnabledOf(&at.enabled, proc) < 0:
			case proc < last:
				before = append(before, proc)
			default:
				line = append(line, proc)
			}
		}
		n += slices.Index(append(line, before...), s.Proc)
		last, at = s.Proc, at.child(s.Action)
	}
	return n
}

// TestFewDelays: a search that has no time for all orders says how many delays it has tried, and finds by them what it
// would come to late.
func TestFewDelays(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	p := native.Start(built(t, "counts"), "TestStores7")
	defer p.Close()
	r, err := Search(ctx, p, Options{Algorithm: dpor.InterleavingsAlgorithm, Events: 1000, Delays: true})
	if err != nil || r.Stopped != StoppedContext || r.Executions == 0 || r.Delays < 1 || r.Delayed == 0 {
		t.Errorf("%v: %+v", err, r)
	}
}
