package explore

import (
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/future"
	"cdpor/explore/internal/happens"
	"cdpor/lang/step"
	"slices"
)

// Sleep sequences: Albert, Arenas, de la Banda, Gomez-Zamalloa, Stuckey, "Context-Sensitive Dynamic Partial Order
// Reduction", CAV'17, algorithm 2; and the compensation without which they lose outcomes (THEORY, "Sleep sequences").

// A sequence is a sleep sequence: actions that need not be taken one after the other from a node.
type sequence []int32

// A sequenceRecord is the sleep sequences that begin at a node. Those found there lie in memory, the others in that of
// an ancestor.
type sequenceRecord struct {
	sequences []sequence
	memory    []int32
}

// findSequences looks for sleep sequences after the races of the transition n, which led to the state now: for a race
// with e, if notdep(e).n.dep(e) leads from before e to the same state, that order need not be explored.
func (x *search) findSequences(races []happens.Race, n *happens.Transition, now step.State) {
	for i := range races {
		at := races[i].At
		lv := x.levels[at]
		e, node := &lv.Event, &lv.node
		if !races[i].Hidden && x.NeverCommute(&e.Transition, n) && x.nothingAfter(at) {
			continue // behind notdep(e), too
		}
		x.seq = x.seq[:0]
		last := 0 // the place of n
		for _, dep := range []bool{false, true} {
			for j := at; j < x.Depth; j++ {
				x.Work(1)
				if f := &x.levels[j].Event; happens.Covers(f.Clock, e) == dep {
					x.seq = append(x.seq, int32(f.Action))
				}
			}
			if !dep {
				last = len(x.seq)
				x.seq = append(x.seq, int32(n.Action))
			}
		}
		asleep := node.asleep()
		if asleep.Has(int(x.seq[0])) || slices.ContainsFunc(node.sequences, x.begins) {
			continue
		}
		known, commute := false, false
		if len(x.seq) == 2 {
			known, commute = x.CommuteIn(&e.Transition, n, lv.State)
		}
		switch {
		case commute:
			x.CountSequence(e.ID, n.ID)
		case known || !x.leadsTo(lv.State, now, last):
			continue
		}
		start := len(node.memory)
		node.memory = append(node.memory, x.seq...)
		node.sequences = append(node.sequences, node.memory[start:len(node.memory):len(node.memory)])
		x.results.Sequences++
		x.watch.sequence(at, x.seq)
	}
}

// nothingAfter reports whether no later event happens after the event at a stack position: dep(e) is e alone.
func (x *search) nothingAfter(at int) bool {
	e := &x.levels[at].Event
	for j := at + 1; j < x.Depth; j++ {
		x.Work(1)
		if happens.Covers(x.levels[j].Event.Clock, e) {
			return false
		}
	}
	return true
}

// begins reports whether x.seq begins with a sequence.
func (x *search) begins(s sequence) bool {
	return len(s) <= len(x.seq) && slices.Equal(s, x.seq[:len(s)])
}

// leadsTo reports whether x.seq can run from a state and leads to another. The process of the action at a place of the
// sequence takes no step after it, so what it is like then it will be like in the end, which often settles the
// question.
func (x *search) leadsTo(from, to step.State, last int) bool {
	copy(x.probe, from)
	for i, a := range x.seq {
		x.Work(1)
		if !x.run.CanTake(x.probe, int(a)) {
			return false
		}
		x.run.Take(x.probe, int(a))
		if i == last {
			x.results.Compared++
			if !x.m.SameProcess(x.probe, to, x.m.ProcOf(int(a))) {
				return false
			}
		}
	}
	return slices.Equal(x.probe, to)
}

