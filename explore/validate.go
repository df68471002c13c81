package explore

import (
	"fmt"
	"slices"

	"cdpor/explore/internal/actionset"
)

// validate checks what must hold of the search state whenever a node has been entered, and names the first thing that
// does not. It costs the length of the execution at every node and is for tests.
func (x *search) validate() error {
	x.Work(64 * x.Depth)
	s := slices.Clone(x.levels[0].State)
	for d := 0; d <= x.Depth; d++ {
		lv := x.levels[d]
		n := &lv.node
		x.hold(n)
		x.release(n) // what has been decided there so far
		if !slices.Equal(s, lv.State) {
			return fmt.Errorf("depth %d: the stored state is not what the schedule leads to", d)
		}
		for a := range x.m.NumActions() {
			if n.enabled.Has(a) != x.run.CanTake(s, a) {
				return fmt.Errorf("depth %d: the enabled set is wrong about action %d", d, a)
			}
		}
		for what, set := range map[string]*actionset.Set{"backtrack set": &n.backtrack, "sleep set": &n.sleep, "state sleep set": &n.stateSleep} {
			if extra := set.Minus(&n.enabled); !extra.Empty() {
				return fmt.Errorf("depth %d: the %s has action %d, which is not enabled", d, what, extra.Next(0))
			}
		}
		for _, q := range n.sequences {
			if q.goal == nil && !n.enabled.Has(int(q.actions[0])) {
				return fmt.Errorf("depth %d: sleep sequence %v cannot begin", d, q.actions)
			}
		}
		if err := x.validatePlans(n); err != nil {
			return fmt.Errorf("depth %d: %w", d, err)
		}
		if d == x.Depth {
			break
		}
		e := &lv.Event
		if n.shared == nil && n.sleep.Has(e.Action) || n.stateSleep.Has(e.Action) {
			return fmt.Errorf("depth %d: action %d was taken although it is asleep", d, e.Action)
		}
		if x.hb {
			if err := x.ValidateClock(d, e); err != nil {
				return err
			}
		}
		x.run.Take(s, e.Action)
	}
	return x.ValidateAccesses()
}

func (x *search) validatePlans(n *node) error {
	if x.planner == nil {
		return nil
	}
	x.hold(n)
	defer x.release(n)
	return x.planner.validatePlans(n)
}
