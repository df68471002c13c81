package reversal

import (
	"slices"

	"cdpor/explore/internal/happens"
	"cdpor/lang/step"
)

// A Selected is a sequence of events of the stack that are chosen from those above a position, closed under
// happens-before there, and then a transition n. Of a program that is really run each question about a state that no
// execution has come to costs one, so it is told from clocks and footprints: n, and an action that is not in the
// sequence, count as steps that touch all they may. What is a weak initial then is one.
type Selected struct {
	x     *happens.Execution
	from  int
	n     happens.Transition
	wide  step.Footprint // of n
	joins int            // stack position of what n comes behind, -1
	ends  bool           // n has been taken
	left  []int32        // stack positions, ascending
	first []int32        // per process: the index of its first event that is left, 0: there is none
	path  []int32        // actions taken
	now   step.State     // what the first ran of path lead to
	ran   int
	rest  []int32
}

// Begin begins with the events at some positions above another one, behind which n comes; joins is the position of what
// that has to wait for, -1 if there is none.
func (s *Selected) Begin(x *happens.Execution, from int, positions []int32, n *happens.Transition, joins int) {
	s.x, s.from, s.n, s.joins, s.ends = x, from, *n, joins, false
	s.wide = append(s.wide[:0], x.Guards.Widest(n)...)
	s.left = append(s.left[:0], positions...)
	s.first = slices.Grow(s.first[:0], x.Procs)[:x.Procs]
	clear(s.first)
	for _, j := range slices.Backward(s.left) {
		s.first[s.event(j).Proc] = s.event(j).Index
	}
	s.path, s.ran = s.path[:0], 0
}

func (s *Selected) event(j int32) *happens.Event { return &s.x.Levels[j].Event }

// Weak tells whether an action is a weak initial of what is left. at is the place of the next step of its process in
// that, -1 if it has none there.
func (s *Selected) Weak(a int) (at int, yes bool) {
	s.x.Work(len(s.left) + 1)
	proc := s.x.Machine.ProcOf(a)
	switch at = slices.IndexFunc(s.left, func(j int32) bool { return s.event(j).Proc == proc }); {
	case at >= 0:
		e := s.event(s.left[at])
		return at, e.Action == a && s.initial(e)
	case proc == s.n.Proc && !s.ends:
		joins := s.joins >= 0 && slices.Contains(s.left, int32(s.joins))
		return len(s.left), s.n.Action == a && !joins && !s.meets(s.wide)
	}
	foot := s.footprint(a)
	return -1, !s.meets(foot) && (s.ends || !step.Conflict(foot, s.wide))
}

// initial reports whether nothing that is left happens before an event that is.
func (s *Selected) initial(e *happens.Event) bool {
	for p, c := range e.Clock {
		if first := s.first[p]; first != 0 && c >= first && p != e.Proc {
			return false
		}
	}
	return true
}

// meets reports whether an event that is left conflicts with a footprint.
func (s *Selected) meets(foot step.Footprint) bool {
	return slices.ContainsFunc(s.left, func(j int32) bool { return step.Conflict(s.event(j).Foot, foot) })
}

// footprint is that of an action that is not in the sequence.
func (s *Selected) footprint(a int) step.Footprint {
	x, before := s.x, s.x.Levels[s.from].State
	proc := x.Machine.ProcOf(a)
	id := x.Machine.StepID(before, proc)
	moved := slices.ContainsFunc(s.path, func(b int32) bool { return x.Machine.ProcOf(int(b)) == proc })
	if id >= 0 && !moved && (x.Machine.Info(id).Fixed || len(s.path) == 0) {
		return x.Machine.Info(id).Widest
	}
	if s.ran == 0 {
		s.now = append(s.now[:0], before...)
	}
	for _, b := range s.path[s.ran:] {
		x.Runner.Take(s.now, int(b))
	}
	s.ran = len(s.path)
	return x.Runner.Footprint(s.now, proc, nil)
}

// Follow takes an action, which is at a place or not in what is left, and reports whether anything is left.
func (s *Selected) Follow(a, at int) (more bool) {
	s.path = append(s.path, int32(a))
	switch {
	case at < 0:
	case at == len(s.left):
		s.ends = true
	default:
		proc := s.event(s.left[at]).Proc
		s.left = slices.Delete(s.left, at, at+1)
		s.first[proc] = 0
		if k := slices.IndexFunc(s.left, func(j int32) bool { return s.event(j).Proc == proc }); k >= 0 {
			s.first[proc] = s.event(s.left[k]).Index
		}
	}
	return len(s.left) > 0 || !s.ends
}

// Rest are the actions that are left.
func (s *Selected) Rest() []int32 {
	s.rest = s.rest[:0]
	for _, j := range s.left {
		s.rest = append(s.rest, int32(s.event(j).Action))
	}
	if !s.ends {
		s.rest = append(s.rest, int32(s.n.Action))
	}
	return s.rest
}
