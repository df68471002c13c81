package explore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/executions"
	"cdpor/explore/internal/happens"
	"cdpor/explore/oracle"
	"cdpor/lang/random"
	"cdpor/lang/step"
)

// referencePath leaves every fast path out.
var referencePath = happens.FastPaths{Plain: true, Lookup: true, Predict: true, Clocks: true, Ledger: true,
	Counts: true}

func drawFastPaths(rng *rand.Rand) happens.FastPaths {
	some := func() bool { return rng.Intn(2) == 0 }
	return happens.FastPaths{Plain: some(), Lookup: some(), Predict: some(), Clocks: some(), Ledger: some(),
		Counts: some()}
}

// drawConditions are none, or for a program with few states those that hold there (table_test.go).
func drawConditions(m *step.Machine, rng *rand.Rand) Conditions {
	if rng.Intn(2) == 0 {
		return nil
	}
	t, err := newTable(m, rng, 500)
	if err != nil {
		return nil
	}
	return t
}

// eachProgram calls a function with so many random programs, but those that have too many actions.
func eachProgram(t *testing.T, n int, f func(seed int64, rng *rand.Rand, text string, m *step.Machine)) {
	t.Helper()
	for i := range int64(n) {
		rng := rand.New(rand.NewSource(*seed + i))
		text := random.Program(rng, random.Draw(rng))
		m, err := load(text)
		if err != nil {
			t.Fatal(err)
		}
		if m.NumActions() <= MaxActions {
			f(*seed+i, rng, text, m)
		}
	}
}

// TestFastPaths holds clocks and races, of every step of random executions and of every step that is disabled on the
// way, against those that the reference path finds.
func TestFastPaths(t *testing.T) {
	events, blocked, found, hidden, removed := 0, 0, 0, 0, 0
	eachProgram(t, *programs, func(seed int64, rng *rand.Rand, text string, m *step.Machine) {
		x := standing(t, m, drawConditions(m, rng))
		taking := false
		x.Removed = func(int, *happens.Transition) {
			if taking {
				removed++
			}
		}
		for x.Depth < 40 {
			lv := x.Stack[x.Depth]
			var able []int
			for p := range x.Procs {
				id := m.StepID(lv.State, p)
				if id < 0 {
					continue
				}
				a := m.FirstAction(p)
				if runnerOf(x).Enabled(lv.State, p) {
					for k := range runnerOf(x).Alternatives(lv.State, p).All() {
						able = append(able, a+k)
					}
					continue
				}
				x.Describe(&x.Idle, lv.State, a, make(step.Footprint, machineOf(x).FootprintWords()))
				blocked++
				if err := comparePaths(x, &x.Idle, rng); err != nil {
					t.Fatalf("seed %d, process %d, disabled after %v: %v\n%s", seed, p, x.Schedule(nil), err, text)
				}
			}
			if len(able) == 0 {
				break
			}
			taking = true
			_, races := x.Execute(able[rng.Intn(len(able))])
			taking = false
			for _, r := range races {
				if found++; r.Hidden {
					hidden++
				}
			}
			events++
			if err := comparePaths(x, &lv.Event.Transition, rng); err != nil {
				t.Fatalf("seed %d, event of process %d after %v: %v\n%s",
					seed, lv.Event.Proc, x.Schedule(nil), err, text)
			}
			x.Depth++
		}
	})
	t.Logf("%d events with %d races, %d hidden ones, and %d disabled steps; %d races removed",
		events, found, hidden, blocked, removed)
	if *programs >= 1000 && (events < 2500 || found < 1000 || hidden < 2 || blocked < 500 || removed < 250) {
		t.Error("too few to tell")
	}
}

