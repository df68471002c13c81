package explore

import (
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/memory"
	"cdpor/explore/internal/reversal"
	"cdpor/explore/internal/wakeup"
	"cdpor/lang/step"
	"slices"
)

// What optimal plans: sequences of actions in wakeup trees (POPL'14, section 6). The first branch of a node on the
// stack is the one being explored; what comes after it has been handed to the child.

// plans inserts reversals into the wakeup trees of nodes.
type plans struct {
	*wakeup.Forest                // of this worker or, while a shared node is held, of that node (sharing.go)
	own            *wakeup.Forest // of this worker
	actions        []int32
	clocked        byClocks
	run            byRunning
	nodes          memory.Slab[sharedNode]
	takens         memory.Slab[takenAction]
	path           []*takenAction // of the present descent (optimalsharing.go)
	there          node           // where the last descent has led, if that is not on the stack (optimalsharing.go)
}

// A planRecord is what optimal has of a node.
type planRecord struct {
	tree      wakeup.Branch // wakeup tree: first branch
	pending   int32         // how many races of the event of this level, from the first on, have to be looked at yet
	unsettled int32         // the last level up to this one of which something has to be planned, -1 if there is none

	alternates bool // the step of the event of this level has other actions, which may have to be planned yet

	// Of a node that is shared (optimalsharing.go):
	inProgress   *takenAction  // what is under way from it
	sharedChild  *sharedNode   // the shared child that an action has just been taken to
	plannedBelow wakeup.Branch // what is planned in the child, which is not shared
}

func newPlans() plans {
	f := &wakeup.Forest{}
	return plans{Forest: f, own: f}
}

// drop removes the first branch of a node.
func (w *plans) drop(n *node) { n.tree = w.Drop(n.tree) }

// take returns what lies below the branch that is under way, the first one, for the child. From a shared node it has
// been taken with the action.
func (w *plans) take(n *node) (child wakeup.Branch) {
	if n.shared == nil {
		return w.Cut(n.tree)
	}
	child, n.plannedBelow = n.plannedBelow, wakeup.None
	return child
}

// waiting is the first branch of a node that is not under way. That is the first one of all, unless the node is shared:
// then its tree has only what waits, and what is under way is asleep.
func (w *plans) waiting(n *node) wakeup.Branch {
	if n.shared != nil {
		return n.tree
	}
	return w.Next(n.tree)
}

// place inserts a sequence into the wakeup tree of a node whose sleep set it does not meet, and reports whether it has
// come to a leaf.
func (w *plans) place(n *node, v wakeup.Sequence) (leaf bool) {
	n.tree, leaf = w.Insert(n.tree, w.waiting(n), v)
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
func (w *plans) insertReversal(x *search, i, d int) (settled bool) {
	v := &w.clocked
	v.x = &x.Execution
	v.Begin(v.x, i, d)
	planned := false
	w.descend(x, i, v, func(n *node) {
		planned, v.always = true, true
		leaf := w.place(n, v)
		settled = v.always && leaf
	})
	return (settled || !planned && v.Certain) && x.levels[i].node.shared == nil
}

// byRunning is a wakeup.Sequence whose order is found by running it.
type byRunning struct {
	x        *happens.Execution
	state    step.State     // before what is left
	actions  []int32        // left
	possible bool           // they can run
	with     []int32        // scratch
	order    reversal.Order // of what is left
	other    reversal.Order
}

// begin begins with a sequence from a state, and reports whether it can run.
func (s *byRunning) begin(x *happens.Execution, from step.State, actions []int32) bool {
	s.x, s.state, s.actions = x, append(s.state[:0], from...), append(s.actions[:0], actions...)
	s.possible = s.order.Run(x, s.state, s.actions)
	return s.possible
}

func (s *byRunning) Weak(a int) (at int, yes bool) {
	x := s.x
	at = slices.IndexFunc(s.actions, func(b int32) bool { return x.Machine.ProcOf(int(b)) == x.Machine.ProcOf(a) })
	if at >= 0 {
		return at, int(s.actions[at]) == a && s.order.First(at)
	}
	s.with = append(append(s.with[:0], int32(a)), s.actions...)
	if !s.other.Run(x, s.state, s.with) {
		return at, false
	}
	for k := 1; k < len(s.with); k++ {
		if s.other.Has(k, 0) {
			return at, false
		}
	}
	return at, true
}

func (s *byRunning) Follow(a, at int) (more bool) {
	if at >= 0 {
		s.actions = slices.Delete(s.actions, at, at+1)
	}
	s.x.Runner.Take(s.state, a)
	s.possible = s.order.Run(s.x, s.state, s.actions)
	return len(s.actions) > 0
}

func (s *byRunning) Rest() []int32 { return s.actions }

// insert plans a sequence of actions from the node at stack position i. The order among its events is found by running
// it. Should it turn out that it cannot run, whatever is neither asleep nor planned is planned by itself.
func (w *plans) insert(x *search, i int, actions []int32, _ int) {
	v := &w.run
	x.Adapt(x.levels[i].State, actions)
	if !v.begin(&x.Execution, x.levels[i].State, actions) {
		x.results.Unplanned++
		w.planAllAt(x, i)
		return
	}
	w.descend(x, i, v, func(n *node) {
		if n.shared == nil {
			if _, yes := v.Weak(w.Action(n.tree)); yes {
				return // it will be explored below the branch that is under way
			}
		}
		if v.possible {
			w.place(n, v)
		}
		if !v.possible {
			x.results.Unplanned++
			if n == &w.there {
				enabledActions(x.m, x.run, v.state, &n.enabled)
			}
			w.planAll(n)
		}
	})
}

// planAllAt is planAll of the node at a stack position.
func (w *plans) planAllAt(x *search, i int) {
	n := &x.levels[i].node
	x.hold(n)
	w.planAll(n)
	x.release(n)
}

// planAll plans whatever is enabled in a node, not asleep and not planned yet.
func (w *plans) planAll(n *node) {
	rest := n.free()
	for b := n.tree; b != wakeup.None; b = w.Next(b) {
		rest.Remove(w.Action(b))
	}
	for a := rest.Next(0); a >= 0; a = rest.Next(a + 1) {
		n.tree = w.Append(n.tree, w.New(int32(a), wakeup.None))
	}
}
