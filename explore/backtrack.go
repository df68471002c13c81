package explore

import (
	"math/bits"
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/lang/step"
)

// Sequences that reverse races are made of events of the stack, chosen from those above some position i and closed
// under happens-before there, and then a transition n. The events keep their happens-before relation, so which of them
// are initials (POPL'14) is read off the clocks.

// An eventFilter says which of the events above a stack position such a sequence begins with.
type eventFilter = func(j int, e *event) bool

// selectEvents sets x.selection to the positions of the chosen events above stack position i.
func (x *execution) selectEvents(i int, chosen eventFilter) {
	x.selection = x.selection[:0]
	for j := i + 1; j < x.depth; j++ {
		x.work(1)
		if chosen(j, &x.levels[j].event) {
			x.selection = append(x.selection, int32(j))
		}
	}
}

// findInitialsInBacktrack sets x.initialsInBacktrack to the positions of those events above stack position i that are
// tried at i, or will be, and that nothing above i happens before: a sequence with one of them has it as an initial, so
// inserting it changes nothing. Wakeup trees want to know more.
func (x *search) findInitialsInBacktrack(i int) {
	x.initialsInBacktrack = x.initialsInBacktrack[:0]
	if x.planner != nil {
		return
	}
	backtrack := &x.levels[i].node.backtrack
	for a := backtrack.Next(0); a >= 0; a = backtrack.Next(a + 1) {
		if j := x.firstEventAfter(i, x.m.ProcOf(a)); j >= 0 {
			if e := &x.levels[j].event; e.action == a && isInitial(i, e) {
				x.initialsInBacktrack = append(x.initialsInBacktrack, int32(j))
			}
		}
	}
}

// alreadyCovered reports whether one of x.initialsInBacktrack is chosen.
func (x *search) alreadyCovered(chosen eventFilter) bool {
	for _, j := range x.initialsInBacktrack {
		if chosen(int(j), &x.levels[j].event) {
			return true
		}
	}
	return false
}

// firstEventAfter is the position of the first event of a process above stack position i; -1 if it has none, or that at
// i. The accesses follow the stack.
func (x *execution) firstEventAfter(i, proc int) int {
	if own, k := x.accesses.own[proc], int(x.levels[i].counts[proc]); k < len(own) && int(own[k]) != i {
		return int(own[k])
	}
	return -1
}

// isInitial reports whether no event above stack position i happens before another one there.
func isInitial(i int, e *event) bool { return int(e.last) <= i }

// selectedActions sets x.seq to the actions of the chosen events, and then that of n.
func (x *execution) selectedActions(n *transition) []int32 {
	x.seq = x.seq[:0]
	for _, j := range x.selection {
		x.seq = append(x.seq, int32(x.levels[j].event.action))
	}
	x.seq = append(x.seq, int32(n.action))
	return x.seq
}

// reverseGuardedRace inserts the three sequences that reverse a race of a transition n which is disabled now, or which
// was found behind an event that enabled n: the events that made n enabled next to the earlier event, and n; notdep(e)
// as far as it leaves n enabled, and n; all of notdep(e), and n. Those that cannot run are left out; that the first one
// can is known.
func (x *search) reverseGuardedRace(r *race, n *transition) {
	x.accesses.follow(&x.execution)
	i := r.at
	x.findInitialsInBacktrack(i)
	x.insertUnlessCovered(i, n, func(j int, _ *event) bool { return x.inSelection(i, j, r.via, r.apart, n.proc) })
	known := x.locallyPredictable(n)
	if known && x.alreadyCovered(func(_ int, f *event) bool {
		return x.inNotdep(i, f) && (f.proc == n.proc || !step.Conflict(f.foot, n.foot))
	}) {
		return // that begins both of the others: what nothing is before is not left out unless it may disable n
	}
	if x.findNonDisablingSuffix(i, n) {
		x.insertUnlessCovered(i, n, func(_ int, f *event) bool { return x.inNonDisablingSuffix(i, f) })
	}
	apart := func(_ int, f *event) bool { return x.inNotdep(i, f) }
	if known && !n.begins && len(x.disabling) == 0 && x.reachesStep(i, n) || x.alreadyCovered(apart) {
		return // the same as before, or nothing to be gained
	}
	if known {
		if !x.enabledAfterPrefix(n, x.depth, func(j int, f *event) bool { return j < i || x.inNotdep(i, f) }) {
			return
		}
	} else if x.selectEvents(i, apart); !x.runs(x.levels[i].state, x.selectedActions(n)) {
		return
	}
	x.insert(i, n, apart)
}

