package reversal

import (
	"slices"

	"cdpor/explore/internal/happens"
	"cdpor/lang/step"
)

// A Running is a sequence whose order is found by running it. What is left of it can be taken in any order that agrees
// with that.
type Running struct {
	x        *happens.Execution
	State    step.State // before what is left
	Possible bool       // what is left can run
	actions  []int32    // left
	with     []int32    // scratch
	order    Order      // of what is left
	other    Order
}

// Begin begins with a sequence of actions from a stack position, and reports whether it can run.
func (s *Running) Begin(x *happens.Execution, i int, actions []int32) bool {
	s.x, s.State, s.actions = x, append(s.State[:0], x.Levels[i].State...), append(s.actions[:0], actions...)
	s.Possible = s.order.Run(x, s.State, s.actions)
	return s.Possible
}

// Weak tells whether an action is a weak initial of what is left, and at which place it is, -1 if it is not in it.
func (s *Running) Weak(a int) (at int, yes bool) {
	x := s.x
	at = slices.IndexFunc(s.actions, func(b int32) bool { return x.Machine.ProcOf(int(b)) == x.Machine.ProcOf(a) })
	if at >= 0 {
		return at, int(s.actions[at]) == a && s.order.First(at)
	}
	s.with = append(append(s.with[:0], int32(a)), s.actions...)
	if !s.other.Run(x, s.State, s.with) {
		return at, false
	}
	for k := 1; k < len(s.with); k++ {
		if s.other.Has(k, 0) {
			return at, false
		}
	}
	return at, true
}

// Follow takes an action, which is at a place or not in what is left, and reports whether anything is left.
func (s *Running) Follow(a, at int) (more bool) {
	if at >= 0 {
		s.actions = slices.Delete(s.actions, at, at+1)
	}
	s.x.Runner.Take(s.State, a)
	s.Possible = s.order.Run(s.x, s.State, s.actions)
	return len(s.actions) > 0
}

// Rest are the actions that are left.
func (s *Running) Rest() []int32 { return s.actions }
