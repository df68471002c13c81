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
