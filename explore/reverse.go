package explore

import "cdpor/lang/step"

// reverseEnabling inserts the three sequences that reverse a race of a move n which is disabled now, or which was found behind
// an event that enabled n: the events that made n enabled next to the earlier event, and n; notdep(e) as far as it leaves
// n enabled, and n; all of notdep(e), and n. Those that cannot run are left out.
func (x *search) reverseEnabling(r *race, n *move, insert inserter) {
	x.seq = x.seq[:0]
	for j := r.at + 1; j < x.depth; j++ {
		if x.chosen(r.at, j, r.via, r.apart, n.proc) {
			x.seq = append(x.seq, int32(x.levels[j].event.action))
		}
	}
	x.seq = append(x.seq, int32(n.action))
	insert(x, r.at, x.seq, n.action)
	if x.keepEnabled(r.at, n.proc) {
		x.seq = append(x.seq, int32(n.action))
		insert(x, r.at, x.seq, n.action)
	}
	if x.apart(r.at, n.action); x.runs(x.levels[r.at].state, x.seq) {
		insert(x, r.at, x.seq, n.action)
	}
}

// apart sets x.seq to all of notdep(e) for the event e at stack position i, and then an action.
func (x *search) apart(i, action int) {
	x.seq = x.seq[:0]
	e := &x.levels[i].event
	for j := i + 1; j < x.depth; j++ {
		if f := &x.levels[j].event; !covers(f.clock, e) {
			x.seq = append(x.seq, int32(f.action))
		}
	}
	x.seq = append(x.seq, int32(action))
}

// reverseAll reverses the races of a move that is enabled now.
func (x *search) reverseAll(races []race, n *move) {
	for i := range races {
		if r := &races[i]; r.hidden {
			x.reverseEnabling(r, n, (*search).insert)
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
	e, node, counts := &x.levels[i].event, &x.levels[i].node, x.levels[i].counts
	var initials actionSet
	possible, uncertain := true, false // n may be an initial; it takes a run to tell
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
		first := true
		for p, c := range f.clock {
			if p != f.proc && c > counts[p] || p == f.proc && c > counts[p]+1 {
				first = false
				break
			}
		}
		if first {
			if node.backtrack.has(f.action) {
				return
			}
			initials.add(f.action)
		}
	}
	switch {
	case !possible: // n decides nothing
	case uncertain:
		x.apart(i, n.action)
		x.insert(i, x.seq, n.action)
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

// insert adds an initial of a sequence of actions, run from the node at stack position i, to its backtrack set. The order
// among the events of the sequence is found by running it. Should it turn out that it cannot run, everything enabled is
// added, which is always enough.
func (x *search) insert(i int, actions []int32, preferred int) {
	node := &x.levels[i].node
	if !x.order.run(x, x.levels[i].state, actions) {
		x.addAll(node)
		return
	}
	var initials actionSet
	for k, a := range actions {
		if x.order.first(k) {
			initials.add(int(a))
		}
	}
	x.insertInitial(node, &initials, preferred)
}

// begun reports whether inserting a sequence that begins with an action at a stack position would change nothing, because that action is
// an initial of the sequence and has been or will be tried. Wakeup trees want to know more.
func (x *search) begun(i int, action int32) bool {
	return !x.trees && x.levels[i].node.backtrack.has(int(action))
}

// keepEnabled sets x.seq to notdep(e) for the event e at stack position i, run in order but without the events of others
// that would disable the present next step of proc once it is enabled, and without what happens after those. It reports
// whether the step is enabled then.
func (x *search) keepEnabled(i, proc int) bool {
	x.seq = x.seq[:0]
	s, e := x.virtual, &x.levels[i].event
	copy(s, x.levels[i].state)
	skipped := x.skipped[:0]
	now := x.levels[x.depth].state
next:
	for j := i + 1; j < x.depth; j++ {
		f := &x.levels[j].event
		if covers(f.clock, e) {
			continue
		}
		for _, k := range skipped {
			if covers(f.clock, &x.levels[k].event) {
				continue next
			}
		}
		if x.run.CanTake(s, f.action) {
			copy(x.probe, s)
			x.run.Take(x.probe, f.action)
			if f.proc == proc || !x.run.EnabledAs(s, proc, now) || x.run.EnabledAs(x.probe, proc, now) {
				s, x.probe = x.probe, s
				x.seq = append(x.seq, int32(f.action))
				continue
			}
		}
		skipped = append(skipped, j)
	}
	x.skipped, x.virtual = skipped, s
	return x.m.StepID(s, proc) == x.m.StepID(now, proc) && x.run.Enabled(s, proc)
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
		mv := x.moveOf(before, proc, o.bufs[k])
		mv.action = int(a)
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
