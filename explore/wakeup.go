package explore

import (
	"errors"
	"slices"

	"cdpor/lang/step"
)

// Wakeup trees (POPL'14, section 6): the sequences that are going to be explored from a node, as an ordered tree. The
// leftmost branch of a node on the stack is the one being explored; what comes after it has been handed to the child.
//
// Branches live in one array and are used again; number 0 means none.

type branchID int32

const none branchID = 0

type branch struct {
	action int32
	child  branchID // first branch below
	next   branchID // the sibling to the right
}

// A forest is memory for wakeup trees.
type forest struct {
	branches []branch
	unused   []branchID
}

type wakeup struct {
	*forest          // of this worker or, while a shared node is held, of that node (sharing.go)
	own      *forest // of this worker
	actions  []int32
	with     []int32
	state    step.State
	other    sequenceOrder
	reversal reversal
	nodes    slab[sharedNode]
	takens   slab[takenAction]
	path     []*takenAction // of the present descent (optimalsharing.go)
	there    node           // where the last descent has led, if that is not on the stack (optimalsharing.go)
}

func (w *forest) new(action int32, child branchID) branchID {
	b := branch{action: action, child: child}
	if k := len(w.unused); k > 0 {
		id := w.unused[k-1]
		w.unused = w.unused[:k-1]
		w.branches[id] = b
		return id
	}
	if len(w.branches) == 0 {
		w.branches = append(w.branches, branch{}) // of number 0
	}
	w.branches = append(w.branches, b)
	return branchID(len(w.branches) - 1)
}

// free gives a branch with everything below it back.
func (w *forest) free(id branchID) {
	for c := w.branches[id].child; c != none; {
		next := w.branches[c].next
		w.free(c)
		c = next
	}
	w.unused = append(w.unused, id)
}

// drop removes the leftmost branch of a node.
func (w *wakeup) drop(n *node) {
	id := n.tree
	n.tree = w.branches[id].next
	w.free(id)
}

// size is how many branches a branch, its siblings to the right and what lies below them are.
func (w *forest) size(id branchID) (n int) {
	for ; id != none; id = w.branches[id].next {
		n += 1 + w.size(w.branches[id].child)
	}
	return n
}

// transition takes a branch, its siblings to the right and what lies below them out of another forest.
func (w *forest) move(from *forest, id branchID) (first branchID) {
	last := none
	for id != none {
		b := from.branches[id]
		moved := w.new(b.action, w.move(from, b.child))
		if last == none {
			first = moved
		} else {
			w.branches[last].next = moved
		}
		from.unused = append(from.unused, id)
		last, id = moved, b.next
	}
	return first
}

// cut takes away and returns what lies below a branch.
func (w *wakeup) cut(id branchID) (child branchID) {
	child, w.branches[id].child = w.branches[id].child, none
	return child
}

// take returns what lies below the branch that is under way, the leftmost one, for the child. From a shared node it has
// been taken with the action.
func (w *wakeup) take(n *node) (child branchID) {
	if n.shared == nil {
		return w.cut(n.tree)
	}
	child, n.plannedBelow = n.plannedBelow, none
	return child
}

// waiting is the first branch of a node that is not under way. That is the leftmost one, unless the node is shared:
// then its tree has only what waits, and what is under way is asleep.
func (w *wakeup) waiting(n *node) branchID {
	if n.shared != nil {
		return n.tree
	}
	return w.branches[n.tree].next
}

// append adds a branch as the last one below a parent, or with parent none at the root of a node.
func (w *wakeup) append(n *node, parent, id branchID) {
	at := &n.tree
	if parent != none {
		at = &w.branches[parent].child
	}
	for *at != none {
		at = &w.branches[*at].next
	}
	*at = id
}

// place finds where a sequence v of length many belongs in the wakeup tree of a node whose sleep set it does not meet,
// and adds what is missing there (POPL'14, definition of insert). weak tells whether an action is a weak initial of
// what is left of v at the present place, and at which position it stands in v (-1: it is not in v but independent of
// it); follow goes down along an action, leaving out that position, and reports whether anything is left. rest are the
// actions left. It reports whether it has come to the end of a branch.
func (w *wakeup) place(n *node, weak func(a int) (at int, yes bool), follow func(a, at int) (more bool), rest func() []int32) (end bool) {
	parent, b := none, w.waiting(n)
	for b != none {
		a := int(w.branches[b].action)
		at, yes := weak(a)
		if !yes {
			b = w.branches[b].next
			continue
		}
		more, below := follow(a, at), w.branches[b].child
		if !more || below == none {
			return below == none
		}
		parent, b = b, below
	}
	chain := none
	for _, a := range slices.Backward(rest()) {
		chain = w.new(a, chain)
	}
	w.append(n, parent, chain)
	return false
}

