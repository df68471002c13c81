package explore

import "cdpor/lang/step"

// A race of a step n with the event at stack position at. Position at+1... of the stack are later events.
type race struct {
	at int
	// via stands for events that made n enabled next to the event: those the clock covers and, with apart, those that
	// do not happen after the event. hidden marks a race found behind an enabling event (THEORY section 4).
	hidden bool
	apart  bool
	via    []int32
	// first tells, for a race that is not hidden, that no event after at happens before n.
	first bool
}

// happensBefore appends the transition n of a process to the present stack: it fills p with the events that happen
// before n and returns the races of n, latest first. The result is valid until the next call.
//
// This is POPL'14's happens-before with the state-dependent relation of THEORY section 3: an event e and n are compared
// in the state in which they would stand next to each other, that is after the events below e and then those already
// known to happen before n.
func (x *execution) happensBefore(n *transition, p *past) []race {
	x.races, x.vias = x.races[:0], x.vias[:0]
	p.begin()
	switch lookup := x.choosesLookup(n); {
	case lookup && x.choosesPlain(n):
		x.plainRaces(n, p)
	default:
		clear(x.masked)
		if lookup {
			x.accesses.compare(x, n, p)
			break
		}
		for i := x.depth - 1; i >= 0; i-- {
			x.work(1)
			x.compare(i, n, p)
		}
	}
	return x.races
}

// plainRaces is happensBefore for a step without a guard, where no constraint has a say. Whatever conflicts with it is
// dependent, so nothing need be looked at that touched a location before its last write: that happens before the write.
func (x *execution) plainRaces(n *transition, p *past) {
	a := &x.accesses
	own := a.before(x, n.proc, x.depth)
	if own >= 0 {
		x.learn(p, n.proc, own)
	}
	a.point(n.foot)
	for len(a.cursors) > 0 {
		x.work(1)
		i := a.latest()
		e := &x.levels[i].event
		if !covers(p.clock, e) {
			x.race(i).first = own < i && len(x.races) == 1
			x.learn(p, n.proc, i)
		}
		a.lower(int32(i), e.foot)
	}
}

// compare compares a transition with the event at stack position i, after those above it.
func (x *execution) compare(i int, n *transition, p *past) {
	e, clock := &x.levels[i].event, p.clock
	// masked are the events behind which nothing can be found: what n's process did before, what started it, and
	// everything up to a race.
	masked := x.masked
	if e.proc == n.proc || x.starts(e, n) {
		if !covers(masked, e) {
			x.learn(p, n.proc, i)
			x.include(masked, e)
		}
		return
	}
	known := covers(clock, e)
	if known && (!n.guarded || covers(masked, e)) {
		return
	}
	v, c := x.judge(&e.transition, n)
	if v == independent {
		return
	}
	found := false
	if !known {
		var s step.State
		switch {
		case n.guarded && x.locallyPredictable(n):
			found = x.enabledAfterPrefix(n, x.depth, func(j int, _ *event) bool { return j < i || j > i && x.inSelection(i, j, clock, false, -1) })
		case v == depends || n.guarded:
			s = x.after(i, clock, false, -1)
			found = !n.guarded || s != nil && x.run.Enabled(s, n.proc)
		default:
			found = true
		}
		if v == depends && s != nil && x.holds(c, s) {
			c.stats.Removed++
			if x.removed != nil {
				x.removed(i, n)
			}
			return
		}
		if found {
			r := x.race(i)
			r.via, r.first = x.keepVia(clock), int(p.last) <= i
		}
		x.learn(p, n.proc, i)
	}
	if !found && n.guarded {
		for _, apart := range []bool{false, true} {
			if x.locallyPredictable(n) {
				found = x.enabledAfterPrefix(n, x.depth, func(j int, _ *event) bool { return j < i || j > i && x.inSelection(i, j, masked, apart, n.proc) })
			} else {
				s := x.after(i, masked, apart, n.proc)
				found = s != nil && x.run.Enabled(s, n.proc) && !(v == depends && x.holds(c, s))
			}
			if found {
				r := x.race(i)
				r.via, r.hidden, r.apart = x.keepVia(masked), true, apart
				break
			}
		}
	}
	if found {
		x.include(masked, e)
	}
}

// race adds a race with the event at a stack position.
func (x *execution) race(at int) *race {
	x.races = append(x.races, race{})
	r := &x.races[len(x.races)-1]
	r.at = at
	return r
}

// starts reports whether an event of another process has started that of a transition. There is no order of the two to
// be reversed.
func (x *execution) starts(e *event, n *transition) bool {
	return n.begins && e.foot.Writes(x.m.LifeLocation(n.proc))
}

// keepVia stores a copy of a clock until the next happensBefore.
func (x *execution) keepVia(clock []int32) []int32 {
	at := len(x.vias)
	x.vias = append(x.vias, clock...)
	return x.vias[at:len(x.vias):len(x.vias)]
}

// inSelection reports whether the event at stack position j > i belongs to a selection: the clock covers it or, with
// apart, it does not happen after the event at i and is not by the process except.
func (x *execution) inSelection(i, j int, clock []int32, apart bool, except int) bool {
	e := &x.levels[j].event
	return covers(clock, e) || apart && e.proc != except && !covers(e.clock, &x.levels[i].event)
}

// runs executes actions from a state and reports whether it could; x.probe is the state then.
func (x *execution) runs(from step.State, actions []int32) bool {
	copy(x.probe, from)
	for _, a := range actions {
		x.work(1)
		if !x.run.CanTake(x.probe, int(a)) {
			return false
		}
		x.run.Take(x.probe, int(a))
	}
	return true
}

// after is the state that the events below stack position i and then a selection of those above it lead to; nil if one
// of them cannot run. It may be the stored state itself and must not be changed.
func (x *execution) after(i int, clock []int32, apart bool, except int) step.State {
	base := x.levels[i].state
	s := base
	for j := i + 1; j < x.depth; j++ {
		x.work(1)
		if !x.inSelection(i, j, clock, apart, except) {
			continue
		}
		if &s[0] == &base[0] {
			copy(x.virtual, base)
			s = x.virtual
		}
		a := x.levels[j].event.action
		if !x.run.CanTake(s, a) {
			return nil
		}
		x.run.Take(s, a)
	}
	return s
}
