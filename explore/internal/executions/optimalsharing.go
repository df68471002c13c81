package executions

import (
	"slices"
	"sync"
	"sync/atomic"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/memory"
	"cdpor/explore/internal/wakeup"
)

// How several workers share wakeup trees (README, "Several workers"). What an earlier sibling finds may belong below a
// later one that another worker has taken already, along a sequence planned there before. So while there is somebody
// earlier, what is shared goes on along planned sequences, and a new sequence follows them to where it parts from them.
// If nobody has that node on a stack any more, a work item leads there.

// A sharedPlans is what optimal shares of a node.
type sharedPlans struct {
	trees  wakeup.Forest  // memory of the wakeup tree
	tree   wakeup.Branch  // of what waits
	known  sync.WaitGroup // until it is known what is asleep from the beginning
	before actionset.Set  // that
	first  takenAction    // stands before the others in the list of what has been taken
	last   *takenAction   // of that list
}

// A sharedPlanRecord is what a worker knows of the plans of a node that it shares.
type sharedPlanRecord struct {
	inProgress   *takenAction  // what is under way from it
	SharedChild  *sharedNode   // the shared child that an action has just been taken to
	plannedBelow wakeup.Branch // what is planned in the child, which is not shared
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

// take adds an action to what has been taken. The node is locked, or nobody else knows it.
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

// sharedTrees are the wakeup trees of a worker. Those of nodes that it has for itself are as in a search that is alone.
type sharedTrees struct {
	dpor.OwnTrees
	frontier *sharedFrontier
	own      *wakeup.Forest // memory of the trees that are not shared
	nodes    memory.Slab[sharedNode]
	takens   memory.Slab[takenAction]
	path     []*takenAction // of the present descent
	there    dpor.Node      // where the last descent has led, if that is not on the stack
}

func newSharedTrees(f *sharedFrontier, o *dpor.Optimal) *sharedTrees {
	w := &sharedTrees{OwnTrees: dpor.OwnTrees{Plans: &o.Plans}, frontier: f, own: o.Forest}
	o.Trees = w
	return w
}

// HandDown takes what is planned in the child from where taken has put it.
func (w *sharedTrees) HandDown(lv, child *dpor.Level) {
	p, n := &lv.Node, &child.Node
	switch s := RecordOf(p).SharedChild; {
	case RecordOf(p).shared == nil:
		w.OwnTrees.HandDown(lv, child)
	case s != nil:
		RecordOf(p).SharedChild, RecordOf(n).shared, n.Tree = nil, s, s.tree
		s.sleep, s.before = n.Sleep, n.Sleep
		s.known.Done()
	default:
		n.Tree, RecordOf(p).plannedBelow = RecordOf(p).plannedBelow, wakeup.None
	}
}

// FirstWaiting is the first branch of a shared node: its tree has only what waits, and what is under way is asleep.
func (w *sharedTrees) FirstWaiting(n *dpor.Node) wakeup.Branch {
	if RecordOf(n).shared != nil {
		return n.Tree
	}
	return w.OwnTrees.FirstWaiting(n)
}

func (w *sharedTrees) CoveredNow(n *dpor.Node, v wakeup.Sequence) bool {
	return RecordOf(n).shared == nil && w.OwnTrees.CoveredNow(n, v)
}

func (w *sharedTrees) Grows(n *dpor.Node) bool { return RecordOf(n).shared != nil }

func (w *sharedTrees) Explores(n *dpor.Node, a int) bool {
	if RecordOf(n).shared == nil {
		return w.OwnTrees.Explores(n, a)
	}
	w.frontier.Lock(n)
	defer w.frontier.Unlock(n)
	if t := RecordOf(n).shared.find(a); t != nil {
		return t.number < RecordOf(n).inProgress.number || t.child == nil
	}
	return RecordOf(n).shared.before.Has(a) || w.IsLeaf(n.Tree, a)
}

// earlierSiblingActive reports whether others may yet plan something below what is taken next from the present node:
// whether somebody goes on with an action that was taken earlier, from this node or one below it on the stack. Once
// nobody does, nobody will: who takes up something earlier again does so for somebody who is earlier still. So they are
// looked at in the order in which they come first.
func (w *sharedTrees) earlierSiblingActive() bool {
	x := w.frontier.x
	x.Work(x.Depth)
	for _, lv := range x.levels[:x.Depth+1] {
		n := &lv.Node
		for t := RecordOf(n).shared.first.next.Load(); t != RecordOf(n).inProgress; t = t.next.Load() {
			if t.below.Load() > 0 {
				return true
			}
		}
	}
	return false
}

// newSharedChild makes a shared child of a shared node, with what is planned below the action that leads there.
func (w *sharedTrees) newSharedChild(n *dpor.Node, below wakeup.Branch) *sharedNode {
	c := w.nodes.New()
	c.last = &c.first
	c.refs.Store(1)
	c.known.Add(1)
	if n.Tree != wakeup.None {
		c.trees = wakeup.WithRoom(w.Size(below))
		c.tree = c.trees.Move(w.Forest, below)
	} else { // that is all the memory has: sequences may be long
		c.tree, c.trees = below, RecordOf(n).shared.trees
		RecordOf(n).shared.trees = wakeup.Forest{}
	}
	return c
}

// Find follows what has been planned and taken to where a sequence parts from it.
func (w *sharedTrees) Find(x *dpor.Search, i int, v wakeup.Sequence) *dpor.Node {
	n := &x.Stack[i].Node
	w.path = w.path[:0]
	if RecordOf(n).shared == nil {
		return w.OwnTrees.Find(x, i, v)
	}
	// Further down nothing that was asleep from the beginning can begin what does not begin with something that sleeps
	// here.
	if dpor.MeetsWeakly(&RecordOf(n).shared.before, v) {
		return nil
	}
	mine := RecordOf(n).inProgress
	for {
		t, at, last := RecordOf(n).shared.first.meet(v)
		if t == nil {
			if t, at = w.lockUnless(n, last, v); t == nil {
				return n
			}
		}
		if later := len(w.path) > 0 || t.number > mine.number; !later || t.child == nil || !v.Follow(t.action, at) {
			return nil
		}
		w.path = append(w.path, t)
		w.there = dpor.Node{}
		RecordOf(&w.there).shared = t.child
		n = &w.there
	}
}

// lockUnless locks a shared node where a sequence is to be planned, unless it meets what has been taken after the last
// action that it has been compared with: that is returned then.
func (w *sharedTrees) lockUnless(n *dpor.Node, last *takenAction, v wakeup.Sequence) (t *takenAction, at int) {
	RecordOf(n).shared.known.Wait()
	w.frontier.Lock(n)
	keep := false
	defer func() {
		if !keep {
			w.frontier.Unlock(n)
		}
	}()
	if t, at, _ = last.meet(v); t != nil {
		return t, at
	}
	keep = true
	return nil, 0
}

// Planned sees to it that somebody comes to a node to which w.path leads from a stack position: if it is on no stack, a
// work item does.
func (w *sharedTrees) Planned(x *dpor.Search, i int, n *dpor.Node) {
	if len(w.path) > 0 && n.Tree != wakeup.None && RecordOf(n).shared.refs.Load() == 0 {
		w.frontier.x.Pool.Submit(w.frontier.copyWork(i, slices.Clone(w.path)))
	}
}

// meet finds the first of the actions taken after this one that is a weak initial, and otherwise the last one there is.
func (t *takenAction) meet(v wakeup.Sequence) (found *takenAction, at int, last *takenAction) {
	for next := t.next.Load(); next != nil; t, next = next, next.next.Load() {
		if at, yes := v.Weak(next.action); yes {
			return next, at, nil
		}
	}
	return nil, 0, t
}

// publish moves the tree of a node to the shared one. present is the action under way from it, -1 if there is none.
func (w *sharedTrees) publish(n *dpor.Node, s *sharedNode, present int) {
	s.tree = s.trees.Move(w.own, n.Tree)
	s.before, s.last = n.Sleep, &s.first
	if present >= 0 {
		s.before.Remove(present)
		RecordOf(n).inProgress = s.take(&takenAction{}, present, nil)
	}
}

// withdraw moves it back: no other worker needs the node any more. It is locked, and need not be unlocked.
func (w *sharedTrees) withdraw(n *dpor.Node, s *sharedNode) {
	n.Tree = w.own.Move(w.Forest, n.Tree)
	w.Forest, s.tree = w.own, wakeup.None
}

func (w *sharedTrees) lock(n *dpor.Node, s *sharedNode) { w.Forest, n.Tree = &s.trees, s.tree }

func (w *sharedTrees) unlock(n *dpor.Node, s *sharedNode) { w.Forest, s.tree = w.own, n.Tree }

// taken is called when an action has been picked from a node that is locked: what is planned below goes along.
func (w *sharedTrees) taken(n *dpor.Node, action int) {
	below := w.Cut(n.Tree)
	w.frontier.PlainFrontier.Done(n, action)
	switch {
	case below == wakeup.None:
	case w.earlierSiblingActive():
		RecordOf(n).SharedChild = w.newSharedChild(n, below)
	default:
		RecordOf(n).plannedBelow = w.own.Move(w.Forest, below)
	}
	RecordOf(n).inProgress = RecordOf(n).shared.take(w.takens.New(), action, RecordOf(n).SharedChild)
	RecordOf(n).inProgress.below.Store(1)
}