// insertReversal plans the reversal of the race of the event e at stack position i with the event n at position d,
// under a relation that does not depend on the state. It reports whether this need not be done again for other
// executions that are the same up to n: what sleeps before e, and what is planned there, has a weak initial of the
// sequence on account of events up to n. While e is on the stack, branches are only added behind the others there, and
// never to the end of a branch.
func (w *wakeup) insertReversal(x *search, i, d int) (settled bool) {
	v := &w.reversal
	v.begin(&x.execution, i, d)
	weak := func(a int) (int, bool) { return v.weak(&x.execution, a) }
	follow := func(a, at int) bool { return v.follow(&x.execution, a, at) }
	planned := false
	w.descend(x, i, weak, follow, func(n *node) {
		planned = true
		certain := true
		end := w.place(n, func(a int) (int, bool) {
			at, yes := weak(a)
			certain = certain && v.certain
			return at, yes
		}, follow, func() []int32 {
			w.actions = v.rest(&x.execution, w.actions[:0])
			return w.actions
		})
		settled = certain && end
	})
	return (settled || !planned && v.certain) && x.levels[i].node.shared == nil
}

// insert plans a sequence of actions from the node at stack position i. The order among its events is found by running
// it. Should it turn out that it cannot run, whatever is neither asleep nor planned is planned by itself.
func (w *wakeup) insert(x *search, i int, actions []int32, _ int) {
	if w.state == nil {
		w.state = make(step.State, x.m.Words())
	}
	copy(w.state, x.levels[i].state)
	v := append(w.actions[:0], actions...)
	w.actions = v
	possible := x.order.run(&x.execution, w.state, v)
	weak := func(a int) (int, bool) {
		at := slices.IndexFunc(v, func(b int32) bool { return x.m.ProcOf(int(b)) == x.m.ProcOf(a) })
		if at >= 0 {
			return at, int(v[at]) == a && x.order.first(at)
		}
		w.with = append(append(w.with[:0], int32(a)), v...)
		if !w.other.run(&x.execution, w.state, w.with) {
			return at, false
		}
		for k := 1; k < len(w.with); k++ {
			if w.other.has(k, 0) {
				return at, false
			}
		}
		return at, true
	}
	follow := func(a, at int) (more bool) {
		if at >= 0 {
			v = slices.Delete(v, at, at+1)
		}
		x.run.Take(w.state, a)
		possible = x.order.run(&x.execution, w.state, v)
		return len(v) > 0
	}
	if !possible {
		x.results.Unplanned++
		x.hold(&x.levels[i].node)
		w.planAll(&x.levels[i].node)
		x.release(&x.levels[i].node)
		return
	}
	w.descend(x, i, weak, follow, func(n *node) {
		if n.shared == nil {
			if _, yes := weak(int(w.branches[n.tree].action)); yes {
				return // it will be explored below the branch that is under way
			}
		}
		if possible {
			w.place(n, weak, follow, func() []int32 { return v })
		}
		if !possible {
			x.results.Unplanned++
			if n == &w.there {
				enabledActions(x.m, x.run, w.state, &n.enabled)
			}
			w.planAll(n)
		}
	})
}

// planAll plans whatever is enabled in a node, not asleep and not planned yet.
func (w *wakeup) planAll(n *node) {
	rest := n.free()
	for b := n.tree; b != none; b = w.branches[b].next {
		rest.Remove(int(w.branches[b].action))
	}
	for a := rest.Next(0); a >= 0; a = rest.Next(a + 1) {
		w.append(n, none, w.new(int32(a), none))
	}
}

// eachLeaf calls f for all sequences from the root of a tree to a leaf; path is the way to a branch.
func (w *forest) eachLeaf(first branchID, path []int32, f func([]int32)) {
	for b := first; b != none; b = w.branches[b].next {
		way := append(path, w.branches[b].action)
		if child := w.branches[b].child; child != none {
			w.eachLeaf(child, way, f)
		} else {
			f(way)
		}
	}
}

// save appends a branch, its siblings to the right and what lies below them in preorder: of each the action and the
// number of branches directly below.
func (w *wakeup) save(id branchID, list []int32) []int32 {
	for ; id != none; id = w.branches[id].next {
		below := int32(0)
		for c := w.branches[id].child; c != none; c = w.branches[c].next {
			below++
		}
		list = w.save(w.branches[id].child, append(list, w.branches[id].action, below))
	}
	return list
}

// restore makes the branches that save has listed and returns the first one.
func (w *wakeup) restore(list []int32) (branchID, error) {
	var read func(count int32) branchID // count branches, or if it is negative all there are
	read = func(count int32) branchID {
		first, last := none, none
		for ; count != 0 && len(list) >= 2; count-- {
			b, below := w.new(list[0], none), list[1]
			list = list[2:]
			if last == none {
				first = b
			} else {
				w.branches[last].next = b
			}
			last = b
			if below > 0 {
				child := read(below)
				w.branches[b].child = child
			}
		}
		return first
	}
	first := read(-1)
	if len(list) > 0 {
		return none, errors.New("a wakeup tree has no end")
	}
	return first, nil
}