// inheritSequences gives the child of a level the sleep sequences that go on after the event of the level.
func (x *search) inheritSequences(lv, child *level) {
	a := int32(lv.Event.Action)
	for _, seq := range lv.node.sequences {
		x.Work(1 + len(seq)/16) // the first of them are compared
		switch rest := seq[1:]; {
		case seq[0] == a && len(rest) == 1:
			child.node.stateSleep.Add(int(rest[0]))
		case seq[0] == a:
			child.node.sequences = append(child.node.sequences, rest)
		case x.unaffected(lv, seq):
			child.node.sequences = append(child.node.sequences, seq)
		}
	}
}

// keepStateSleepers keeps those processes asleep that the event of the level would wake up, but that lead to the same
// state before and after it: what follows from there has been explored, so they go on sleeping, from now on because of
// their state. This is what CAV'17 gets from filtering sleep sets with context-sensitive independence, which loses
// outcomes without the compensation.
func (x *search) keepStateSleepers(lv, child *level) {
	n := &child.node
	asleep := lv.node.asleep()
	asleep = asleep.Minus(&n.sleep)
	asleep = asleep.Minus(&n.stateSleep)
	for a := asleep.Next(0); a >= 0; a = asleep.Next(a + 1) {
		if x.m.ProcOf(a) != lv.Event.Proc && x.swaps(lv, child, a, lv.Event.Action) {
			n.stateSleep.Add(a)
		}
	}
}

// swaps reports whether actions a and b of different processes, b leading from a level to its child, give the same
// state in both orders. They are dependent there.
func (x *search) swaps(lv, child *level, a, b int) bool {
	p := x.m.ProcOf(a)
	mv := happens.Transition{Proc: p, ID: x.m.StepID(lv.State, p)} // constraints need no more
	if x.NeverCommute(&mv, &lv.Event.Transition) {
		return false
	}
	if known, commute := x.CommuteIn(&mv, &lv.Event.Transition, lv.State); known {
		return commute
	}
	x.results.Compared++
	copy(x.probe, lv.State)
	x.run.Take(x.probe, a)
	if !x.run.CanTake(x.probe, b) || !x.run.CanTake(child.State, a) {
		return false
	}
	x.run.Take(x.probe, b)
	if !x.m.SameProcess(x.probe, child.State, x.m.ProcOf(b)) {
		return false
	}
	copy(x.virtual, child.State)
	x.run.Take(x.virtual, a)
	return slices.Equal(x.probe, x.virtual)
}

// unaffected reports whether no event of the sequence would happen after the event of the level, were it run behind
// it.
func (x *search) unaffected(lv *level, seq []int32) bool {
	if slices.ContainsFunc(seq, func(a int32) bool { return x.m.ProcOf(int(a)) == lv.Event.Proc }) {
		return false
	}
	x.seq = append(append(x.seq[:0], int32(lv.Event.Action)), seq...)
	return x.Order.Unaffected(&x.Execution, lv.State, x.seq)
}

// shortestSequence is the action of a set that begins the shortest sleep sequence of the node, -1 if none does
// (CAV'17, section 5.3, "guiding with sleep sequences").
func (n *node) shortestSequence(of *actionset.Set) int {
	best, length := -1, 0
	for _, s := range n.sequences {
		if a := int(s[0]); of.Has(a) && (best < 0 || len(s) < length) {
			best, length = a, len(s)
		}
	}
	return best
}

// compensate makes up for the processes that are asleep in the present node only because another order led to the same
// state: their races are not seen from here, although they tell what else must be tried. So the races of such a
// process are looked for as if it ran, and wherever a step that may still follow could race with an event of the
// stack, everything is tried before that event.
func (x *search) compensate(n *node) {
	cut := n.stateSleep.And(&n.enabled)
	for a := cut.Next(0); a >= 0; a = cut.Next(a + 1) {
		x.tryAlternatives(n, a) // elsewhere there may have been fewer
		x.compensateFor(a)
	}
}

