package simulate_test

import (
	"context"
	"math"
	"math/rand"
	"slices"
	"testing"

	"cdpor/explore"
	"cdpor/explore/simulate"
	"cdpor/lang/langtest"
	"cdpor/lang/random"
	"cdpor/lang/step"
)

func machine(t *testing.T, text string) *step.Machine {
	return langtest.Machine(t, "test.yaml", text, nil)
}

// Programs with one bug each, and how many ordering constraints it takes.
var bugs = []struct {
	name   string
	depth  int
	length int // of the longest execution
	text   string
}{
	{"use before initialisation", 1, 8, `
cdpor: 1
shared: {ready: int, noise: int}
threads:
  A: ready = 1
  B: assert ready == 1
  C: for i in 1..6 { noise = i }
`},
	{"last of four", 1, 5, `
cdpor: 1
shared: {done: int}
threads:
  T: {count: 4, run: "done += 1"}
  Z: assert done > 0
`},
	{"atomicity violation", 2, 10, `
cdpor: 1
shared: {p: int = 1, noise: int}
threads:
  A: |
    if p == 1 {
      assert p == 1
    }
  B: |
    noise = 1
    noise = 2
    noise = 3
    p = 0
  C: |
    noise = 4
    noise = 5
    noise = 6
    noise = 7
`},
	{"deadlock of two locks", 2, 8, `
cdpor: 1
shared: {a: mutex, b: mutex}
threads:
  A: |
    lock(a)
    lock(b)
    unlock(b)
    unlock(a)
  B: |
    lock(b)
    lock(a)
    unlock(a)
    unlock(b)
`},
	{"two changes between reads", 3, 4, `
cdpor: 1
shared: {x: int}
threads:
  A: |
    x = 1
    x = 2
  B: |
    if x == 1 {
      assert x != 2
    }
`},
}

