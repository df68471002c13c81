package explore

import (
	"math/rand"
	"slices"
	"testing"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/program"
	"cdpor/lang/step"
)

// TestCausality holds what happens immediately before a step against its definition, for footprints: the closure of
// what is reported must be all that a chain of conflicts leads to, and nothing that is reported may follow from the
// rest.
func TestCausality(t *testing.T) {
	for _, name := range []string{"producer-consumer", "bakery", "peterson", "mcs-lock"} {
		m := shipped(t, name, nil)
		rng := rand.New(rand.NewSource(1))
		c, err := NewCausality(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			c.Back(0)
			checkCausality(t, name, m, c, rng)
		}
	}
}

func checkCausality(t *testing.T, name string, m *step.Machine, c *Causality, rng *rand.Rand) {
	r := m.NewRunner()
	var procs []int
	var feet []step.Footprint
	var past []map[int]bool // what happens before each step
	for len(procs) < 60 {
		var enabled actionset.Set
		program.FindEnabled(m, r, c.x.Stack[c.x.Depth].State, &enabled, &actionset.Set{})
		if enabled.Empty() {
			return
		}
		all := actionset.Members[int](&enabled, nil)
		a := all[rng.Intn(len(all))]
		p := m.ProcOf(a)
		before := slices.Clone(c.x.Stack[c.x.Depth].State)
		foot := r.Footprint(before, p, make(step.Footprint, m.FootprintWords())).Clone()
		got := c.Take(a)
		if id := m.StepID(before, p); m.Info(id).Refinable && m.Unwritten(before, c.x.Stack[c.x.Depth].State, p) {
			foot = foot.ReadOnly(make(step.Footprint, m.FootprintWords()))
		}
		want, closed, own := map[int]bool{}, map[int]bool{}, -1
		add := func(set map[int]bool, j int) {
			set[j] = true
			for k := range past[j] {
				set[k] = true
			}
		}
		for j := range procs {
			if procs[j] == p {
				own = j
			}
			if procs[j] == p || step.Conflict(feet[j], foot) {
				add(want, j)
			}
		}
		if own >= 0 {
			add(closed, own)
		}
		for _, j := range slices.Backward(got) {
			if procs[j] == p || closed[j] {
				t.Fatalf("%s: %v happen immediately before step %d, "+
					"but %d is by the same process or before another of them", name, got, len(procs), j)
			}
			add(closed, j)
		}
		if len(closed) != len(want) {
			t.Fatalf("%s: before step %d comes %v, not %v", name, len(procs), closed, want)
		}
		procs, feet, past = append(procs, p), append(feet, foot), append(past, want)
	}
}
