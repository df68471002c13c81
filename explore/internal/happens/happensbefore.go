package happens

import "cdpor/lang/step"

// A Race is that of a step n with the event at stack position at. Position at+1... of the stack are later events.
type Race struct {
	At int
	// Via stands for events that made n enabled next to the event: those the clock covers and, with Apart, those that
	// do not happen after the event. Hidden marks a race found behind an enabling event (THEORY, "Disabled steps").
	Hidden bool
	Apart  bool
	Via    []int32
	// First tells, for a race that is not hidden, that no event after At happens before n.
	First bool
}

// HappensBefore appends the transition n of a process to the present stack: it fills p with the events that happen
// before n and returns the races of n, latest first. The result is valid until the next call.
//
// This is POPL'14's happens-before with the state-dependent relation of THEORY, "Happens-before": an event e and n are
// compared in the state in which they would stand next to each other, that is after the events below e and then those
// already known to happen before n.
func (x *Execution) HappensBefore(n *Transition, p *Past) []Race {
	x.races, x.vias, x.need = x.races[:0], x.vias[:0], nil
	p.begin()
	if n.Guarded && x.Guards == nil {
		past := x.Nothing
		if own := x.Accesses.Before(x, n.Proc, x.Depth); own >= 0 {
			past = x.Levels[own].Event.Clock
		}
		x.need = x.needed(n, past)
	}
	switch lookup := x.choosesLookup(n); {
	case lookup && !n.Guarded && x.Conditions == nil && !x.Without.Plain:
		x.plainRaces(n, p)
	default:
		clear(x.masked)
		if lookup {
			x.Accesses.compare(x, n, p)
			break
		}
		for i := x.Depth - 1; i >= 0; i-- {
			x.Work(1)
			x.compare(i, n, p)
		}
	}
	return x.races
}

// compare compares a transition with the event at stack position i, after those above it.
func (x *Execution) compare(i int, n *Transition, p *Past) {
	e, clock := &x.Levels[i].Event, p.Clock
	// masked are the events behind which nothing can be found: what n's process did before, what started it, and
	// everything up to a race.
	masked := x.masked
	if e.Proc == n.Proc || starts(x.Machine, &e.Transition, n) || n.Joins(&e.Transition, e.Index) {
		if !Covers(masked, e) {
			x.learn(p, n.Proc, i)
			x.Include(masked, e)
		}
		return
	}
	known := Covers(clock, e)
	if known && (!n.Guarded || Covers(masked, e)) {
		return
	}
	v, c := x.Judge(&e.Transition, n)
	if v == Independent {
		return
	}
	found := false
	if v == Dependent && x.adds(&e.Transition, x.need) { // without it n is disabled
		if !known {
			x.learn(p, n.Proc, i)
		}
		return
	}
	if !known {
		var s step.State
		switch {
		case n.Guarded && x.LocallyPredictable(n):
			found = x.EnabledAfterPrefix(n, x.Depth, func(j int, _ *Event) bool {
				return j < i || j > i && x.InSelection(i, j, clock, false, -1)
			})
		case v == Depends || n.Guarded:
			s = x.after(i, clock, false, -1)
			found = !n.Guarded || s != nil && x.Runner.Enabled(s, n.Proc)
		default:
			found = true
		}
		if v == Depends && s != nil && x.Holds(c, s) {
			c.stats.Removed++
			if x.Removed != nil {
				x.Removed(i, n)
			}
			return
		}
		if found {
			r := x.race(i)
			r.Via, r.First = x.keepVia(clock), int(p.Last) <= i
		}
		x.learn(p, n.Proc, i)
	}
	if !found && n.Guarded {
		for _, apart := range []bool{false, true} {
			if x.LocallyPredictable(n) {
				found = x.EnabledAfterPrefix(n, x.Depth, func(j int, _ *Event) bool {
					return j < i || j > i && x.InSelection(i, j, masked, apart, n.Proc)
				})
			} else {
				s := x.after(i, masked, apart, n.Proc)
				found = s != nil && x.Runner.Enabled(s, n.Proc) && !(v == Depends && x.Holds(c, s))
			}
			if found {
				r := x.race(i)
				r.Via, r.Hidden, r.Apart = x.keepVia(masked), true, apart
				break
			}
		}
	}
	if found {
		x.Include(masked, e)
	}
}

// race adds a race with the event at a stack position.
func (x *Execution) race(at int) *Race {
	x.races = append(x.races, Race{})
	r := &x.races[len(x.races)-1]
	r.At = at
	return r
}

// keepVia stores a copy of a clock until the next HappensBefore.
func (x *Execution) keepVia(clock []int32) []int32 {
	at := len(x.vias)
	x.vias = append(x.vias, clock...)
	return x.vias[at:len(x.vias):len(x.vias)]
}

// InSelection reports whether the event at stack position j > i belongs to a selection: the clock covers it or, with
// apart, it does not happen after the event at i and is not by the process except.
func (x *Execution) InSelection(i, j int, clock []int32, apart bool, except int) bool {
	e := &x.Levels[j].Event
	return Covers(clock, e) || apart && e.Proc != except && !Covers(e.Clock, &x.Levels[i].Event)
}

// after is the state that the events below stack position i and then a selection of those above it lead to; nil if one
// of them cannot run. It may be the stored state itself and must not be changed.
func (x *Execution) after(i int, clock []int32, apart bool, except int) step.State {
	base := x.Levels[i].State
	s := base
	for j := i + 1; j < x.Depth; j++ {
		x.Work(1)
		if !x.InSelection(i, j, clock, apart, except) {
			continue
		}
		if &s[0] == &base[0] {
			copy(x.virtual, base)
			s = x.virtual
		}
		a := x.Levels[j].Event.Action
		if !x.Runner.CanTake(s, a) {
			return nil
		}
		x.Runner.Take(s, a)
	}
	return s
}
