package dpor

import (
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/happens"
)

// The races of a step that may be disabled (THEORY, "Disabled steps").
//
// What other events enable and disable a step n, several of them together, so that reversing one race at a time may
// lead from one state in which n is disabled to the next and never to one in which it could run. So all the places in
// the execution are looked at where n could run instead: the sets of events before it that are closed under
// happens-before. Only events that conflict with n make a difference, and of each set that decides about those the
// largest is taken.

// A planFunc plans the selected events (reversal.Builder.Selection) and then n from the node at a stack position.
type planFunc func(x *Search, at int, n *happens.Transition)

// maxReorderings bounds the sets looked at for one step.
const maxReorderings = 1 << 12

type reorderings struct {
	plan         planFunc
	n            happens.Transition
	at           int     // stack position of n, the depth if it is disabled at the end
	conflicts    []int32 // scratch
	candidates   []int32 // events that conflict with n and need not come before it, ascending
	delayed      []int32 // those of them that do not come before n
	firstDelayed []int32 // per process, the index of its first event in delayed; 0: there is none
	insertedUpTo int     // stack position up to which all reorderings have been inserted before
	fresh        []int32 // the events since then that n may be in conflict with
	clock        []int32 // scratch
	count        int
}

// InsertReorderings inserts all reorderings of the step n, which stands at position at: the depth, if it is about to
// run or disabled there. They are planned, or with plan nil an initial is added to a backtrack set. It reports whether
// there were few enough; if not, the caller must try everything before each of the events that it returns.
func (x *Search) InsertReorderings(n *happens.Transition, at int, plan planFunc) (tooMany []int32) {
	p := &x.reorderings
	p.plan, p.n, p.at, p.count = plan, *n, at, 0
	p.n.Foot = n.Unrefined()
	p.candidates, p.delayed = p.candidates[:0], p.delayed[:0]
	if p.firstDelayed == nil {
		p.firstDelayed, p.clock = make([]int32, x.Procs), make([]int32, x.Procs)
	}
	clear(p.firstDelayed)
	var past []int32 // what happens before n whatever its place
	if own := x.Accesses.Before(x.Execution, n.Proc, at); own >= 0 {
		past = x.Stack[own].Event.Clock
	} else {
		past = x.Nothing
	}
	if at := x.joined(n); at >= 0 {
		past = slices.Clone(past)
		happens.Join(past, x.Stack[at].Event.Clock)
	}
	p.insertedUpTo, p.fresh = 0, p.fresh[:0]
	if plan == nil && at == x.Depth {
		past = x.findFresh(n, past)
	}
	consider := func(j int) {
		e := &x.Stack[j].Event
		if j == at || e.Proc == n.Proc || p.afterN(x.Execution, e) || happens.Covers(past, e) {
			return
		}
		if v, _ := x.Judge(&e.Transition, &p.n); v != happens.Independent {
			p.candidates = append(p.candidates, int32(j))
		}
	}
	if !x.Without.Lookup && x.Accesses.Narrow(p.n.Foot) {
		below := x.Depth
		if at < below && x.Conditions == nil && !n.Refinable {
			below = at // later ones happen after n
		}
		p.conflicts = x.Accesses.Conflicts(x.Execution, p.n.Foot, past, below, p.conflicts[:0])
		for _, j := range p.conflicts {
			consider(int(j))
		}
	} else {
		for j := range x.Depth {
			x.Work(1)
			consider(j)
		}
	}
	if x.NeedsAll(&p.n, at, past, p.candidates) {
		return nil
	}
	if !x.enumerateReorderings() {
		return p.candidates
	}
	return nil
}

// findFresh finds out since when reorderings of a step at the end of the stack have not been looked for, and returns a
// clock of what need not be left out.
//
// If the process was disabled at the same step in a node below, all reorderings among the events up to there have been
// inserted. What is inserted now is the same, but for events that have nothing to do with the step and change nothing
// (blockedRaces), unless an event since then that may be in conflict with it comes before it. So what all of those
// happen after need not be left out: they would be left out too.
func (x *Search) findFresh(n *happens.Transition, past []int32) []int32 {
	p := &x.reorderings
	if !x.IsFirstAction(n) {
		return past
	}
	d := x.Depth - 1
	for ; ; d-- {
		if d < 0 || x.Depth-d > freshPeriod || x.Stack[d].Event.Proc == n.Proc {
			p.fresh = p.fresh[:0]
			return past
		}
		if !x.Indifferent(&x.Stack[d].Event, n) {
			p.fresh = append(p.fresh, int32(d))
		}
		if x.Stack[d].Node.Reordered.Has(n.Proc) {
			break
		}
	}
	x.Work(x.Depth - d)
	p.insertedUpTo = d
	copy(p.clock, x.Stack[d].Counts)
	for _, j := range p.fresh {
		for q, c := range x.Stack[j].Event.Clock {
			p.clock[q] = min(p.clock[q], c)
		}
	}
	happens.Join(p.clock, past)
	return p.clock
}

// freshPeriod is how many events there may be since reorderings of a step have been looked for, to make use of that.
const freshPeriod = 256

