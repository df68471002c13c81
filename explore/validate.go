package explore

import (
	"fmt"
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/lang/step"
)

// validate checks what must hold of the search state whenever a node has been entered, and names the first thing that
// does not. It costs the length of the execution at every node and is for tests.
func (x *search) validate() error {
	x.work(64 * x.depth)
	s := slices.Clone(x.levels[0].state)
	for d := 0; d <= x.depth; d++ {
		lv := x.levels[d]
		n := &lv.node
		x.hold(n)
		x.release(n) // what has been decided there so far
		if !slices.Equal(s, lv.state) {
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
		if d == x.depth {
			break
		}
		e := &lv.event
		if n.shared == nil && n.sleep.Has(e.action) || n.stateSleep.Has(e.action) {
			return fmt.Errorf("depth %d: action %d was taken although it is asleep", d, e.action)
		}
		if x.hb {
			if err := x.validateClock(d, e); err != nil {
				return err
			}
		}
		x.run.Take(s, e.action)
	}
	return x.validateAccesses()
}

// validateAccesses checks that the lists of accesses are those of the stack.
func (x *execution) validateAccesses() error {
	a := &x.accesses
	a.follow(x)
	for d, known := range a.events {
		e := &x.levels[d].event
		if known.proc != e.proc {
			return fmt.Errorf("depth %d: the event of process %d is listed as one of process %d", d, e.proc, known.proc)
		}
		list := a.memory[known.from:]
		if d+1 < len(a.events) {
			list = a.memory[known.from:a.events[d+1].from]
		}
		foot := make(step.Footprint, len(e.foot))
		for _, at := range list {
			foot[at.location>>6] |= 1 << (at.location & 63)
			if at.writes {
				foot[len(foot)/2+at.location>>6] |= 1 << (at.location & 63)
			}
		}
		if !slices.Equal(foot, e.foot) {
			return fmt.Errorf("depth %d: the event with the footprint %x is listed with %x", d, e.foot, foot)
		}
	}
	return nil
}

// validateClock checks that happens-before is a partial order on the stack that contains the order of each process.
func (x *execution) validateClock(d int, e *event) error {
	counts := x.levels[d+1].counts
	if e.index != counts[e.proc] || e.clock[e.proc] != e.index {
		return fmt.Errorf("depth %d: event %d of process %d has number %d and clock %v", d, counts[e.proc], e.proc, e.index, e.clock)
	}
	for p, k := range e.clock {
		if k > counts[p] {
			return fmt.Errorf("depth %d: the clock %v covers events that have not happened: %v", d, e.clock, counts)
		}
	}
	last := -1
	for j := range d {
		f := &x.levels[j].event
		if !covers(e.clock, f) {
			continue
		}
		last = j
		for p, k := range f.clock {
			if k > e.clock[p] {
				return fmt.Errorf("happens-before is not transitive: %d before %d, clocks %v and %v", j, d, f.clock, e.clock)
			}
		}
	}
	if int(e.last) != last {
		return fmt.Errorf("depth %d: the last event before is taken to be that at %d, not %d", d, e.last, last)
	}
	if e.base == mixed {
		return nil
	}
	base := x.none
	if e.base >= 0 {
		base = x.levels[e.base].event.clock
	}
	for p, k := range e.clock {
		if p != e.proc && k != base[p] {
			return fmt.Errorf("depth %d: the past %v does not go back to event %d: %v", d, e.clock, e.base, base)
		}
	}
	return nil
}

func (x *search) validatePlans(n *node) error {
	if x.planner == nil {
		return nil
	}
	x.hold(n)
	defer x.release(n)
	return x.planner.validatePlans(n)
}
