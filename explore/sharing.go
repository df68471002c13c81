package explore

import (
	"slices"
	"sync"
	"sync/atomic"
)

// How searches of executions share work (README section 11). What is given away is a copy of the lower part of the stack, up to a node
// from which something is waiting to be taken. From then on both workers have these nodes on their stacks: what has been decided there is
// shared, everything else is each one's own. Either takes from a shared node what waits there whenever it comes back to it.

// A sharedNode is what has been decided at a node that is on several stacks.
type sharedNode struct {
	mu        sync.Mutex
	backtrack actionSet
	sleep     actionSet    // with everything that has been taken, as what is taken later must not explore it again
	refs      atomic.Int32 // stacks that it is on, those of parcels included

	// Of optimal:
	trees  *forest   // memory of the wakeup tree
	tree   branchID  // of what waits
	before actionSet // what of sleep was asleep from the beginning
	taken  []taken   // the rest of it, in the order in which it was taken
}

// A taken action is one that has been taken from a shared node, with the child, if something was planned below the action.
type taken struct {
	action int
	child  *sharedNode
}

// hold makes the sets and the wakeup tree of a node those of everybody, and lets only this worker change them until release. One node is
// held at a time.
func (x *search) hold(n *node) {
	if n.shared != nil {
		x.lock(n)
	}
}

func (x *search) lock(n *node) {
	s := n.shared
	s.mu.Lock()
	n.backtrack, n.sleep, n.tree = s.backtrack, s.sleep, s.tree
	if o, ok := x.strategy.(*optimal); ok {
		o.forest = s.trees
	}
}

func (x *search) release(n *node) {
	if n.shared != nil {
		x.unlock(n)
	}
}

func (x *search) unlock(n *node) {
	s := n.shared
	s.backtrack, s.sleep, s.tree = n.backtrack, n.sleep, n.tree
	if o, ok := x.strategy.(*optimal); ok {
		o.forest = o.own
	}
	s.mu.Unlock()
}

// publish makes a node shared. present is the action under way from it, -1 if there is none.
func (x *search) publish(n *node, present int) {
	if present >= 0 {
		x.strategy.left(x, n, present)
	}
	n.shared = &sharedNode{backtrack: n.backtrack, sleep: n.sleep}
	if o, ok := x.strategy.(*optimal); ok {
		s := n.shared
		s.trees = newForest()
		s.tree = s.trees.move(o.own, n.tree)
		s.before = n.sleep
		if present >= 0 {
			s.before.remove(present)
			s.taken = []taken{{action: present}}
		}
	}
}

// next is the action to take next from a node, -1 if nothing is left to do. From a shared node it is taken at once: it falls asleep for
// whoever comes next, and what is planned below it goes with it.
func (x *search) next(n *node) int {
	if n.shared == nil {
		return x.strategy.pick(x, n)
	}
	x.hold(n)
	defer x.release(n)
	a := x.strategy.pick(x, n)
	if a < 0 {
		n.shared.refs.Add(-1)
		return a
	}
	if o, ok := x.strategy.(*optimal); ok {
		if below := &o.branches[n.tree].child; *below != none {
			c := &sharedNode{trees: newForest()}
			c.tree = c.trees.move(o.forest, *below)
			*below = none
			c.refs.Store(1)
			c.mu.Lock() // until it is known what is asleep there
			n.born = c
		}
		n.shared.taken = append(n.shared.taken, taken{a, n.born})
	}
	x.strategy.left(x, n, a)
	return a
}

// giveAway gives the shallowest node below the present one from which something is waiting to be taken to another worker, with what lies
// below it.
func (x *search) giveAway() {
	for d := range x.depth {
		if lv := x.levels[d]; x.planned(&lv.node, lv.event.action) == 0 {
			continue
		}
		var p parcel
		for _, lv := range x.levels[:d+1] {
			if lv.node.shared == nil {
				x.publish(&lv.node, lv.event.action)
				lv.node.shared.refs.Store(1)
			}
			p.levels = append(p.levels, lv.copy())
		}
		x.crew.give(p)
		return
	}
}

// copy is a level of a shared node for a parcel.
func (lv *level) copy() *level {
	c := *lv
	c.state, c.counts = slices.Clone(lv.state), slices.Clone(lv.counts)
	e, n := &c.event, &c.node
	n.shared.refs.Add(1)
	e.clock = slices.Clone(e.clock)
	e.footBuf = make([]uint64, len(lv.event.footBuf))
	e.foot = e.footBuf[:copy(e.footBuf, lv.event.foot)]
	n.races, n.memory = slices.Clone(n.races), nil
	n.sequences = slices.Clone(n.sequences)
	for i := range n.sequences {
		n.sequences[i].actions = slices.Clone(n.sequences[i].actions)
	}
	return &c
}

// adopt goes to the last node of a parcel.
func (x *search) adopt(p parcel) {
	x.accesses.forget() // serial numbers are those of another worker
	x.depth = len(p.levels) - 1
	x.level(x.depth)
	copy(x.levels, p.levels)
	for _, t := range p.path {
		lv := x.levels[x.depth]
		child, races := x.execute(lv, t.action)
		x.strategy.(*optimal).remember(lv, races)
		n := &child.node
		n.shared, n.semantic, n.sequences = t.child, actionSet{}, n.sequences[:0]
		x.depth++
		barred := x.results.Barred
		x.enable(child)
		x.results.Barred = barred // has been counted
	}
}

// rest is the stack, nothing if the worker has no part of the search.
func (x *search) rest() (p parcel) {
	if x.busy {
		p.levels = x.levels[:x.depth+1]
	}
	return p
}

func (x *search) findings() findings { return findings{x.results, x.pairs} }

func (x *search) replace(f findings) { x.results, x.pairs = f.results, f.pairs }