// TestBoundHolds is the guarantee of PCT: one schedule shows a bug of depth d with probability at least 1/(n k^(d-1)).
// Of 4000 seeds, as many as that show it, less three standard deviations.
func TestBoundHolds(t *testing.T) {
	const seeds = 4000
	for _, b := range bugs {
		m := machine(t, b.text)
		found := 0
		for seed := range int64(seeds) {
			r, err := simulate.Run(context.Background(), m,
				simulate.Options{Schedules: 1, Depths: []int{b.depth}, Length: b.length, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			if r.MaxDepth > b.length {
				t.Fatalf("%s: an execution of %d events", b.name, r.MaxDepth)
			}
			if r.Verdict == explore.Violated {
				found++
			}
		}
		p := simulate.Bound(m.NumProcs(), b.length, b.depth, 1)
		least := seeds*p - 3*math.Sqrt(seeds*p*(1-p))
		t.Logf("%s: found by %d of %d schedules, the bound is %.0f", b.name, found, seeds, seeds*p)
		if float64(found) < least {
			t.Errorf("%s: found by %d of %d schedules, the bound is %.0f", b.name, found, seeds, seeds*p)
		}
	}
}

// TestDepthMatters: a bug is not found with a smaller depth, which has too few change points.
func TestDepthMatters(t *testing.T) {
	for _, b := range bugs {
		m := machine(t, b.text)
		for depth := 1; depth <= b.depth; depth++ {
			r, err := simulate.Run(context.Background(), m,
				simulate.Options{Schedules: 500, Depths: []int{depth}, Length: b.length})
			if err != nil {
				t.Fatal(err)
			}
			if found := r.Verdict == explore.Violated; found != (b.depth == depth) {
				t.Errorf("%s has depth %d; with depth %d the verdict is %s", b.name, b.depth, depth, r.Verdict)
			}
		}
	}
}

// TestAgainstSearch: on random programs, what a simulation finds is what the whole search finds or a part of it, every
// schedule that it keeps shows what it is kept for, and on the small ones it finds every outcome and deadlock.
func TestAgainstSearch(t *testing.T) {
	exhaustive, err := explore.Find("exhaustive")
	if err != nil {
		t.Fatal(err)
	}
	all, wrong := 0, 0
	for seed := range int64(300) {
		rng := rand.New(rand.NewSource(seed))
		m := machine(t, random.Program(rng, random.Draw(rng)))
		whole, err := explore.Run(context.Background(), m, exhaustive, explore.Options{})
		if err != nil || whole.Stopped != explore.StoppedComplete {
			continue
		}
		r, err := simulate.Run(context.Background(), m,
			simulate.Options{Schedules: 400, Depths: []int{0, 1, 2, 3}, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != explore.Incomplete && r.Verdict != explore.Violated ||
			r.Verdict == explore.Violated && whole.Verdict != explore.Violated {
			t.Errorf("seed %d: verdict %s, of the search %s", seed, r.Verdict, whole.Verdict)
		}
		if r.Schedules != 400 || r.Executions+r.Dropped != 400 {
			t.Errorf("seed %d: %d schedules, %d executions, %d dropped", seed, r.Schedules, r.Executions, r.Dropped)
		}
		if more := explore.Missing(r.Violations, whole.Violations); len(more) > 0 {
			t.Errorf("seed %d: %s, which the search does not find", seed, more[0].Kind)
		}
		for _, v := range r.Violations {
			wrong++
			shown, err := explore.Judge(m, v.Schedule)
			if err != nil || len(explore.Missing([]*explore.Violation{v}, shown)) > 0 {
				t.Errorf("seed %d: schedule %v does not show the %s", seed, v.Schedule, v.Kind)
			}
		}
		for _, ends := range [][2]explore.OutcomeSet{{r.Outcomes, whole.Outcomes}, {r.Deadlocks, whole.Deadlocks}} {
			for _, o := range ends[0].All() {
				if !slices.ContainsFunc(words(ends[1]), func(w []int64) bool { return slices.Equal(w, o.Words) }) {
					t.Errorf("seed %d: the search has no end with %v", seed, o.Words)
				}
			}
		}
		if r.Outcomes.Len() == whole.Outcomes.Len() && r.Deadlocks.Len() == whole.Deadlocks.Len() {
			all++
		}
	}
	if t.Logf("all ends of %d programs, %d violations", all, wrong); all < 75 || wrong < 20 {
		t.Errorf("all ends of %d programs only, or %d violations only", all, wrong)
	}
}

func words(list explore.OutcomeSet) (all [][]int64) {
	for _, o := range list.All() {
		all = append(all, o.Words)
	}
	return all
}

// TestReproducible: equal seeds give equal schedules, others do not.
func TestReproducible(t *testing.T) {
	m := machine(t, bugs[2].text)
	run := func(seed int64) (schedule []int32) {
		r, err := simulate.Run(context.Background(), m,
			simulate.Options{Schedules: 50, Depths: []int{0, 3}, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range r.Outcomes.All() {
			schedule = append(schedule, o.Schedule...)
		}
		return schedule
	}
	if !slices.Equal(run(1), run(1)) || slices.Equal(run(1), run(2)) {
		t.Error("seeds do not decide")
	}
}

// TestBounds: a thread that never ends is cut, the budget and the first violation end a simulation, and nothing is said
// about probability where an execution was cut or nothing was drawn by PCT.
func TestBounds(t *testing.T) {
	endless := machine(t, "cdpor: 1\nshared: {x: int}\nthreads:\n  A: while true { x = 1 }\n  B: assert x == 0\n")
	r, err := simulate.Run(context.Background(), endless,
		simulate.Options{Schedules: 10, Depths: []int{2}, MaxEvents: 50})
	if err != nil || r.Cut != 10 || r.MaxDepth > 50 || r.Bound() != 0 || r.Executions != 0 {
		t.Errorf("endless: %+v, %v", r.Result, err)
	}
	r, err = simulate.Run(context.Background(), endless, simulate.Options{Schedules: 1000, Budget: 100})
	if err != nil || r.Events > 100 || r.Schedules != 1 {
		t.Errorf("budget: %d events in %d schedules, %v", r.Events, r.Schedules, err)
	}
	r, err = simulate.Run(context.Background(), endless,
		simulate.Options{Schedules: 1000, MaxEvents: 20, StopAtFirst: true})
	if err != nil || r.Stopped != explore.StoppedFirst || len(r.Violations) != 1 || r.Schedules == 1000 {
		t.Errorf("first: %+v, %v", r.Result, err)
	}
	b := bugs[2]
	r, err = simulate.Run(context.Background(), machine(t, b.text),
		simulate.Options{Schedules: 100, Depths: []int{2}, Seed: 1})
	if err != nil || r.Length != b.length || r.Bounded >= 100 || r.Bounded < 50 ||
		math.Abs(r.Bound()-simulate.Bound(3, b.length, 2, r.Bounded)) > 1e-12 {
		t.Errorf("bound: %d schedules with k = %d, %v, %v", r.Bounded, r.Length, r.Bound(), err)
	}
	if p := simulate.Bound(3, 10, 2, 1); math.Abs(p-1.0/30) > 1e-12 {
		t.Errorf("1/(3*10) is %v", p)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err = simulate.Run(ctx, endless, simulate.Options{Schedules: 10})
	if err != nil || r.Stopped != explore.StoppedContext || r.Verdict != explore.Incomplete {
		t.Errorf("interrupted: %+v, %v", r.Result, err)
	}
}
