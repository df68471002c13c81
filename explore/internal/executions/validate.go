package executions

import (
	"fmt"
	"slices"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/actionset"
	"cdpor/lang/step"
)

// Validate checks what must hold of the search state whenever a node has been entered, and names the first thing that
// does not. It costs the length of the execution at every node and is for tests.
func (x *Search) Validate() error {
	x.Work(64 * x.Depth)
	s := slices.Clone(x.levels[0].State)
	at := make([][]int32, x.Procs) // the depths of the events of each process
	for d := 0; d <= x.Depth; d++ {
		lv := x.levels[d]
		n := &lv.Node
		x.Frontier.Lock(n)
		x.Frontier.Unlock(n) // what has been decided there so far
		if !slices.Equal(s, lv.State) {
			return fmt.Errorf("depth %d: the stored state is not what the schedule leads to", d)
		}
		for a := range x.m.NumActions() {
			if n.Enabled.Has(a) != (x.run.CanTake(s, a) && !lv.spun.Has(a)) {
				return fmt.Errorf("depth %d: the enabled set is wrong about action %d", d, a)
			}
		}
		for what, set := range map[string]*actionset.Set{
			"backtrack set": &n.Backtrack, "sleep set": &n.Sleep, "state sleep set": &n.StateSleep,
		} {
			if extra := set.Minus(&n.Enabled); !extra.Empty() {
				return fmt.Errorf("depth %d: the %s has action %d, which is not enabled", d, what, extra.Next(0))
			}
		}
		for _, q := range n.Sequences {
			q := q.Actions
			if at := findImpossible(x.run, s, q); at >= 0 {
				return fmt.Errorf("depth %d: the sleep sequence %v cannot run: action %d is not possible there",
					d, q, q[at])
			}
		}
		if err := validatePlans(x, n, s); err != nil {
			return fmt.Errorf("depth %d: %w", d, err)
		}
		if d == x.Depth {
			break
		}
		if x.Visits != nil {
			if other := lv.slept.Minus(&n.Sleep); !other.Empty() {
				return fmt.Errorf("depth %d: action %d is taken for one that slept there", d, other.Next(0))
			}
		}
		e := &lv.Event
		if x.Frontier.Owns(d) && n.Sleep.Has(e.Action) || n.StateSleep.Has(e.Action) {
			return fmt.Errorf("depth %d: action %d was taken although it is asleep", d, e.Action)
		}
		if x.hb {
			if err := x.ValidateClock(d, e, at); err != nil {
				return err
			}
			at[e.Proc] = append(at[e.Proc], int32(d))
		}
		x.run.Take(s, e.Action)
	}
	return x.ValidateAccesses()
}

// validatePlans checks what is planned from a node, whose state is s: every sequence can run, so that every action of a
// wakeup tree has a step where the tree is walked.
func validatePlans(x *Search, n *dpor.Node, s step.State) error {
	if x.Planner == nil {
		return nil
	}
	x.Frontier.Lock(n)
	defer x.Frontier.Unlock(n)
	err := x.Planner.ValidatePlans(n)
	x.Planner.Sequences(n, func(sequence []int32) {
		if at := findImpossible(x.run, s, sequence); at >= 0 && err == nil {
			err = fmt.Errorf("the planned sequence %v cannot run: action %d is not possible there",
				sequence, sequence[at])
		}
	})
	return err
}

// findImpossible is the position of the first action of a sequence that cannot be taken when it runs from a state, -1
// if it runs to its end.
func findImpossible(run *step.Runner, s step.State, sequence []int32) int {
	s = slices.Clone(s)
	for i, a := range sequence {
		if !run.CanTake(s, int(a)) {
			return i
		}
		run.Take(s, int(a))
	}
	return -1
}
