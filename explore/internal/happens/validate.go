package happens

import (
	"fmt"
	"slices"

	"cdpor/lang/step"
)

// ValidateAccesses checks that the lists of accesses are those of the stack.
func (x *Execution) ValidateAccesses() error {
	a := &x.Accesses
	a.Follow(x)
	for d, known := range a.events {
		e := &x.Levels[d].Event
		if known.proc != e.Proc {
			return fmt.Errorf("depth %d: the event of process %d is listed as one of process %d", d, e.Proc, known.proc)
		}
		list := a.memory[known.from:]
		if d+1 < len(a.events) {
			list = a.memory[known.from:a.events[d+1].from]
		}
		foot := make(step.Footprint, len(e.Foot))
		for _, at := range list {
			foot[at.location>>6] |= 1 << (at.location & 63)
			if at.writes {
				foot[len(foot)/2+at.location>>6] |= 1 << (at.location & 63)
			}
		}
		if !slices.Equal(foot, e.Foot) {
			return fmt.Errorf("depth %d: the event with the footprint %x is listed with %x", d, e.Foot, foot)
		}
	}
	return nil
}

// ValidateClock checks that happens-before stays a partial order that contains the order of each process when the event
// at a depth comes behind those before it, which have been checked; at are their depths, by process.
func (x *Execution) ValidateClock(d int, e *Event, at [][]int32) error {
	counts := x.Levels[d+1].Counts
	if e.Index != counts[e.Proc] || e.Clock[e.Proc] != e.Index {
		return fmt.Errorf("depth %d: event %d of process %d has number %d and clock %v",
			d, counts[e.Proc], e.Proc, e.Index, e.Clock)
	}
	last := -1
	for p, k := range e.Clock {
		if k > counts[p] {
			return fmt.Errorf("depth %d: the clock %v covers events that have not happened: %v", d, e.Clock, counts)
		}
		if p == e.Proc {
			k--
		}
		if k == 0 {
			continue
		}
		j := int(at[p][k-1]) // the last one of the process that happens before; its past contains those of the others
		last = max(last, j)
		for q, k := range x.Levels[j].Event.Clock {
			if k > e.Clock[q] {
				return fmt.Errorf("happens-before is not transitive: %d before %d, clocks %v and %v",
					j, d, x.Levels[j].Event.Clock, e.Clock)
			}
		}
	}
	if int(e.Last) != last {
		return fmt.Errorf("depth %d: the last event before is taken to be that at %d, not %d", d, e.Last, last)
	}
	if e.base == mixed {
		return nil
	}
	base := x.Nothing
	if e.base >= 0 {
		base = x.Levels[e.base].Event.Clock
	}
	for p, k := range e.Clock {
		if p != e.Proc && k != base[p] {
			return fmt.Errorf("depth %d: the past %v does not go back to event %d: %v", d, e.Clock, e.base, base)
		}
	}
	return nil
}
