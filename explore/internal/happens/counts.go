package happens

import "cdpor/lang/step"

// Counts that a transition waits for, as Wait of a wait group waits for one to become zero. If all that touch the count
// take from it, the same in whatever state, then it is the larger the fewer of them have run; so where it is not too
// small with all of them, the transition needs each. Which of them come before it need not be tried.

// NeedsAll reports whether a transition that is guarded, at a stack position, is disabled as long as any of the events
// at some positions, which may all run before it, has not. The clock covers what happens before it whatever its place.
func (x *Execution) NeedsAll(n *Transition, at int, past []int32, positions []int32) bool {
	if x.Guards != nil {
		return x.Guards.NeedsAll(n, positions)
	}
	if at != x.Depth {
		return false
	}
	count := x.needed(n, past)
	for _, j := range positions {
		if !x.adds(&x.Levels[j].Event.Transition, count) {
			return false
		}
	}
	return count != nil
}

// needed is a count of which a transition at the end of the stack needs all events that touch it, but for those that
// the clock covers; nil if there is none.
func (x *Execution) needed(n *Transition, past []int32) *step.Count {
	awaits := x.Machine.Info(n.ID).Awaits
	if len(awaits) == 0 || x.Without.Counts {
		return nil
	}
	x.Accesses.Follow(x)
	s := x.Levels[x.Depth].State
	for i := range awaits {
		c := &awaits[i]
		if c.Below && s[c.Word] >= c.Bound && x.allAdd(n, c, -1, past) ||
			c.Above && s[c.Word] <= c.Bound && x.allAdd(n, c, 1, past) {
			return c
		}
	}
	return nil
}

// allAdd reports whether all events that touch a count, but for those of the clock, add to it with a sign.
func (x *Execution) allAdd(n *Transition, c *step.Count, sign int64, past []int32) bool {
	for _, j := range x.Accesses.Touches[c.Location] {
		lv := x.Levels[j]
		e, added := &lv.Event, x.Levels[j+1].State[c.Word]-lv.State[c.Word]
		if e.Proc != n.Proc && !Covers(past, e) && (added*sign <= 0 || !x.adds(&e.Transition, c)) {
			return false
		}
	}
	return true
}

// adds reports whether an event adds to a count, the same in whatever state.
func (x *Execution) adds(e *Transition, c *step.Count) bool {
	for _, a := range x.Machine.Info(e.ID).Adds {
		if c != nil && a.Word == c.Word {
			return true
		}
	}
	return false
}
