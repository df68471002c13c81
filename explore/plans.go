package explore

import (
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/reversal"
	"cdpor/explore/internal/wakeup"
)

// What optimal plans: sequences of actions in wakeup trees (POPL'14, section 6). The first branch of a node on the
// stack is the one being explored; what comes after it has been handed to the child.

// plans inserts reversals into the wakeup trees of nodes.
type plans struct {
	*wakeup.Forest
	trees   treeFrontier
	actions []int32
	clocked byClocks
	running reversal.Running
}

// A planRecord is what optimal has of a node.
type planRecord struct {
	tree wakeup.Branch // wakeup tree: first branch
}

// A treeFrontier is what becomes of what is planned. There are two forms: ownTrees, of a search that is alone, and
// sharedTrees, of one of several workers (optimalsharing.go).
type treeFrontier interface {
	// handDown gives a child what is planned below the branch that leads there, which is under way.
	handDown(lv, child *Level)
	// firstWaiting is the first branch of a node that is not under way. The node is locked.
	firstWaiting(n *Node) wakeup.Branch
	// find is the node where a sequence that begins at the node at a stack position is to be planned. It is locked. It
	// is nil if the sequence is covered by what has been explored from there: something asleep is a weak initial.
	find(x *Search, i int, v wakeup.Sequence) *Node
	// planned is called when that has been done, before the node is unlocked.
	planned(x *Search, i int, n *Node)
	// coveredNow reports whether a sequence will be explored below the branch that is under way from a node.
	coveredNow(n *Node, v wakeup.Sequence) bool
	// explores reports whether all that begins with an action from a node has been explored, or will be by a branch
	// that is planned there.
	explores(n *Node, a int) bool
	// grows reports whether others may add to what is planned from a node.
	grows(n *Node) bool
}

// ownTrees are the wakeup trees of a search that is alone. The first branch of a node on the stack is under way.
type ownTrees struct{ *plans }

func (w ownTrees) handDown(lv, child *Level) { child.node.tree = w.Cut(lv.node.tree) }

func (w ownTrees) firstWaiting(n *Node) wakeup.Branch { return w.Next(n.tree) }

func (w ownTrees) find(x *Search, i int, v wakeup.Sequence) *Node {
	if n := &x.Stack[i].node; !meetsWeakly(&n.sleep, v) {
		return n
	}
	return nil
}

func (w ownTrees) planned(*Search, int, *Node) {}

// meetsWeakly reports whether a set has a weak initial.
func meetsWeakly(s *actionset.Set, v wakeup.Sequence) bool {
	for a := s.Next(0); a >= 0; a = s.Next(a + 1) {
		if _, yes := v.Weak(a); yes {
			return true
		}
	}
	return false
}

func (w ownTrees) coveredNow(n *Node, v wakeup.Sequence) bool {
	_, yes := v.Weak(w.Action(n.tree))
	return yes
}

func (w ownTrees) explores(n *Node, a int) bool { return n.sleep.Has(a) || w.isLeaf(n.tree, a) }

// isLeaf reports whether one of some branches is an action and nothing more.
func (w *plans) isLeaf(b wakeup.Branch, a int) bool {
	for ; b != wakeup.None; b = w.Next(b) {
		if w.Action(b) == a {
			return w.Child(b) == wakeup.None
		}
	}
	return false
}

func (w ownTrees) grows(*Node) bool { return false }

func (w *plans) begin() {
	w.Forest = &wakeup.Forest{}
	w.trees = ownTrees{w}
}

// drop removes the first branch of a node.
func (w *plans) drop(n *Node) { n.tree = w.Drop(n.tree) }

// place inserts a sequence into the wakeup tree of a node whose sleep set it does not meet, and reports whether it has
// come to a leaf.
func (w *plans) place(n *Node, v wakeup.Sequence) (leaf bool) {
	n.tree, leaf = w.Insert(n.tree, w.trees.firstWaiting(n), v)
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
// never to the end of a branch.
func (w *plans) insertReversal(x *Search, i, d int) (settled bool) {
	v := &w.clocked
	v.x = x.Execution
	v.Begin(v.x, i, d)
	grows := w.trees.grows(&x.Stack[i].node)
	n := w.trees.find(x, i, v)
	if n == nil {
		return v.Certain && !grows
	}
	defer x.frontier.unlock(n)
	v.always = true
	leaf := w.place(n, v)
	w.trees.planned(x, i, n)
	return v.always && leaf && !grows
}

// insert plans a sequence of actions from the node at stack position i. The order among its events is found by running
// it. Should it turn out that it cannot run, whatever is neither asleep nor planned is planned by itself.
func (w *plans) insert(x *Search, i int, actions []int32, _ int) {
	v := &w.running
	x.Adapt(i, actions)
	if !v.Begin(x.Execution, i, actions) {
		x.Count.Unplanned++
		w.planAllAt(x, i)
		return
	}
	n := w.trees.find(x, i, v)
	if n == nil {
		return
	}
	defer x.frontier.unlock(n)
	if w.trees.coveredNow(n, v) {
		return
	}
	if v.Possible {
		w.place(n, v)
	}
	if !v.Possible {
		x.Count.Unplanned++
		x.EnabledBefore(v, &n.enabled) // the node may be on no stack
		w.planAll(n)
	}
	w.trees.planned(x, i, n)
}

// planAllAt is planAll of the node at a stack position.
func (w *plans) planAllAt(x *Search, i int) {
	n := &x.Stack[i].node
	x.frontier.lock(n)
	w.planAll(n)
	x.frontier.unlock(n)
}

// planAll plans whatever is enabled in a node, not asleep and not planned yet.
func (w *plans) planAll(n *Node) {
	rest := n.free()
	for b := n.tree; b != wakeup.None; b = w.Next(b) {
		rest.Remove(w.Action(b))
	}
	for a := rest.Next(0); a >= 0; a = rest.Next(a + 1) {
		n.tree = w.Append(n.tree, w.New(int32(a), wakeup.None))
	}
}
