package slice_test

import (
	"context"
	"fmt"
	"math/rand"
	"testing"

	"cdpor/explore"
	"cdpor/explore/oracle"
	"cdpor/lang/langtest"
	"cdpor/lang/random"
	"cdpor/lang/slice"
	"cdpor/lang/step"
)

// TestExtend makes the schedules of the outcomes of slices schedules of the programs, and looks whether these end
// alike.
func TestExtend(t *testing.T) {
	slicesSeen, extended := 0, 0
	for k := range *programs {
		at := *seed + int64(k)
		rng := rand.New(rand.NewSource(at))
		config := random.Draw(rng)
		text := random.Program(rng, config)
		whole := langtest.Machine(t, "random.yaml", text, nil)
		if graph, err := oracle.Search(whole, maxStates); err != nil || crowded(graph) {
			continue
		}
		for _, v := range whole.Program.Shared {
			if v.Temp || v.Type.Words() == 0 || v.Type.Ref != "" || !v.Type.Scalar() || v.Type.Kind == step.Mutex {
				continue // processes of pools may have other numbers
			}
			c := slice.Join(slice.Variable(v), slice.Deadlocks())
			r, err := slice.New(whole.Program, slice.Deadlock).Slice(c, slice.Context, 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			part, err := step.NewMachine(r.Cut([]*step.Observed{{Name: v.Name, Expr: c.Values[0]}},
				step.Checks{Deadlock: step.DeadlockAllowed}))
			if err != nil {
				t.Fatal(err)
			}
			alg, err := explore.Find("source")
			if err != nil {
				t.Fatal(err)
			}
			res, err := explore.Run(context.Background(), part, alg, explore.Options{MaxExecutions: 50})
			if err != nil {
				t.Fatal(err)
			}
			slicesSeen++
			for _, list := range []explore.OutcomeSet{res.Outcomes, res.Deadlocks} {
				for _, o := range list.All() {
					if err := same(part, whole, v, o.Schedule, r.Extend(part, whole, o.Schedule, true)); err != nil {
						t.Fatalf("seed %d, %s: %v\n%s", at, v.Name, err, text)
					}
					extended++
				}
			}
		}
	}
	t.Logf("%d slices, %d schedules", slicesSeen, extended)
	if extended == 0 {
		t.Error("nothing was extended")
	}
}

// same compares where two schedules lead to.
func same(part, whole *step.Machine, v *step.Var, schedule, extended []int32) error {
	if extended == nil {
		return fmt.Errorf("the schedule %v cannot be extended", schedule)
	}
	ends := func(m *step.Machine, schedule []int32) (step.State, step.Ending) {
		s, r := m.Initial(), m.NewRunner()
		for _, a := range schedule {
			r.Take(s, int(a))
		}
		return s, m.EndingOf(s)
	}
	a, endA := ends(part, schedule)
	b, endB := ends(whole, extended)
	if endA != endB || a[v.Offset] != b[v.Offset] {
		return fmt.Errorf("%v leads to %d (%v), %v to %d (%v)", schedule, a[v.Offset], endA,
			extended, b[v.Offset], endB)
	}
	return nil
}
