package native

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
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
			x := &delaying{search: &search{hard: t.Context(), slow: slow, exec: p, res: &Result{Width: 1}}, every: true}
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

// TestCoveredDelays: what is left out of the schedules with few delays differs from one that is not by the order of
// independent operations.
func TestCoveredDelays(t *testing.T) {
	type program struct {
		pkg, name, seed string
		bound           int
	}
	programs := []program{{"counts", "TestOnce2", "", 3}, {"counts", "TestSignal", "", 2},
		{"counts", "TestWorkers", "", 2}, {"counts", "TestMeetThenLock", "", 3}, {"counts", "TestLockedBuffer5", "", 2},
		{"counts", "TestPipeline", "", 2}, {"counts", "TestPolled", "", 2}, {"ordinary", "TestTimeoutInTime", "", 2},
		{"ordinary", "TestStopDrains", "", 2}, {"ordinary", "TestCondLoop", "", 2}, {"ordinary", "TestTable", "", 1}}
	for seed := range *randomPrograms {
		programs = append(programs, program{"counts", "TestRandom", strconv.Itoa(seed), 3},
			program{"counts", "TestRandomAtomics", strconv.Itoa(seed), 2})
	}
	var all, some int64
	for _, c := range programs {
		t.Setenv("SEED", c.seed)
		want, executed := delayedOrders(t, c.pkg, c.name, c.bound, true)
		got, left := delayedOrders(t, c.pkg, c.name, c.bound, false)
		all, some = all+executed, some+left
		for order := range want {
			if !got[order] {
				t.Errorf("%s %s: %d orders of %d are met; %s is not", c.name, c.seed, len(got), len(want), order)
				break
			}
		}
	}
	if t.Logf("%d schedules of %d", some, all); some > all/4*3 {
		t.Errorf("only %d schedules of %d are left out", all-some, all)
	}
}

// delayedOrders are the orders of dependent operations in schedules with so many delays at most.
func delayedOrders(t *testing.T, pkg, name string, bound int, every bool) (orders map[string]bool, executed int64) {
	t.Helper()
	p := native.Start(built(t, pkg), name)
	defer p.Close()
	orders = map[string]bool{}
	x := &delaying{search: &search{hard: t.Context(), slow: time.NewTimer(longest), exec: p, res: &Result{Width: 4}},
		every: every}
	x.opt = Options{Events: 1000, All: true, Seen: func(r *native.Record) { orders[order(r)] = true }}
	p.SetWidth(4)
	x.ctx = t.Context()
	for k := range bound + 1 {
		if err := x.within(k); err != nil {
			t.Fatal(err)
		}
	}
	return orders, x.res.Delayed
}

// order tells of each event which ones of those that come before it are in conflict with it.
func order(r *native.Record) string {
	ops, pending, counts := make([]*native.Operation, 0, len(r.Steps)), map[int]*native.Operation{}, map[int]int{}
	kept := executed(r)
	var names, list []string
	for i := range r.Steps {
		s := &r.Steps[i]
		if i > 0 {
			op := pending[s.Proc]
			counts[s.Proc]++
			var before []string
			for j, other := range ops {
				if kept[j] == nil && kept[i-1] == nil || op != nil && other != nil && shares(op, other) {
					before = append(before, names[j])
				}
			}
			slices.Sort(before)
			ops, names = append(ops, op), append(names, fmt.Sprint(s.Action, ".", counts[s.Proc]))
			list = append(list, fmt.Sprint(names[i-1], before))
		}
		for k := range s.Changes {
			pending[s.Changes[k].Proc] = &s.Changes[k].Op
		}
	}
	slices.Sort(list)
	return fmt.Sprint(r.End, r.Failed, list)
}

func shares(op, other *native.Operation) bool {
	return slices.ContainsFunc(op.Objects, func(id int32) bool {
		return id >= 0 && slices.Contains(other.Objects, id) && (op.Writes() || other.Writes())
	})
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