// insertedBelow reports whether the present reordering has been inserted in a node below.
func (p *reorderings) insertedBelow(x *happens.Execution) bool {
	if int(p.delayed[0]) >= p.insertedUpTo {
		return false
	}
	for _, j := range p.fresh {
		if !p.afterDelayed(x, int(j)) {
			return false
		}
	}
	return true
}

// afterN reports whether an event happens after n.
func (p *reorderings) afterN(x *happens.Execution, e *happens.Event) bool {
	return p.at < x.Depth && happens.Covers(e.Clock, &x.Levels[p.at].Event)
}

// enumerateReorderings decides about all candidates, in every possible way, whether they come before n; false when
// there are too many ways.
func (x *Search) enumerateReorderings() bool {
	p := &x.reorderings
	for k := 0; ; k++ {
		for ; k < len(p.candidates); k++ {
			x.Work(1)
			if p.afterDelayed(x.Execution, int(p.candidates[k])) {
				p.delay(x.Execution, p.candidates[k])
			}
		}
		p.count++
		if len(p.delayed) > 0 && !p.insertedBelow(x.Execution) {
			x.insertReordering()
		}
		if p.count > maxReorderings {
			return false
		}
		// The last candidate that came before n does not any more.
		for k--; k >= 0 && len(p.delayed) > 0 && p.delayed[len(p.delayed)-1] == p.candidates[k]; k-- {
			p.undelay(x.Execution)
		}
		if k < 0 {
			return true
		}
		p.delay(x.Execution, p.candidates[k])
	}
}

// delay delays an event. The delayed ones are in the order of the stack.
func (p *reorderings) delay(x *happens.Execution, j int32) {
	e := &x.Levels[j].Event
	if p.firstDelayed[e.Proc] == 0 {
		p.firstDelayed[e.Proc] = e.Index
	}
	p.delayed = append(p.delayed, j)
}

// undelay takes back that the last event is delayed.
func (p *reorderings) undelay(x *happens.Execution) {
	e := &x.Levels[p.delayed[len(p.delayed)-1]].Event
	if p.delayed = p.delayed[:len(p.delayed)-1]; p.firstDelayed[e.Proc] == e.Index {
		p.firstDelayed[e.Proc] = 0
	}
}

// afterDelayed reports whether the event at a position is delayed or happens after one.
func (p *reorderings) afterDelayed(x *happens.Execution, j int) bool {
	for proc, c := range x.Levels[j].Event.Clock {
		if first := p.firstDelayed[proc]; first != 0 && c >= first {
			return true
		}
	}
	return false
}

// insertReordering inserts everything that does not happen after one of the delayed events, from before the first of
// them, and then n, if that can run.
func (x *Search) insertReordering() {
	p := &x.reorderings
	i := int(p.delayed[0])
	if i > p.at { // what comes after n anyway is left out where it is
		return
	}
	precedes := func(j int, e *happens.Event) bool { return p.precedes(x.Execution, j, e) }
	known := x.LocallyPredictable(&p.n)
	if known && !x.EnabledAfterPrefix(&p.n, p.at, precedes) {
		return
	}
	if x.findInitialsInBacktrack(i); x.alreadyCovered(precedes) {
		return
	}
	if !known || p.plan != nil {
		x.SelectEvents(i, precedes)
	}
	switch {
	case !known && !x.Runs(i, x.SelectedActions(&p.n)):
	case p.plan != nil:
		p.plan(x, i, &p.n)
	default:
		x.insert(i, &p.n, precedes)
	}
}

// precedes reports whether an event comes before n in the present reordering.
func (p *reorderings) precedes(x *happens.Execution, j int, e *happens.Event) bool {
	return j != p.at && !p.afterN(x, e) && !p.afterDelayed(x, j)
}

// blockedRaces reverses the races of the steps that are disabled in the present node: a step that never runs has races
// too. Where the last event is independent of such a step, whatever it is about, all that has been done in the node
// below, where the step was disabled as well: what would be inserted now differs by that event, which takes no initial
// from a sequence.
func (x *Search) blockedRaces() {
	lv := x.Stack[x.Depth]
	lv.Node.Reordered = actionset.Set{}
	for p := lv.Node.Blockable.Next(0); p >= 0; p = lv.Node.Blockable.Next(p + 1) {
		mv := &x.Idle
		if !x.Disabled(mv, &lv.Node.Enabled, p) {
			continue
		}
		lv.Node.Reordered.Add(p)
		if x.Depth > 0 && x.Indifferent(&x.Stack[x.Depth-1].Event, mv) {
			continue
		}
		races := x.FindRaces(mv, &x.IdlePast)
		for i := range races {
			x.ReverseGuardedRace(&races[i], mv)
		}
		inserted(x.Watch, Reverses, x.Depth)
		x.ReorderGuarded(mv)
	}
}

// ReorderGuarded inserts all reorderings of a step that is about to be taken or is disabled.
func (x *Search) ReorderGuarded(n *happens.Transition) {
	for _, j := range x.InsertReorderings(n, x.Depth, nil) {
		x.AddAll(&x.Stack[j].Node)
	}
	inserted(x.Watch, Places, x.Depth)
}
