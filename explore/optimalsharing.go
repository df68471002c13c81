package explore

import (
	"slices"
	"sync"
	"sync/atomic"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/wakeup"
)

// How optimal hands over what is planned (README, "Several workers"). What an earlier sibling finds may belong below a
// later one that another worker has taken already, along a sequence planned there before. So while there is somebody
// earlier, what is shared goes on along planned sequences, and a new sequence follows them to where it parts from
// them. If nobody has that node on a stack any more, a work item leads there.

// A sharedPlans is what optimal shares of a node.
type sharedPlans struct {
	trees  wakeup.Forest  // memory of the wakeup tree
	tree   wakeup.Branch  // of what waits
	known  sync.WaitGroup // until it is known what is asleep from the beginning
	before actionset.Set  // that
	first  takenAction    // stands before the others in the list of what has been taken
	last   *takenAction   // of that list
}

// A takenAction is one that has been taken from a shared node. The list of them only grows, and is read without the
// lock.
type takenAction struct {
	action int
	number int          // its place in the list, counted from 1
	child  *sharedNode  // where it led, if something was planned there and another worker may plan more
	below  atomic.Int32 // stacks that go on with it, those of work items included
	next   atomic.Pointer[takenAction]
}

// take adds an action to what has been taken. The node is held, or nobody else knows it.
func (s *sharedPlans) take(t *takenAction, action int, child *sharedNode) *takenAction {
	t.action, t.number, t.child = action, s.last.number+1, child
	s.last.next.Store(t)
	s.last = t
	return t
}

// find is what stands in the list for an action, nil if it does not.
func (s *sharedPlans) find(action int) *takenAction {
	t := s.first.next.Load()
	for t != nil && t.action != action {
		t = t.next.Load()
	}
	return t
}

// earlierSiblingActive reports whether others may yet plan something below what is taken next from the present node:
// whether somebody goes on with an action that was taken earlier, from this node or one below it on the stack. Once
// nobody does, nobody will: who takes up something earlier again does so for somebody who is earlier still. So they
// are looked at in the order in which they come first.
func (x *search) earlierSiblingActive() bool {
	x.Work(x.Depth)
	for _, lv := range x.levels[:x.Depth+1] {
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
func (w *plans) newSharedChild(n *node, below wakeup.Branch) *sharedNode {
	c := w.nodes.New()
	c.last = &c.first
	c.refs.Store(1)
	c.known.Add(1)
	if n.tree != wakeup.None {
		c.trees = wakeup.WithRoom(w.Size(below))
		c.tree = c.trees.Move(w.Forest, below)
	} else { // that is all the memory has: sequences may be long
		c.tree, c.trees = below, n.shared.trees
		n.shared.trees = wakeup.Forest{}
	}
	return c
}

// descend plans a sequence, as for place, that begins at the node at a stack position, unless it is covered by what
// has been explored or planned from there. plan is called with the node where that is to be done, which is held then
// if it is shared.
func (w *plans) descend(x *search, i int, v wakeup.Sequence, plan func(n *node)) {
	n := &x.levels[i].node
	if n.shared == nil {
		if !meetsWeakly(&n.sleep, v) {
			plan(n)
		}
		return
	}
	// Further down nothing that was asleep from the beginning can begin what does not begin with something that sleeps
	// here.
	if meetsWeakly(&n.shared.before, v) {
		return
	}
	mine := n.inProgress
	w.path = w.path[:0]
	for {
		t, at, last := n.shared.first.meet(v)
		if t == nil {
			if t, at = w.planUnless(x, n, last, v, plan, i); t == nil {
				return
			}
		}
		if later := len(w.path) > 0 || t.number > mine.number; !later || t.child == nil || !v.Follow(t.action, at) {
			return
		}
		w.path = append(w.path, t)
		w.there = node{shared: t.child}
		n = &w.there
	}
}

// planUnless plans a sequence in a shared node, to which w.path leads from a stack position, unless it meets what has
// been taken after the last action that it has been compared with: that is returned then. If nobody is going to come
// to the node, a work item sees to it.
func (w *plans) planUnless(x *search, n *node, last *takenAction, v wakeup.Sequence, plan func(n *node),
	i int) (t *takenAction, at int) {
	n.shared.known.Wait()
	x.hold(n)
	defer x.release(n)
	if t, at, _ = last.meet(v); t != nil {
		return t, at
	}
	plan(n)
	if len(w.path) > 0 && n.tree != wakeup.None && n.shared.refs.Load() == 0 {
		x.pool.submit(x.copyWork(i, slices.Clone(w.path)))
	}
	return nil, 0
}

// meet finds the first of the actions taken after this one that is a weak initial, and otherwise the last one there
// is.
func (t *takenAction) meet(v wakeup.Sequence) (found *takenAction, at int, last *takenAction) {
	for next := t.next.Load(); next != nil; t, next = next, next.next.Load() {
		if at, yes := v.Weak(next.action); yes {
			return next, at, nil
		}
	}
	return nil, 0, t
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

func (o *optimal) publish(n *node, s *sharedNode, present int) {
	s.tree = s.trees.Move(o.own, n.tree)
	s.before, s.last = n.sleep, &s.first
	if present >= 0 {
		s.before.Remove(present)
		n.inProgress = s.take(&takenAction{}, present, nil)
	}
}

func (o *optimal) withdraw(n *node, s *sharedNode) {
	n.tree = o.own.Move(o.Forest, n.tree)
	o.Forest, s.tree = o.own, wakeup.None
}

func (o *optimal) hold(n *node, s *sharedNode) { o.Forest, n.tree = &s.trees, s.tree }

func (o *optimal) release(n *node, s *sharedNode) { o.Forest, s.tree = o.own, n.tree }

// taken takes what is planned below the action along.
func (o *optimal) taken(x *search, n *node, action int) {
	below := o.Cut(n.tree)
	o.afterSubtree(x, n, action)
	switch {
	case below == wakeup.None:
	case x.earlierSiblingActive():
		n.sharedChild = o.newSharedChild(n, below)
	default:
		n.plannedBelow = o.own.Move(o.Forest, below)
	}
	n.inProgress = n.shared.take(o.takens.New(), action, n.sharedChild)
	n.inProgress.below.Store(1)
}
