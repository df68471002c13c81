package explore

import "cdpor/lang/step"

// Sequences that reverse races are made of events of the stack, chosen from those above some position i and closed under happens-before there, and
// then a move n. The events keep their happens-before relation, so which of them are initials (POPL'14) is read off the clocks.

// choose sets x.chosen to the positions of the events above stack position i that are wanted, which is asked from the first to the last. It reports
// whether inserting a sequence that begins so may change anything: not if an initial of it has been tried at i, or will be.
func (x *search) choose(i int, wanted func(j int, e *event) bool) (more bool) {
	x.chosen = x.chosen[:0]
	for j := i + 1; j < x.depth; j++ {
		if e := &x.levels[j].event; wanted(j, e) {
			if x.isTried(i, e) {
				return false
			}
			x.chosen = append(x.chosen, int32(j))
		}
	}
	return true
}

// isTried reports whether an event is an initial of the sequences with it from stack position i that is tried there. Wakeup trees want to know more.
func (x *search) isTried(i int, e *event) bool {
	return !x.trees && x.levels[i].node.backtrack.has(e.action) && minimal(i, e)
}

// minimal reports whether no event above stack position i happens before another one there.
func minimal(i int, e *event) bool { return int(e.last) <= i }

// chosenActions sets x.seq to the actions of the chosen events, and then that of n.
func (x *search) chosenActions(n *move) []int32 {
	x.seq = x.seq[:0]
	for _, j := range x.chosen {
		x.seq = append(x.seq, int32(x.levels[j].event.action))
	}
	x.seq = append(x.seq, int32(n.action))
	return x.seq
}

// reverseEnabling inserts the three sequences that reverse a race of a move n which is disabled now, or which was found behind
// an event that enabled n: the events that made n enabled next to the earlier event, and n; notdep(e) as far as it leaves
// n enabled, and n; all of notdep(e), and n. Those that cannot run are left out; that the first one can is known.
func (x *search) reverseEnabling(r *race, n *move) {
	i := r.at
	if x.choose(i, func(j int, e *event) bool { return x.selected(i, j, r.via, r.apart, n.proc) }) {
		x.insert(i, n)
	}
	if x.keepEnabled(i, n.proc) {
		x.insert(i, n)
	}
	known, e := x.foreseeable(n), &x.levels[i].event
	if known && !x.enabledBehind(n, x.depth, func(j int, f *event) bool { return j < i || !covers(f.clock, e) }) {
		return
	}
	if x.chooseApart(i) && (known || x.runs(x.levels[i].state, x.chosenActions(n))) {
		x.insert(i, n)
	}
}

// chooseApart chooses all of notdep(e) for the event e at stack position i.
func (x *search) chooseApart(i int) (more bool) {
	e := &x.levels[i].event
	return x.choose(i, func(_ int, f *event) bool { return !covers(f.clock, e) })
}

// reverseAll reverses the races of a move that is enabled now.
func (x *search) reverseAll(races []race, n *move) {
	for i := range races {
		if r := &races[i]; r.hidden {
			x.reverseEnabling(r, n)
		} else {
			x.reverseOrdinary(r, n)
		}
	}
}

// reverseOrdinary inserts an initial of v = notdep(e).n (POPL'14, definition of initials and algorithm 1). The events of
// notdep(e) keep their happens-before relation in v, so their initials are read off the clocks. Whether n is an initial of v
// is certain only when nothing in v happens before it; where the relation between n and an event of v depends on the state, it
// may differ from the one on the stack, where dep(e) ran as well, so then v is run if it matters.
func (x *search) reverseOrdinary(r *race, n *move) {
	i := r.at
	e, node := &x.levels[i].event, &x.levels[i].node
	var initials actionSet
	possible, uncertain := true, false // n may be an initial; it takes a run to tell
	for j := i + 1; j < x.depth; j++ {
		if f := &x.levels[j].event; node.backtrack.has(f.action) && !covers(f.clock, e) && minimal(i, f) {
			return
		}
	}
	for j := i + 1; j < x.depth; j++ {
		f := &x.levels[j].event
		if covers(f.clock, e) {
			continue
		}
		if f.proc == n.proc {
			possible = false
		} else if !uncertain && x.stateful(&f.move, n) {
			uncertain = true
		}
		if minimal(i, f) {
			initials.add(f.action)
		}
	}
	switch {
	case !possible: // n decides nothing
	case uncertain:
		x.chooseApart(i)
		x.insert(i, n)
		return
	case r.first:
		initials.add(n.action)
	}
	x.insertInitial(node, &initials, n.action)
}

// insertInitial adds one of the initials of a sequence to the backtrack set of a node unless that has one already; preferred if possible.
func (x *search) insertInitial(n *node, initials *actionSet, preferred int) {
	x.hold(n)
	defer x.release(n)
	if initials.meets(&n.backtrack) {
		return
	}
	if initials.has(preferred) {
		n.backtrack.add(preferred)
	} else if a := initials.next(0); a >= 0 {
		n.backtrack.add(a)
	}
}

