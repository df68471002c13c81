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
			if q.goal != nil {
				continue // it is followed as far as it can run
			}
			if at := x.findImpossible(s, q.actions); at >= 0 {
				return fmt.Errorf("depth %d: the sleep sequence %v cannot run: action %d is not possible there", d, q.actions, q.actions[at])
			}
		}
		if err := x.validatePlans(n, s); err != nil {
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

// validatePlans checks what is planned from a node, whose state is s: every sequence can run, so that every action of a
// wakeup tree has a step where the tree is walked.
func (x *search) validatePlans(n *node, s step.State) error {
	if x.planner == nil {
		return nil
	}
	x.hold(n)
	defer x.release(n)
	err := x.planner.validatePlans(n)
	x.planner.sequences(n, func(sequence []int32) {
		if at := x.findImpossible(s, sequence); at >= 0 && err == nil {
			err = fmt.Errorf("the planned sequence %v cannot run: action %d is not possible there", sequence, sequence[at])
		}
	})
	return err
}

// findImpossible is the position of the first action of a sequence that cannot be taken when it runs from a state, -1
// if it runs to its end.
func (x *execution) findImpossible(s step.State, sequence []int32) int {
	s = slices.Clone(s)
	for i, a := range sequence {
		if !x.run.CanTake(s, int(a)) {
			return i
		}
		x.run.Take(s, int(a))
	}
	return -1
}
