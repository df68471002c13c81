package dpor

import (
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/reversal"
	"cdpor/explore/internal/wakeup"
)

// What optimal plans: sequences of actions in wakeup trees (POPL'14, section 6). The first branch of a node on the
// stack is the one being explored; what comes after it has been handed to the child.

// Plans inserts reversals into the wakeup trees of nodes.
type Plans struct {
	*wakeup.Forest
	actions  []int32
	Clocked  byClocks
	running  reversal.Running
	selected reversal.Selected
}

// A planRecord is the part of a node that belongs to optimal.
type planRecord struct {
	Tree wakeup.Branch // wakeup tree: first branch
}

// meetsWeakly reports whether a set has a weak initial.
func meetsWeakly(s *actionset.Set, v wakeup.Sequence) bool {
	for a := s.Next(0); a >= 0; a = s.Next(a + 1) {
		if _, yes := v.Weak(a); yes {
			return true
		}
	}
	return false
}

// isLeaf reports whether one of some branches is an action and nothing more.
func (w *Plans) isLeaf(b wakeup.Branch, a int) bool {
	for ; b != wakeup.None; b = w.Next(b) {
		if w.Action(b) == a {
			return w.Child(b) == wakeup.None
		}
	}
	return false
}

// find is the node at a stack position if a sequence is to be planned there. It is nil if the sequence is covered by
// what has been explored from there: something asleep is a weak initial.
func (w *Plans) find(x *Search, i int, v wakeup.Sequence) *Node {
	if n := &x.Stack[i].Node; !meetsWeakly(&n.Sleep, v) {
		return n
	}
	return nil
}

// uncovered is find, and nil also if the branch under way covers the sequence.
func (w *Plans) uncovered(x *Search, i int, v wakeup.Sequence) *Node {
	n := w.find(x, i, v)
	if n == nil {
		return nil
	}
	if _, covered := v.Weak(w.Action(n.Tree)); covered {
		return nil
	}
	return n
}

// DropFirst removes the first branch of a node.
func (w *Plans) DropFirst(n *Node) { n.Tree = w.Drop(n.Tree) }

// place inserts a sequence into the wakeup tree of a node whose sleep set it does not meet, and reports whether it has
// come to a leaf.
func (w *Plans) place(n *Node, v wakeup.Sequence) (leaf bool) {
	n.Tree, leaf = w.Insert(n.Tree, w.Next(n.Tree), v)
	return leaf
}

// byClocks is a reversal as a wakeup.Sequence, told from the clocks of the stack.
type byClocks struct {
	reversal.Reversal
	x       *happens.Execution
	always  bool // all that weak has said was certain
	actions []int32
}

func (s *byClocks) Weak(a int) (at int, yes bool) {
	at, yes = s.Reversal.Weak(s.x, a)
	s.always = s.always && s.Certain
	return at, yes
}

func (s *byClocks) Follow(a, at int) (more bool) { return s.Reversal.Follow(s.x, a, at) }

func (s *byClocks) Rest() []int32 {
	s.actions = s.Reversal.Rest(s.x, s.actions[:0])
	return s.actions
}

// insertReversal plans the reversal of the race of the event e at stack position i with the event n at position d,
// under a relation that does not depend on the state. It reports whether this need not be done again for other
// executions that are the same up to n: what sleeps before e, and what is planned there, has a weak initial of the
// sequence on account of events up to n. While e is on the stack, branches are only added behind the others there, and
// never to the end of a branch. The branch under way begins with e, which is no weak initial: n happens after e.
func (w *Plans) insertReversal(x *Search, i, d int) (settled bool) {
	v := &w.Clocked
	v.x = x.Execution
	v.Begin(v.x, i, d)
	n := w.find(x, i, v)
	if n == nil {
		return v.Certain
	}
	v.always = true
	leaf := w.place(n, v)
	return v.always && leaf
}

// insert plans a sequence of actions from the node at stack position i. The order among its events is found by running
// it. Should it turn out that it cannot run, whatever is neither asleep nor planned is planned by itself.
func (w *Plans) insert(x *Search, i int, actions []int32) {
	v := &w.running
	x.Adapt(i, actions)
	if !v.Begin(x.Execution, i, actions) {
		x.Count.Unplanned++
		w.PlanAll(&x.Stack[i].Node)
		return
	}
	n := w.uncovered(x, i, v)
	if n == nil {
		return
	}
	if v.Possible {
		w.place(n, v)
	}
	if !v.Possible {
		x.Count.Unplanned++
		w.PlanAll(n)
	}
}

// toldWithoutRunning reports whether events and a transition behind them are planned without running them, which costs
// an execution where a program is really run.
func toldWithoutRunning(x *Search, n *happens.Transition) bool {
	return x.Guards != nil && x.Guards.Widest(n) != nil
}

// insertSelected plans the selected events above stack position i, and then n, of a program that is really run.
func (w *Plans) insertSelected(x *Search, i int, n *happens.Transition) {
	v := &w.selected
	x.Accesses.Follow(x.Execution)
	v.Begin(x.Execution, i, x.Selection, n, x.joined(n))
	if at := w.uncovered(x, i, v); at != nil {
		w.place(at, v)
	}
}

// PlanAll plans whatever is enabled in a node, not asleep and not planned yet.
func (w *Plans) PlanAll(n *Node) {
	rest := n.Free()
	for b := n.Tree; b != wakeup.None; b = w.Next(b) {
		rest.Remove(w.Action(b))
	}
	for a := rest.Next(0); a >= 0; a = rest.Next(a + 1) {
		n.Tree = w.Append(n.Tree, w.New(int32(a), wakeup.None))
	}
}