// insert adds an initial of the chosen events and then n, run from the node at stack position i, to its backtrack set. Should it turn out
// that they cannot run, everything enabled is added, which is always enough.
func (x *search) insert(i int, n *move) {
	node := &x.levels[i].node
	possible, free := true, true // n may be an initial; nothing that is chosen concerns it
	foot := x.unrefined(n)
	for _, j := range x.chosen {
		e := &x.levels[j].event
		possible = possible && e.proc != n.proc
		free = free && !step.Conflict(e.foot, foot)
	}
	if possible && !free && (x.conditions != nil || x.m.Refinable(n.id)) { // it takes a run to tell
		if !x.order.run(x, x.levels[i].state, x.chosenActions(n)) {
			x.addAll(node)
			return
		}
		free = x.order.first(len(x.chosen))
	}
	var initials actionSet
	if possible && free {
		initials.add(n.action) // which is preferred to all others
	} else {
		for _, j := range x.chosen {
			if e := &x.levels[j].event; minimal(i, e) {
				initials.add(e.action)
			}
		}
	}
	x.insertInitial(node, &initials, n.action)
}

// keepEnabled chooses those of notdep(e), for the event e at stack position i, that can be run in order without the events of others
// that would disable the present next step of proc once it is enabled, and without what happens after those. It reports
// whether the step is enabled then, and inserting the sequence may change something.
func (x *search) keepEnabled(i, proc int) bool {
	s, e := x.virtual, &x.levels[i].event
	copy(s, x.levels[i].state)
	x.skipped = x.skipped[:0]
	now := x.levels[x.depth].state
	more := x.choose(i, func(j int, f *event) bool {
		if covers(f.clock, e) {
			return false
		}
		for _, k := range x.skipped {
			if covers(f.clock, &x.levels[k].event) {
				return false
			}
		}
		if x.run.CanTake(s, f.action) {
			copy(x.probe, s)
			x.run.Take(x.probe, f.action)
			if f.proc == proc || !x.run.EnabledAs(s, proc, now) || x.run.EnabledAs(x.probe, proc, now) {
				s, x.probe = x.probe, s
				return true
			}
		}
		x.skipped = append(x.skipped, int32(j))
		return false
	})
	x.virtual = s
	return more && x.m.StepID(s, proc) == x.m.StepID(now, proc) && x.run.Enabled(s, proc)
}

// An order is the happens-before relation among the events of a short sequence that was run from some node.
type order struct {
	moves  []move
	bufs   []step.Footprint
	states []step.State // before each event
	words  int          // words of a row of past
	past   []uint64     // per event a row: the events of the sequence that happen before it
}

// run executes the sequence of actions from a state and computes the relation; false if it cannot run.
func (o *order) run(x *search, from step.State, actions []int32) bool {
	for len(o.states) <= len(actions) {
		o.states = append(o.states, make(step.State, x.m.Words()))
		o.bufs = append(o.bufs, make(step.Footprint, x.m.FootprintWords()))
	}
	o.words = (len(actions) + 63) / 64
	o.past = append(o.past[:0], make([]uint64, o.words*len(actions))...)
	o.moves = o.moves[:0]
	copy(o.states[0], from)
	for k, a := range actions {
		proc := x.m.ProcOf(int(a))
		before, after := o.states[k], o.states[k+1]
		if !x.run.CanTake(before, int(a)) {
			return false
		}
		var mv move
		x.describe(&mv, before, int(a), o.bufs[k])
		copy(after, before)
		x.run.Take(after, int(a))
		x.refine(&mv, before, after, o.bufs[k])
		o.moves = append(o.moves, mv)
		for j := k - 1; j >= 0; j-- {
			if o.has(k, j) {
				continue
			}
			switch v, c := x.judge(&o.moves[j], &mv); {
			case o.moves[j].proc == proc || v == dependent:
				o.add(k, j)
			case v == depends:
				if s := o.between(x, j, k); s == nil || !x.holds(c, s) {
					o.add(k, j)
				}
			}
		}
	}
	return true
}

// between is the state in which events j and k of the sequence would stand next to each other: before j, then the events
// after j that happen before k.
func (o *order) between(x *search, j, k int) step.State {
	s := o.states[j]
	for i := j + 1; i < k; i++ {
		if !o.has(k, i) {
			continue
		}
		if &s[0] == &o.states[j][0] {
			copy(x.probe, s)
			s = x.probe
		}
		if !x.run.CanTake(s, o.moves[i].action) {
			return nil
		}
		x.run.Take(s, o.moves[i].action)
	}
	return s
}

func (o *order) row(k int) []uint64 { return o.past[k*o.words : (k+1)*o.words] }
func (o *order) has(k, j int) bool  { return o.past[k*o.words+j/64]>>(j%64)&1 != 0 }
func (o *order) add(k, j int) {
	row := o.row(k)
	row[j/64] |= 1 << (j % 64)
	for w, bits := range o.row(j) {
		row[w] |= bits
	}
}

// first reports whether no event of the sequence happens before event k.
func (o *order) first(k int) bool {
	for _, w := range o.row(k) {
		if w != 0 {
			return false
		}
	}
	return true
}
