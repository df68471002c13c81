package dpor

import "slices"

// A faster form of line 3 of algorithm 2 of POPL'14. The races of an execution have mostly been looked at before, at
// the end of an execution with the same events up to the later one of the race. A race is settled when looking at it
// again would change nothing as long as that event is on the stack. The ledger knows which races are not.

// ledger is scratch memory.
type ledger struct {
	unsettled []int32 // levels
	settled   []int32 // races of a level
}

// A ledgerRecord is the part of a node that belongs to the ledger.
type ledgerRecord struct {
	pending    int32 // how many races of the event of this level, from the first on, have to be looked at yet
	unsettled  int32 // the last level up to this one of which something has to be planned, -1 if there is none
	alternates bool  // the step of the event of this level has other actions, which may have to be planned yet
}

// settled reports whether nothing has to be planned on account of the event of a level at the end of an execution.
func (lv *Level) settled() bool {
	return lv.Node.pending == 0 && !lv.Node.alternates && !lv.Event.Guarded
}

// open begins with the event of the present level, whose races are known.
func (l *ledger) open(x *Search) {
	lv := x.Stack[x.Depth]
	n := &lv.Node
	n.alternates = false
	x.Alternatives(n, lv.Event.Action, func(int) { n.alternates = true })
	n.pending, n.unsettled = int32(len(lv.Races)), int32(x.Depth)
	if lv.settled() {
		n.unsettled = unsettledBelow(x, x.Depth)
	}
}

// unsettledBelow is the last level below a depth of which something may have to be planned, -1 if there is none.
func unsettledBelow(x *Search, depth int) int32 {
	if depth == 0 {
		return -1
	}
	return x.Stack[depth-1].Node.unsettled
}

// levels lists the levels of which something may have to be planned. By the reference path these are all.
func (l *ledger) levels(x *Search) []int32 {
	l.unsettled = l.unsettled[:0]
	if x.Without.Ledger {
		for d := range x.Depth {
			x.Stack[d].Node.alternates = true
			l.unsettled = append(l.unsettled, int32(d))
		}
		return l.unsettled
	}
	above := x.Depth
	for above > 0 {
		d := int(unsettledBelow(x, above))
		for d >= 0 && x.Stack[d].settled() { // in the meantime
			x.Work(1)
			d = int(unsettledBelow(x, d))
		}
		x.Stack[above-1].Node.unsettled = int32(d)
		if d < 0 {
			break
		}
		l.unsettled = append(l.unsettled, int32(d))
		above = d
	}
	slices.Reverse(l.unsettled)
	return l.unsettled
}

// races calls f for the races of the event at a depth that are not settled, by the reference path for all. f reports
// whether one is from now on.
func (l *ledger) races(x *Search, d int, f func(at int) (settled bool)) {
	lv := x.Stack[d]
	n := &lv.Node
	if x.Without.Ledger {
		n.pending = int32(len(lv.Races))
	}
	pending := lv.Races[:n.pending]
	n.pending, l.settled = 0, l.settled[:0]
	for _, at := range pending {
		if f(int(at)) {
			l.settled = append(l.settled, at)
		} else {
			lv.Races[n.pending] = at
			n.pending++
		}
	}
	copy(pending[n.pending:], l.settled)
}
