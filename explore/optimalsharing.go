package explore

import (
	"slices"

	"cdpor/explore/internal/actionset"
)

// How optimal hands over what is planned (README section 11). What an earlier sibling finds may belong below a later
// one that another worker has taken already, along a sequence planned there before. So while there is somebody earlier,
// what is shared goes on along planned sequences, and a new sequence follows them to where it parts from them. If
// nobody has that node on a stack any more, a work item leads there.

// earlierSiblingActive reports whether others may yet plan something below what is taken next from the present node:
// whether somebody goes on with an action that was taken earlier, from this node or one below it on the stack. Once
// nobody does, nobody will: who takes up something earlier again does so for somebody who is earlier still. So they are
// looked at in the order in which they come first.
func (x *search) earlierSiblingActive() bool {
	x.work(x.depth)
	for _, lv := range x.levels[:x.depth+1] {
		n := &lv.node
		for t := n.shared.first.next.Load(); t != n.inProgress; t = t.next.Load() {
			if t.below.Load() > 0 {
				return true
			}
		}
	}
	return false
}

// newSharedChild makes a shared child of a shared node, with what is planned below the action that leads there.
func (w *wakeup) newSharedChild(n *node, below branchID) *sharedNode {
	c := w.nodes.new()
	c.last = &c.first
	c.refs.Store(1)
	c.known.Add(1)
	if n.tree != none {
		c.trees.branches = make([]branch, 0, 1+w.size(below))
		c.tree = c.trees.move(w.forest, below)
	} else { // that is all the memory has: sequences may be long
		c.tree, c.trees = below, n.shared.trees
		n.shared.trees = forest{}
	}
	return c
}

// descend plans a sequence, as for place, that begins at the node at a stack position, unless it is covered by what has
// been explored or planned from there. plan is called with the node where that is to be done, which is held then if it
// is shared.
func (w *wakeup) descend(x *search, i int, weak func(a int) (at int, yes bool), follow func(a, at int) (more bool), plan func(n *node)) {
	n := &x.levels[i].node
	if n.shared == nil {
		if !meetsWeakly(&n.sleep, weak) {
			plan(n)
		}
		return
	}
	// Further down nothing that was asleep from the beginning can begin what does not begin with something that sleeps
	// here.
	if meetsWeakly(&n.shared.before, weak) {
		return
	}
	mine := n.inProgress
	w.path = w.path[:0]
	for {
		t, at, last := n.shared.first.meet(weak)
		if t == nil {
			if t, at = w.planUnless(x, n, last, weak, plan, i); t == nil {
				return
			}
		}
		if later := len(w.path) > 0 || t.number > mine.number; !later || t.child == nil || !follow(t.action, at) {
			return
		}
		w.path = append(w.path, t)
		w.there = node{shared: t.child}
		n = &w.there
	}
}

// planUnless plans a sequence in a shared node, to which w.path leads from a stack position, unless it meets what has
// been taken after the last action that it has been compared with: that is returned then. If nobody is going to come to
// the node, a work item sees to it.
func (w *wakeup) planUnless(x *search, n *node, last *takenAction, weak func(a int) (at int, yes bool), plan func(n *node), i int) (t *takenAction, at int) {
	n.shared.known.Wait()
	x.hold(n)
	defer x.release(n)
	if t, at, _ = last.meet(weak); t != nil {
		return t, at
	}
	plan(n)
	if len(w.path) > 0 && n.tree != none && n.shared.refs.Load() == 0 {
		x.pool.submit(x.copyWork(i, slices.Clone(w.path)))
	}
	return nil, 0
}

// meet finds the first of the actions taken after this one that is a weak initial, and otherwise the last one there is.
func (t *takenAction) meet(weak func(a int) (at int, yes bool)) (found *takenAction, at int, last *takenAction) {
	for next := t.next.Load(); next != nil; t, next = next, next.next.Load() {
		if at, yes := weak(next.action); yes {
			return next, at, nil
		}
	}
	return nil, 0, t
}

// meetsWeakly reports whether a set has a weak initial.
func meetsWeakly(s *actionset.Set, weak func(a int) (at int, yes bool)) bool {
	for a := s.Next(0); a >= 0; a = s.Next(a + 1) {
		if _, yes := weak(a); yes {
			return true
		}
	}
	return false
}

func (o *optimal) publish(n *node, s *sharedNode, present int) {
	s.tree = s.trees.move(o.own, n.tree)
	s.before, s.last = n.sleep, &s.first
	if present >= 0 {
		s.before.Remove(present)
		n.inProgress = s.take(&takenAction{}, present, nil)
	}
}

func (o *optimal) withdraw(n *node) { n.tree = o.own.move(o.forest, n.tree) }

func (o *optimal) hold(s *sharedNode) { o.forest = &s.trees }

func (o *optimal) release() { o.forest = o.own }

// taken takes what is planned below the action along.
func (o *optimal) taken(x *search, n *node, action int) {
	below := o.cut(n.tree)
	o.afterSubtree(x, n, action)
	switch {
	case below == none:
	case x.earlierSiblingActive():
		n.sharedChild = o.newSharedChild(n, below)
	default:
		n.plannedBelow = o.own.move(o.forest, below)
	}
	n.inProgress = n.shared.take(o.takens.new(), action, n.sharedChild)
	n.inProgress.below.Store(1)
}