// inNotdep reports whether an event above stack position i does not happen after the event e there: it is one of
// notdep(e).
func (x *execution) inNotdep(i int, f *event) bool { return !covers(f.clock, &x.levels[i].event) }

// reverseRaces reverses the races of a transition that is enabled now.
func (x *search) reverseRaces(races []race, n *transition) {
	for i := range races {
		if r := &races[i]; r.hidden {
			x.reverseGuardedRace(r, n)
		} else {
			x.reverseRace(r, n)
		}
	}
}

// reverseRace inserts an initial of v = notdep(e).n (POPL'14, definition of initials and algorithm 1). The events
// of notdep(e) keep their happens-before relation in v, so their initials are read off the clocks. Whether n is an
// initial of v is certain only when nothing in v happens before it; where the relation between n and an event of v
// depends on the state, it may differ from the one on the stack, where dep(e) ran as well, so then v is run if it
// matters.
func (x *search) reverseRace(r *race, n *transition) {
	i := r.at
	e, node := &x.levels[i].event, &x.levels[i].node
	var initials actionset.Set
	possible, uncertain := true, false // n may be an initial; it takes a run to tell
	x.accesses.follow(&x.execution)
	for p := range x.procs {
		j := x.firstEventAfter(i, p)
		if j < 0 {
			continue
		}
		f := &x.levels[j].event
		if covers(f.clock, e) { // and so are all later ones of the process
			continue
		}
		if p == n.proc {
			possible = false
		}
		if isInitial(i, f) {
			if node.backtrack.Has(f.action) {
				return
			}
			initials.Add(f.action)
		}
	}
	if x.conditions != nil && possible {
		for j := i + 1; j < x.depth && !uncertain; j++ {
			x.work(1)
			f := &x.levels[j].event
			uncertain = !covers(f.clock, e) && x.stateful(&f.transition, n)
		}
	}
	switch {
	case !possible: // n decides nothing
	case uncertain:
		x.insert(i, n, func(_ int, f *event) bool { return x.inNotdep(i, f) })
		return
	case r.first:
		initials.Add(n.action)
	}
	x.insertInitial(node, &initials, n.action)
}

// insertInitial adds one of the initials of a sequence to the backtrack set of a node unless that has one already;
// preferred if possible.
func (x *search) insertInitial(n *node, initials *actionset.Set, preferred int) {
	x.hold(n)
	defer x.release(n)
	if initials.Meets(&n.backtrack) {
		return
	}
	if initials.Has(preferred) {
		n.backtrack.Add(preferred)
	} else if a := initials.Next(0); a >= 0 {
		n.backtrack.Add(a)
	}
}

// insertUnlessCovered is insert unless that changes nothing.
func (x *search) insertUnlessCovered(i int, n *transition, chosen eventFilter) {
	if !x.alreadyCovered(chosen) {
		x.insert(i, n, chosen)
	}
}

// insert adds an initial of the chosen events above stack position i and then n, run from the node at i, to its
// backtrack set. Should it turn out that they cannot run, everything enabled is added, which is always enough.
func (x *search) insert(i int, n *transition, chosen eventFilter) {
	node := &x.levels[i].node
	own := x.firstEventAfter(i, n.proc)
	first := own < 0 || !chosen(own, &x.levels[own].event) // n may be an initial
	if first && x.anyConflict(i, n, chosen) {
		if first = x.conditions != nil || x.m.Refinable(n.id); first { // it takes a run to tell
			x.selectEvents(i, chosen)
			if !x.order.run(&x.execution, x.levels[i].state, x.selectedActions(n)) {
				x.addAll(node)
				return
			}
			first = x.order.first(len(x.selection))
		}
	}
	var initials actionset.Set
	if first {
		initials.Add(n.action) // which is preferred to all others
	} else {
		for p := range x.procs {
			if j := x.firstEventAfter(i, p); j >= 0 {
				if e := &x.levels[j].event; chosen(j, e) && isInitial(i, e) {
					initials.Add(e.action)
				}
			}
		}
	}
	x.insertInitial(node, &initials, n.action)
	if !first || own >= 0 { // what has been added may be above i
		x.findInitialsInBacktrack(i)
	}
}

