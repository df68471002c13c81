package native

import (
	"slices"

	"cdpor/lang/golang/native"
)

// Of two delays of a goroutine, before an event and before its next one, by the same other one, the second is enough
// where nobody touches what the event is about until the goroutine goes on: the event could as well come then, and what
// is executed is the same but for the order of independent operations. That must hold in each execution with further
// delays behind it, and of what others are about to do as well, for that may have to wait for the event.

// A stretch is the actions of others in place of an event of a goroutine until it goes on, in all executions that
// begin so.
type stretch struct {
	proc    int
	from    int            // the number of the event
	touched map[int32]bool // objects, and whether one writes them
	row     int            // the most events that anybody has in a row
}

// note takes up an execution.
func (s *stretch) note(r *native.Record) {
	pending := make([]*native.Operation, len(r.Names)/2+2)
	row, last, back := 0, 0, false
	for i := range r.Steps {
		step := &r.Steps[i]
		if step.Action != 0 {
			if step.Proc != last {
				last, row = step.Proc, 0
			}
			row++
		}
		if i > s.from {
			if back = back || step.Action != 0 && step.Proc == s.proc; back && last != s.proc {
				return
			}
			s.row = max(s.row, row)
		}
		for k := range step.Changes {
			c := &step.Changes[k]
			if pending[c.Proc] = &c.Op; i > s.from && !back && c.Proc != s.proc {
				s.touch(&c.Op)
			}
		}
		if i != s.from {
			continue
		}
		for proc, op := range pending {
			if op != nil && proc != s.proc {
				s.touch(op)
			}
		}
	}
}

func (s *stretch) touch(op *native.Operation) {
	for _, id := range op.Objects {
		s.touched[id] = s.touched[id] || op.Writes()
	}
}

func (s *stretch) join(other *stretch) {
	s.row = max(s.row, other.row)
	for id, writes := range other.touched {
		s.touched[id] = s.touched[id] || writes
	}
}

// covers reports whether a delay of an event of an execution, by the other one that is number k in line, is made up for
// by that of a later one, which the stretch is about: the delay of each event between them is.
func (s *stretch) covers(r *native.Record, event, k int, ops []*native.Operation) bool {
	op, step := ops[event], &r.Steps[event+1]
	if step.Action == 0 || step.Proc != s.proc || op == nil || s.row+s.from-event >= native.MostInRow-1 ||
		!slices.Equal(r.Steps[event].Others[:k+1], r.Steps[event+1].Others[:min(k+1, len(r.Steps[event+1].Others))]) {
		return false
	}
	for _, id := range op.Objects {
		if writes, touched := s.touched[id]; id < 0 || touched && (writes || op.Writes()) {
			return false
		}
	}
	return true
}

// executed are the operations that the events of an execution do, nil where they depend on more than objects.
func executed(r *native.Record) []*native.Operation {
	world := &native.World{}
	pending := make([]*native.Operation, len(r.Names)/2+2)
	ops := make([]*native.Operation, len(r.Steps)-1)
	for i := range r.Steps {
		step := &r.Steps[i]
		if i > 0 && step.Action != 0 {
			if op := pending[step.Proc]; op != nil && op.OfObjects(world) {
				ops[i-1] = op
			}
		}
		for _, o := range step.Objects {
			world.Add(o)
		}
		for k := range step.Changes {
			pending[step.Changes[k].Proc] = &step.Changes[k].Op
		}
	}
	return ops
}
