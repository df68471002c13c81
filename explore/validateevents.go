package explore

import (
	"fmt"
	"slices"

	"cdpor/lang/step"
)

// validateAccesses checks that the lists of accesses are those of the stack.
func (x *execution) validateAccesses() error {
	a := &x.accesses
	a.follow(x)
	for d, known := range a.events {
		e := &x.Levels[d].event
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
	counts := x.Levels[d+1].counts
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
		f := &x.Levels[j].event
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
		base = x.Levels[e.base].event.clock
	}
	for p, k := range e.clock {
		if p != e.proc && k != base[p] {
			return fmt.Errorf("depth %d: the past %v does not go back to event %d: %v", d, e.clock, e.base, base)
		}
	}
	return nil
}