// comparePaths finds what happens before the next step of a search in several ways.
func comparePaths(x *executions.Search, n *happens.Transition, rng *rand.Rand) error {
	p := happens.Past{Clock: make([]int32, x.Procs)}
	ask := func(without happens.FastPaths) string {
		x.Without = without
		races := x.FindRaces(n, &p)
		text := fmt.Sprint("clock ", p.Clock, ", last ", p.Last, ", races")
		for _, r := range races {
			text += fmt.Sprintf(" %d: hidden %t, apart %t, first %t", r.At, r.Hidden, r.Apart, !r.Hidden && r.First)
			if n.Guarded {
				text += fmt.Sprint(", via ", r.Via)
			}
		}
		for i := range races {
			if at := races[i].At; n.Guarded {
				x.Accesses.Follow(x.Execution)
				if x.FindNonDisablingSuffix(at, n) {
					text += fmt.Sprint("; without ", x.Disabling, " it can run before ", at)
				}
			}
		}
		return text
	}
	defer func() { x.Without, x.Accesses.Few = happens.FastPaths{}, happens.Few }()
	want := ask(referencePath)
	for range 3 {
		without := drawFastPaths(rng)
		x.Accesses.Few = rng.Intn(happens.Few + 1)
		if got := ask(without); got != want {
			return fmt.Errorf("without %+v and with few %d: %s; but the reference path finds %s",
				without, x.Accesses.Few, got, want)
		}
	}
	return nil
}

// standing is a search that stands at the initial state.
func standing(t *testing.T, m *step.Machine, conditions Conditions) *executions.Search {
	t.Helper()
	a := *dpor.OptimalAlgorithm
	x, err := executions.New(context.Background(), m, &a, Options{Conditions: conditions})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestFastPathsOfSearches holds whole searches of random programs, with fast paths left out at random, against those
// by the reference path: their outcomes, failures and counts are the same.
func TestFastPathsOfSearches(t *testing.T) {
	searches := 0
	constrainedSource := *dpor.SourceAlgorithm
	constrainedSource.Constraints = true
	eachProgram(t, min(*programs, 400), func(seed int64, rng *rand.Rand, text string, m *step.Machine) {
		if _, err := oracle.Search(m, 500); err != nil {
			return
		}
		conditions := drawConditions(m, rng)
		for _, a := range []*Algorithm{
			&constrainedSource, dpor.ClassicAlgorithm, dpor.OptimalAlgorithm, dpor.ContextAlgorithm,
			dpor.ConstrainedAlgorithm,
		} {
			opt := Options{Conditions: conditions, MaxExecutions: maxExecutions, Validate: rng.Intn(4) == 0,
				Visited: a.Visits && rng.Intn(3) == 0}
			want, err := searchWithout(m, a, opt, referencePath, happens.Few)
			if errors.Is(err, oracle.ErrLimit) {
				continue
			} else if err != nil {
				t.Fatalf("seed %d, %s by the reference path: %v\n%s", seed, a.Name, err, text)
			}
			for _, without := range []happens.FastPaths{{}, drawFastPaths(rng)} {
				searches++
				got, err := searchWithout(m, a, opt, without, rng.Intn(happens.Few+1))
				if err != nil {
					t.Fatalf("seed %d, %s without %+v: %v\n%s", seed, a.Name, without, err, text)
				}
				if !maps.Equal(got, want) {
					t.Fatalf("seed %d, %s, constraints %t, without %+v: %v, but by the reference path %v\n%s",
						seed, a.Name, conditions != nil, without, got, want, text)
				}
			}
		}
	})
	t.Logf("%d searches", searches)
	if *programs >= 400 && searches < 2000 {
		t.Error("too few to tell")
	}
}

// searchWithout searches without some fast paths and says what has been found, and how often.
func searchWithout(m *step.Machine, a *Algorithm, opt Options,
	without happens.FastPaths, few int) (map[string]int64, error) {
	found := map[string]int64{}
	opt.Terminal = func(s step.State) { found[fmt.Sprint("end ", s)]++ }
	x, err := executions.New(context.Background(), m, a, opt)
	if err != nil {
		return nil, err
	}
	x.Without, x.Accesses.Few = without, few
	x.Begin()
	res, err := x.Conclude()
	switch {
	case err != nil:
		return nil, err
	case res.Stopped != StoppedComplete:
		return nil, oracle.ErrLimit
	}
	for _, v := range res.Violations {
		found[fmt.Sprint("failure ", v.Kind, v.Proc, v.Fault, v.Property != nil)]++
	}
	for name, n := range map[string]int64{"executions": res.Executions, "events": res.Events, "races": res.Races,
		"blocked": res.Blocked, "virtual": res.Virtual, "compensated": res.Compensated, "sequences": res.Sequences} {
		found[name] = n
	}
	return found, nil
}