// cannotWake reports whether every execution from the node would end blocked: some process is asleep, and no step that
// any other process may still take can wake it up (CAV'17, section 5.3, "anticipating cuts").
func (x *search) cannotWake(n *node) bool {
	lv := x.levels[x.Depth]
	asleep := n.stateSleep
	sleepers := n.asleep()
next:
	for a := asleep.Next(0); a >= 0; a = asleep.Next(a + 1) {
		p, awake := x.m.ProcOf(a), false
		if x.alternatives(n, a, func(b int) { awake = awake || !sleepers.Has(b) }); awake {
			continue
		}
		id := x.m.StepID(lv.State, p)
		foot := x.run.Footprint(lv.State, p, x.foot)
		for r := range x.procs {
			if k := x.m.StepID(lv.State, r); r != p && k >= 0 {
				if x.futures().Of(lv.State, r, k).MayRace(id, foot) {
					continue next
				}
			}
		}
		return true
	}
	return false
}

// hasCycles reports whether the search goes through executions that have no end. Giving up a node because all that
// ends from there is cut would lose failures then: around a cycle each node may rely on the next one, where what fails
// is as far away.
func (x *search) hasCycles() bool { return x.visits != nil && x.visits.endless }

// worthVisiting reports whether the search must go on to the child of a level. It need not when all that is
// enabled there is asleep (a virtual cut: CAV'18, section 4); what such a child would have contributed is contributed
// here.
func (x *search) worthVisiting(child *level) bool {
	n := &child.node
	x.Depth++
	defer func() { x.Depth-- }()
	if x.visits != nil {
		x.visits.begin(x.Depth)
	}
	x.enable(child)
	if free := n.free(); n.enabled.Empty() || !free.Empty() || !n.excluded.Empty() {
		n.looked = true
		return true
	}
	n.backtrack = actionset.Set{}
	x.results.Virtual++
	if x.visits != nil {
		x.visits.disabled()
	}
	x.blockedRaces()
	x.compensate(n)
	if x.visits != nil {
		x.visits.handUp(x.Depth - 1)
	}
	x.watch.skipped(n, SkippedAsleep)
	return false
}

func (x *search) compensateFor(a int) {
	lv, child := x.levels[x.Depth], x.level(x.Depth+1)
	e, q := &lv.Event, x.m.ProcOf(a)
	x.Describe(&e.Transition, lv.State, a, e.FootBuf)
	x.Stamp(e)
	e.Index = lv.Counts[q] + 1
	races := x.findRaces(&e.Transition, &e.Past)
	e.Clock[q] = e.Index
	x.reverseRaces(races, &e.Transition)
	x.watch.inserted(x, Compensation, x.Depth)
	if e.Guarded {
		x.reorderGuarded(&e.Transition)
	}
	copy(child.State, lv.State)
	x.run.Take(child.State, a)
	if x.visits != nil {
		x.visits.follows(x.Depth, &e.Transition, child.State)
	}
	x.Depth++
	x.compensateBehind()
	x.Depth--
}

// compensateBehind does the part of the compensation that concerns what may follow the present node, which is not
// explored because its state has been.
func (x *search) compensateBehind() {
	now := x.levels[x.Depth].State
	if x.visits != nil {
		x.visits.pay(x.visits.allowed(now))
		return
	}
	x.Accesses.Follow(&x.Execution)
	for r := range x.procs {
		k := x.m.StepID(now, r)
		if k < 0 {
			continue
		}
		clock := x.Nothing // what happens before the next step of r whatever it is
		if own := x.Accesses.Own[r]; len(own) > 0 {
			clock = x.levels[own[len(own)-1]].Event.Clock
		}
		var f *future.Future // found when it is needed
		for p, own := range x.Accesses.Own {
			if p == r {
				continue
			}
			for _, j := range slices.Backward(own[clock[p]:]) {
				x.Work(1)
				g, node := &x.levels[j].Event, &x.levels[j].node
				if !node.incomplete() {
					continue
				}
				if f == nil {
					f = x.futures().Of(now, r, k)
				}
				if f.MayRace(g.ID, g.Foot) && x.addAll(node) {
					x.results.Compensated++
				}
			}
		}
	}
	x.watch.inserted(x, Compensation, x.Depth-1)
}
