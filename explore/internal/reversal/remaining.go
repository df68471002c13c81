package reversal

import (
	"slices"

	"cdpor/explore/internal/happens"
	"cdpor/lang/step"
)

// A Remaining is what is left of a sequence of actions that runs from some state, while its initials are taken one by
// one, under a relation that does not depend on the state: then the order among its events stays as it is, and they are
// run only once. Which happens before which is not found out in advance: most pairs are never asked for.
type Remaining struct {
	x     *happens.Execution
	order Order   // its relation is not used
	taken []int32 // clock: what has been taken of it
	left  int
	path  []int32    // actions taken, those that are not in it but independent of it included
	now   step.State // what they lead to
	ran   int        // how many of them now has seen
	foot  step.Footprint
	rest  []int32
}

// Begin begins with a sequence, and reports whether it runs and its relation is one that does not depend on the state.
func (v *Remaining) Begin(x *happens.Execution, from step.State, actions []int32) bool {
	if x.Conditions != nil || !v.order.runOnly(x, from, actions) {
		return false
	}
	for k := range v.order.moves {
		if id := v.order.moves[k].ID; x.Machine.Refinable(id) || x.Machine.Selects(id) {
			return false
		}
	}
	v.x, v.left, v.ran = x, len(actions), 0
	v.taken = slices.Grow(v.taken[:0], x.Procs)[:x.Procs]
	clear(v.taken)
	v.path, v.now = v.path[:0], append(v.now[:0], from...)
	return true
}

// has reports whether the event at a position is left.
func (v *Remaining) has(k int) bool { return v.order.index[k] > v.taken[v.order.moves[k].Proc] }

// Weak tells whether an action is a weak initial of what is left, and at which position it stands, -1: at none.
func (v *Remaining) Weak(a int) (at int, yes bool) {
	p := v.x.Machine.ProcOf(a)
	for k := range v.order.moves {
		if v.x.Work(1); v.order.moves[k].Proc == p && v.has(k) {
			return k, v.order.moves[k].Action == a && v.first(k)
		}
	}
	state := v.state()
	if !v.x.Runner.CanTake(state, a) {
		return -1, false
	}
	if v.foot == nil {
		v.foot = make(step.Footprint, v.x.Machine.FootprintWords())
	}
	mv := v.x.RefinedMove(state, a, v.foot)
	for k := range v.order.moves {
		if v.x.Work(1); v.has(k) {
			if judged, _ := v.x.Judge(&mv, &v.order.moves[k]); judged != happens.Independent {
				return -1, false
			}
		}
	}
	return -1, true
}

// first reports whether nothing that is left happens before an event, which is the first one left of its process. It is
// enough to ask which events it depends on itself: what is taken has nothing before it that is left.
func (v *Remaining) first(k int) bool {
	for j := k - 1; j >= 0; j-- {
		if v.x.Work(1); v.has(j) {
			if judged, _ := v.x.Judge(&v.order.moves[j], &v.order.moves[k]); judged != happens.Independent {
				return false
			}
		}
	}
	return true
}

// state is what has been taken leads to.
func (v *Remaining) state() step.State {
	for _, a := range v.path[v.ran:] {
		v.x.Work(1)
		v.x.Runner.Take(v.now, int(a))
	}
	v.ran = len(v.path)
	return v.now
}

// Follow takes an action, which stands at a position or at none, and reports whether anything is left.
func (v *Remaining) Follow(a, at int) (more bool) {
	if v.path = append(v.path, int32(a)); at >= 0 {
		v.taken[v.order.moves[at].Proc]++
		v.left--
	}
	return v.left > 0
}

// Rest are the actions that are left. It is valid until the next call.
func (v *Remaining) Rest() []int32 {
	v.rest = v.rest[:0]
	for k := range v.order.moves {
		if v.has(k) {
			v.rest = append(v.rest, int32(v.order.moves[k].Action))
		}
	}
	return v.rest
}

// Possible reports that what has been followed can run.
func (v *Remaining) Possible() bool { return true }
