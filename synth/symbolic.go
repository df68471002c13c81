package synth

import (
	"cdpor/lang/step"
	"cdpor/synth/internal/term"
	"cdpor/synth/internal/unsupported"
)

// outcome is how a step ended.
type outcome struct {
	kind  ending
	node  int // where the process stands now, or failed
	fault step.Fault
}

type ending uint8

const (
	stopped ending = iota // before the visible node, or at End
	failed
	droppedOut
)

// maxNodes bounds the nodes of one run of a step: loops that go on longer are not analysed.
const maxNodes = 400

// enabled tells whether the process in a slot can take a step. A guard that fails counts as enabled.
func (x *run) enabled(slot int, s *step.Step) bool {
	n := s.Template.Nodes[s.Entry]
	x.own, x.fault = slot, step.NoFault
	switch {
	case n.Kind == step.Await:
		return x.truth(n.Cond) || x.fault != step.NoFault
	case n.Kind == step.Choose && n.Cond != nil:
		return x.possible(slot, n)
	}
	return true
}

// possible tells whether the alternative that the process takes is one that a guarded choice has now. As nothing that
// is found depends on which it is, two steps that commute leave each other the same alternatives.
func (x *run) possible(slot int, n *step.Node) bool {
	last := int(n.Src.Words[0]) - 1
	chosen := term.Constant(0)
	if x.concrete != nil {
		chosen = term.Constant(x.concrete(slot, nil, 2))
	} else if last > 0 {
		chosen = x.t.Choice(slot)
		x.assume(x.lessThan(chosen, term.Constant(int64(last+1))))
	}
	holds := func(k int) bool { return x.truth(n.Condition(k)) || x.fault != step.NoFault }
	for k := range last {
		if x.equal(chosen, term.Constant(int64(k))) {
			return holds(k)
		}
	}
	if !n.Otherwise {
		return holds(last)
	}
	for k := range last {
		if holds(k) {
			return false
		}
	}
	return true
}

// exec runs a step of the process in a slot on the current store.
func (x *run) exec(slot int, s *step.Step) outcome {
	t := s.Template
	x.own, x.fault = slot, step.NoFault
	at, started := s.Entry, 0
	for range maxNodes {
		n := t.Nodes[at]
		next := x.plain(n)
		switch n.Kind {
		case step.Await:
			x.truth(n.Cond)
		case step.Assume:
			if holds := x.truth(n.Cond); x.fault == step.NoFault && !holds {
				return outcome{kind: droppedOut}
			}
		case step.Choose:
			if count := x.scalar(n.Src); x.fault == step.NoFault && !x.choose(slot, n, count) {
				return outcome{kind: droppedOut}
			}
		case step.Spawn:
			x.spawn(slot, n, started)
			started++
		}
		if x.fault != step.NoFault {
			return outcome{kind: failed, node: at, fault: x.fault}
		}
		if next == step.End {
			x.over(slot)
		}
		if next == step.End || t.Nodes[next].Visible {
			return outcome{kind: stopped, node: next}
		}
		at = next
	}
	panic(unsupported.Reason("a loop has no small bound"))
}

// plain runs a node that steps and functions have in common, and says where it goes on; exec runs the others.
func (x *run) plain(n *step.Node) (next int) {
	x.o.Spend(1)
	next = n.Next
	switch n.Kind {
	case step.Nop, step.Await, step.Assume, step.Choose, step.Spawn:
	case step.Assign:
		x.assign(n)
	case step.Branch:
		if !x.truth(n.Cond) {
			next = n.Else
		}
	case step.Check:
		if !x.truth(n.Cond) {
			x.raise(n.Fault)
		}
	case step.Append, step.PopHead, step.PopTail:
		x.change(n)
	default:
		panic(unsupported.Reason("the step does something unknown"))
	}
	return next
}

// choose stores the alternative that the process takes: an unknown that is the same in all orders. It reports false if
// there is none. No condition can speak about it, so what is found holds for every alternative.
func (x *run) choose(slot int, n *step.Node, count term.Form) bool {
	if x.atMost(count, term.Constant(0)) {
		return false
	}
	if x.lessThan(term.Constant(step.MaxAlternatives), count) {
		x.raise(step.TooManyChoices)
		return true
	}
	if x.concrete != nil {
		x.store(x.mustPlace(n.Dst), []term.Form{term.Constant(x.concrete(slot, nil, 2))})
		return true
	}
	c := x.t.Choice(slot)
	x.assume(x.lessThan(c, count))
	x.store(x.mustPlace(n.Dst), []term.Form{c})
	return true
}

func (x *run) mustPlace(e *step.Expr) term.Place {
	p, ok := x.place(e)
	if !ok {
		panic(unsupported.Reason("an assignment to no place"))
	}
	return p
}

func (x *run) assign(n *step.Node) {
	if changesInPlace(n) {
		x.changeByKey(n)
		return
	}
	words := x.stored(n.Dst.Type, n.Src)
	if x.fault != step.NoFault {
		return
	}
	x.store(x.mustPlace(n.Dst), words)
}

// store writes the words of a value unless there was a fault.
func (x *run) store(dst term.Place, words []term.Form) {
	if x.fault != step.NoFault {
		return
	}
	i := 0
	dst.WordsOf(func(w term.Place) {
		x.write(w, words[i])
		i++
	})
}

// change runs a node that changes the length of a list or queue.
func (x *run) change(n *step.Node) {
	var value []term.Form
	if n.Kind == step.Append {
		value = x.stored(n.Dst.Type.Elem, n.Src)
	}
	if x.fault != step.NoFault {
		return
	}
	list := x.mustPlace(n.Dst)
	if x.fault != step.NoFault {
		return
	}
	size, elem, limit := x.reduce(x.read(list)), list.Typ.Elem, list.Typ.Len
	if n.Kind == step.Append {
		if x.atMost(term.Constant(int64(limit)), size) {
			x.raise(step.Full)
			return
		}
		x.store(list.Sub(1, elem, x.reduce(size)), value)
		x.write(list, size.Plus(1, term.Constant(1)))
		return
	}
	if x.zero(size) {
		x.raise(step.Empty)
		return
	}
	if limit*elem.Words() > maxWords {
		panic(unsupported.Reason("a list is too large"))
	}
	count := 1
	for count < limit && !x.equal(size, term.Constant(int64(count))) {
		count++
	}
	zero := make([]term.Form, elem.Words())
	if n.Kind == step.PopHead {
		for i := range count - 1 {
			x.store(list.Sub(1, elem, term.Constant(int64(i))), x.all(list.Sub(1, elem, term.Constant(int64(i+1)))))
		}
	}
	x.store(list.Sub(1, elem, term.Constant(int64(count-1))), zero)
	x.write(list, term.Constant(int64(count-1)))
}
