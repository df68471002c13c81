package explore

import (
	"context"
	"math/rand"
	"slices"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/executions"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/reversal"
	"cdpor/lang/random"
	"cdpor/lang/step"
)

// TestReversal compares what a reversal says about weak initials with the definition (POPL'14, section 4), applied to
// the sequence written out, on executions of random programs, and while actions are taken one after the other.
func TestReversal(t *testing.T) {
	asked, weak := 0, 0
	for i := range int64(1000) {
		rng := rand.New(rand.NewSource(*seed + i))
		m, err := load(random.Program(rng, random.Draw(rng)))
		if err != nil {
			t.Fatal(err)
		}
		x, err := executions.New(context.Background(), m, dpor.OptimalAlgorithm, Options{})
		if err != nil {
			t.Fatal(err)
		}
		runAtRandom(x, rng)
		v := &x.Strategy.(*dpor.Optimal).Clocked.Reversal
		for d := range x.Depth {
			lv := x.Stack[d]
			if lv.Event.Guarded || m.Info(lv.Event.ID).Refinable {
				continue
			}
			for _, e := range lv.Races {
				v.Begin(x.Execution, int(e), d)
				for more := true; more; {
					var initials []int
					for a := range m.NumActions() {
						if !runnerOf(x).CanTake(v.State(x.Execution), a) {
							continue
						}
						at, yes := v.Weak(x.Execution, a)
						if asked++; yes != weakInitial(x, v, a) {
							t.Fatalf("program %d, race of %d with %d, after %v: action %d, in v at %d: %t",
								*seed+i, e, d, v.Path, a, at, yes)
						}
						if yes {
							initials = append(initials, a)
						}
					}
					if len(initials) == 0 {
						break
					}
					weak++
					a := initials[rng.Intn(len(initials))]
					at, _ := v.Weak(x.Execution, a)
					if more = v.Follow(x.Execution, a, at); more != (len(v.Rest(x.Execution, nil)) > 0) {
						t.Fatalf("program %d, race of %d with %d, after %v: anything left: %t",
							*seed+i, e, d, v.Path, more)
					}
				}
			}
		}
	}
	if asked < 10_000 || weak < 1000 {
		t.Errorf("only %d questions and %d actions taken", asked, weak)
	}
}

// runAtRandom goes through an execution.
func runAtRandom(x *executions.Search, rng *rand.Rand) {
	for x.Depth < 100 {
		lv := x.Stack[x.Depth]
		var able []int
		for a := range machineOf(x).NumActions() {
			if runnerOf(x).CanTake(lv.State, a) {
				able = append(able, a)
			}
		}
		if len(able) == 0 {
			return
		}
		_, races := x.Execute(able[rng.Intn(len(able))])
		x.Strategy.(*dpor.Optimal).Remember(&x.Search, races)
		x.Depth++
	}
}

// weakInitial is the definition: what is left of v begins with the action, or is independent of it.
func weakInitial(x *executions.Search, v *reversal.Reversal, a int) bool {
	var left []int
	for j := v.E + 1; j < x.Depth; j++ {
		f := &x.Stack[j].Event
		if j != v.N && !happens.Covers(f.Clock, &x.Stack[v.E].Event) && !happens.Covers(v.Taken, f) {
			left = append(left, j)
		}
	}
	if !happens.Covers(v.Taken, &x.Stack[v.N].Event) {
		left = append(left, v.N)
	}
	mv := x.RefinedMove(v.State(x.Execution), a, make(step.Footprint, machineOf(x).FootprintWords()))
	for k, j := range left {
		f := &x.Stack[j].Event
		if f.Proc == mv.Proc {
			return f.Action == a && !slices.ContainsFunc(left[:k], func(b int) bool {
				return happens.Covers(f.Clock, &x.Stack[b].Event)
			})
		}
	}
	return !slices.ContainsFunc(left, func(j int) bool { return step.Conflict(mv.Foot, x.Stack[j].Event.Foot) })
}