// anyConflict reports whether one of the chosen events above stack position i conflicts with n.
func (x *execution) anyConflict(i int, n *transition, chosen eventFilter) bool {
	foot := x.unrefined(n)
	half := len(foot) / 2
	for w, rest := range foot[:half] {
		for ; rest != 0; rest &= rest - 1 {
			location := w<<6 + bits.TrailingZeros64(rest)
			positions := x.accesses.against(foot, location)
			k, _ := slices.BinarySearch(positions, int32(i+1))
			for _, j := range positions[k:] {
				x.work(1)
				e := &x.levels[j].event
				if chosen(int(j), e) {
					return true
				}
				if x.conditions == nil && e.foot.Writes(location) { // it happens before all that follow
					break
				}
			}
		}
	}
	return false
}

// A sequenceOrder is the happens-before relation among the events of a short sequence that was run from some node.
type sequenceOrder struct {
	moves  []transition
	index  []int32 // of each event among those of its process, counted from 1
	bufs   []step.Footprint
	states []step.State // before each event
	procs  int
	past   []int32 // per event a clock: the events of the sequence that happen before it
	last   []int32 // scratch: per process, how many events it has
}

// grow makes room for a sequence.
func (o *sequenceOrder) grow(x *execution, length int) {
	if more := length + 1 - len(o.states); more > 0 {
		x.meter.ask(int64(more) * int64(8*(x.m.Words()+x.m.FootprintWords())+4*x.procs))
	}
	for len(o.states) <= length {
		o.states = append(o.states, make(step.State, x.m.Words()))
		o.bufs = append(o.bufs, make(step.Footprint, x.m.FootprintWords()))
	}
	o.procs = x.procs
	o.past = slices.Grow(o.past[:0], length*o.procs)[:length*o.procs]
	clear(o.past)
	o.last = slices.Grow(o.last[:0], o.procs)[:o.procs]
	clear(o.last)
	o.moves, o.index = o.moves[:0], o.index[:0]
}

// take appends an action, whose event comes to stand at the end, and reports whether it could run.
func (o *sequenceOrder) take(x *execution, a int) (mv *transition, possible bool) {
	x.work(1)
	k := len(o.moves)
	before, after := o.states[k], o.states[k+1]
	if !x.run.CanTake(before, a) {
		return nil, false
	}
	o.moves = append(o.moves, transition{})
	mv = &o.moves[k]
	x.describe(mv, before, a, o.bufs[k])
	copy(after, before)
	x.run.Take(after, a)
	x.refine(mv, before, after, o.bufs[k])
	o.last[mv.proc]++
	o.index = append(o.index, o.last[mv.proc])
	return mv, true
}

// run executes the sequence of actions from a state and computes the relation; false if it cannot run.
func (o *sequenceOrder) run(x *execution, from step.State, actions []int32) bool {
	o.grow(x, len(actions))
	copy(o.states[0], from)
	for k, a := range actions {
		mv, possible := o.take(x, int(a))
		if !possible {
			return false
		}
		for j := k - 1; j >= 0; j-- {
			x.work(1)
			if o.has(k, j) {
				continue
			}
			switch v, c := x.judge(&o.moves[j], mv); {
			case o.moves[j].proc == mv.proc || v == dependent:
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

// between is the state in which events j and k of the sequence would stand next to each other: before j, then the
// events after j that happen before k.
func (o *sequenceOrder) between(x *execution, j, k int) step.State {
	s := o.states[j]
	for i := j + 1; i < k; i++ {
		x.work(1)
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

func (o *sequenceOrder) row(k int) []int32 { return o.past[k*o.procs : (k+1)*o.procs] }
func (o *sequenceOrder) has(k, j int) bool { return o.row(k)[o.moves[j].proc] >= o.index[j] }
func (o *sequenceOrder) add(k, j int) {
	row, p := o.row(k), o.moves[j].proc
	join(row, o.row(j))
	row[p] = max(row[p], o.index[j])
}

// first reports whether no event of the sequence happens before event k.
func (o *sequenceOrder) first(k int) bool {
	for _, w := range o.row(k) {
		if w != 0 {
			return false
		}
	}
	return true
}
