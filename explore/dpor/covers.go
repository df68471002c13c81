package dpor

import (
	"slices"

	"cdpor/explore/internal/happens"
)

// Sleep sequences, and what is known of the order that one is left to (THEORY, "Sleep sequences").

// A Sequence is a sleep sequence: actions that need not be taken one after the other from a node.
type Sequence struct {
	Actions []int32
	cover   cover
}

// A sequenceRecord is the sleep sequences that begin at a node. Those found there lie in memory, the others in that of
// an ancestor. Where all actions of a sequence but the last have been taken, that one is asleep because of its state.
type sequenceRecord struct {
	Sequences []Sequence
	memory    []int32
	sleepers  []stateSleeper // one for each of StateSleep, and for some that sleep anyway
}

// An order has been explored and leads to the same state as a sleep sequence.
type order struct {
	at    int                  // the depth where both begin
	clock []int32              // what happens before some event of the order; nil: the same as in the sequence
	steps []happens.Transition // its events, if there are constraints
}

// A cover is the order that a sequence is left to, and the depths of those events of the sequence that have been taken.
type cover struct {
	order *order // nil: nothing is known
	taken []int32
}

// behind is the cover of a sequence whose next event has been taken at a depth.
func (c cover) behind(depth int) cover {
	return cover{c.order, append(slices.Clip(c.taken), int32(depth))}
}

// orderFrom is the order of the stack from a depth on, the event of the present level included.
func (x *Search) orderFrom(at int) *order {
	o := &order{at: at, clock: make([]int32, x.Procs)}
	for _, lv := range x.Stack[at : x.Depth+1] {
		happens.Join(o.clock, lv.Event.Clock)
		if x.Conditions != nil {
			t := lv.Event.Transition
			t.Foot = slices.Clone(t.Foot)
			o.steps = append(o.steps, t)
		}
	}
	return o
}

// A stateSleeper is an action that is asleep because of its state.
type stateSleeper struct {
	action int
	since  int // the depth where it fell asleep
	cover  cover
}

// sleep lets an action sleep because of its state, from the node at a depth on.
func (n *Node) sleep(a, depth int, c cover) {
	if !n.StateSleep.Has(a) {
		n.StateSleep.Add(a)
		n.sleepers = append(n.sleepers, stateSleeper{a, depth, c})
	}
}

// stateSleeper is what is known of an action that is asleep because of its state.
func (n *Node) stateSleeper(a int) stateSleeper {
	for _, s := range n.sleepers {
		if s.action == a {
			return s
		}
	}
	return stateSleeper{action: a, since: -1} // read from a file
}

// coverOfSwap is the cover of an action that is asleep in the present node and goes on sleeping behind the event there,
// as both orders lead to the same state; alike tells that both together touch the same in both orders. If it sleeps
// because it has been explored, only the two are in another order than in what was.
func (x *Search) coverOfSwap(n *Node, a int, alike bool) cover {
	switch {
	case !alike:
		return cover{}
	case n.StateSleep.Has(a):
		return n.stateSleeper(a).cover.behind(x.Depth)
	}
	at := x.Depth // where it has been explored
	for at > 0 && x.Stack[at-1].Node.Sleep.Has(a) && !x.LeftOut.Explored {
		at--
	}
	return cover{order: &order{at: at}}.behind(x.Depth)
}

// spared says from which nodes nothing need be tried on behalf of a sleeper.
type spared struct {
	cover
	clock  []int32          // what happens before the sequence, the order, or what touches something of theirs
	events []*happens.Event // of the sequence
}

// spare finds out for a sleeper, whose event is that of the present level, with what happens before it.
func (x *Search) spare(c *cover, clock []int32) {
	s := &x.spared
	s.cover = *c
	if c.order == nil {
		return
	}
	s.clock = append(s.clock[:0], clock...)
	happens.Join(s.clock, c.order.clock)
	s.events = append(s.events[:0], &x.Stack[x.Depth].Event)
	for _, d := range c.taken {
		e := &x.Stack[d].Event
		s.events = append(s.events, e)
		happens.Join(s.clock, e.Clock)
	}
	if x.wakesDifferently() && !x.LeftOut.Explored {
		s.order = nil
		return
	}
	if x.Conditions == nil {
		return // what touches something of theirs happens before them
	}
	for _, lv := range x.Stack[:s.order.at] {
		if f := &lv.Event; s.meets(func(e *happens.Event) bool { return !x.Indifferent(f, &e.Transition) }) {
			happens.Join(s.clock, f.Clock)
		}
	}
}

// wakesDifferently reports whether the sequence may have woken something that was asleep where it begins, and the order
// not, or the other way round.
func (x *Search) wakesDifferently() bool {
	at := x.spared.order.at
	if at == 0 {
		return false
	}
	node, below := &x.Stack[at].Node, x.Stack[at-1]
	asleep, inherited := node.asleep(), below.Node.asleep()
	inherited = inherited.And(&asleep)
	for a := inherited.Next(0); a >= 0; a = inherited.Next(a + 1) {
		p := x.ProcOf(a)
		if x.Next(&x.Idle, at, p); p != below.Event.Proc && x.spared.meets(func(e *happens.Event) bool {
			return !x.Indifferent(e, &x.Idle)
		}) {
			return true
		}
	}
	return false
}

// meets reports whether something holds of an event of the sequence or of the order.
func (s *spared) meets(holds func(*happens.Event) bool) bool {
	return slices.ContainsFunc(s.events, holds) || slices.ContainsFunc(s.order.steps, func(t happens.Transition) bool {
		return holds(&happens.Event{Transition: t})
	})
}

// spares reports whether nothing need be tried from the node at a depth: it lies before the sequence, and neither the
// event there nor one that happens after it touches anything that the sequence or the order does.
func (x *Search) spares(depth int) bool {
	s, e := &x.spared, &x.Stack[depth].Event
	return s.order != nil && depth < s.order.at && (x.LeftOut.Relation || !happens.Covers(s.clock, e))
}

// Keep copies what a node shares with others of its stack.
func (n *Node) Keep() {
	n.memory, n.sleepers, n.Sequences = nil, slices.Clone(n.sleepers), slices.Clone(n.Sequences)
	for i := range n.Sequences {
		n.Sequences[i].Actions = slices.Clone(n.Sequences[i].Actions)
	}
}
