package symbolic

import (
	"cdpor/lang/step"
	"cdpor/synth/internal/term"
	"cdpor/synth/internal/unsupported"
)

// Outcome is how a step ended.
type Outcome struct {
	Kind  ending
	Node  int // where the process stands now, or failed
	Fault step.Fault
}

type ending uint8

const (
	Stopped ending = iota // before the visible node, or at End
	Failed
	DroppedOut
)

// Enabled reports whether the process in a slot can take a step. A guard that fails counts as enabled.
func (x *Run) Enabled(slot int, s *step.Step) bool {
	n := s.Template.Nodes[s.Entry]
	x.Own, x.Fault = slot, step.NoFault
	switch {
	case n.Kind == step.Await:
		return x.truth(n.Cond) || x.Fault != step.NoFault
	case n.Kind == step.Choose && n.Cond != nil:
		return x.possible(slot, n)
	}
	return true
}

// possible reports whether the alternative that the process takes is one that a guarded choice has now. As nothing that
// is found depends on which it is, two steps that commute leave each other the same alternatives.
func (x *Run) possible(slot int, n *step.Node) bool {
	last := int(n.Src.Words[0]) - 1
	chosen := term.Constant(0)
	if x.Concrete != nil {
		chosen = term.Constant(x.Concrete(slot, nil, 2))
	} else if last > 0 {
		chosen = x.Table.Choice(slot)
		x.assume(x.LessThan(chosen, term.Constant(int64(last+1))))
	}
	holds := func(k int) bool { return x.truth(n.Condition(k)) || x.Fault != step.NoFault }
	for k := range last {
		if x.Equal(chosen, term.Constant(int64(k))) {
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

// Exec runs a step of the process in a slot on the current store.
func (x *Run) Exec(slot int, s *step.Step) Outcome {
	t := s.Template
	x.Own, x.Fault = slot, step.NoFault
	at, started := s.Entry, 0
	for range maxNodes {
		n := t.Nodes[at]
		next := x.plain(n)
		switch n.Kind {
		case step.Await:
			x.truth(n.Cond)
		case step.Assume:
			if holds := x.truth(n.Cond); x.Fault == step.NoFault && !holds {
				return Outcome{Kind: DroppedOut}
			}
		case step.Choose:
			if count := x.Scalar(n.Src); x.Fault == step.NoFault && !x.choose(slot, n, count) {
				return Outcome{Kind: DroppedOut}
			}
		case step.Spawn:
			x.spawn(slot, n, started)
			started++
		}
		if x.Fault != step.NoFault {
			return Outcome{Kind: Failed, Node: at, Fault: x.Fault}
		}
		if next == step.End {
			x.over(slot)
		}
		if next == step.End || t.Nodes[next].Visible {
			return Outcome{Kind: Stopped, Node: next}
		}
		at = next
	}
	panic(unsupported.Reason("a loop has no small bound"))
}

// choose stores the alternative that the process takes: an unknown that is the same in all orders. It reports false if
// there is none. No condition can speak about it, so what is found holds for every alternative.
func (x *Run) choose(slot int, n *step.Node, count term.Form) bool {
	if x.AtMost(count, term.Constant(0)) {
		return false
	}
	if x.LessThan(term.Constant(step.MaxAlternatives), count) {
		x.raise(step.TooManyChoices)
		return true
	}
	if x.Concrete != nil {
		x.store(x.mustPlace(n.Dst), []term.Form{term.Constant(x.Concrete(slot, nil, 2))})
		return true
	}
	c := x.Table.Choice(slot)
	x.assume(x.LessThan(c, count))
	x.store(x.mustPlace(n.Dst), []term.Form{c})
	return true
}
