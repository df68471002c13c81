package explore

import (
	"slices"
	"sync/atomic"
	"unsafe"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/memory"
)

// How searches of executions share work (README, "Several workers"). What is given away is a copy of the lower part of
// the stack, up to a node from which something is waiting to be taken. From then on both workers have these nodes on
// their stacks: what has been decided there is shared, everything else is each one's own. Either takes from a shared
// node what waits there whenever it comes back to it.

// A sharedNode is what has been decided at a node that is on several stacks.
type sharedNode struct {
	mu        spinMutex
	backtrack actionset.Set
	sleep     actionset.Set // with everything that has been taken, as what is taken later must not explore it again
	refs      atomic.Int32  // stacks that it is on, those of work items included
	above     *aboveNode    // nil, or it is above a parcel (parcels.go)

	sharedPlans // optimalsharing.go
}

// hold makes the sets of a node, and what its strategy shares, those of everybody, and lets only this worker change
// them until release. One node is held at a time.
func (x *search) hold(n *node) {
	if n.shared != nil {
		x.lock(n)
	}
}

func (x *search) lock(n *node) {
	s := n.shared
	s.mu.lock()
	n.backtrack, n.sleep = s.backtrack, s.sleep
	if x.sharer != nil {
		x.sharer.hold(n, s)
	}
}

func (x *search) release(n *node) {
	if n.shared != nil {
		x.unlock(n)
	}
}

func (x *search) unlock(n *node) {
	s := n.shared
	s.backtrack, s.sleep = n.backtrack, n.sleep
	if x.sharer != nil {
		x.sharer.release(n, s)
	}
	s.mu.Unlock()
}

// publish makes a node shared. present is the action under way from it, -1 if there is none.
func (x *search) publish(n *node, present int) {
	if present >= 0 {
		x.strategy.afterSubtree(x, n, present)
	}
	s := &sharedNode{backtrack: n.backtrack, sleep: n.sleep}
	n.shared = s
	if x.sharer != nil {
		x.sharer.publish(n, s, present)
	}
}

// next is the action to take next from the present node, -1 if nothing is left to do. From a shared node it is taken
// at once: it falls asleep for whoever comes next, and what is planned below it goes with it.
func (x *search) next(n *node) int {
	switch {
	case n.shared == nil:
		return x.strategy.pick(x, n)
	case n.shared.above != nil:
		return n.shared.above.takeFromAbove()
	case x.reclaim(n):
		return x.strategy.pick(x, n)
	}
	x.hold(n)
	defer x.release(n)
	a := x.strategy.pick(x, n)
	if a < 0 {
		n.shared.refs.Add(-1)
		return a
	}
	if x.sharer != nil {
		x.sharer.taken(x, n, a)
	} else {
		x.strategy.afterSubtree(x, n, a)
	}
	return a
}

// reclaim makes the present node, from which no action is under way any more, this worker's own if nobody else needs
// it, and reports whether it did.
func (x *search) reclaim(n *node) bool {
	if n.inProgress != nil {
		n.inProgress.below.Add(-1)
		n.inProgress = nil
	}
	if n.shared.refs.Load() > 1 || x.earlierSiblingActive() {
		return false
	}
	x.lock(n)
	if x.sharer != nil {
		x.sharer.withdraw(n, n.shared)
	}
	n.shared.mu.Unlock()
	n.shared = nil
	return true
}

// offload gives the shallowest node below the present one from which something is waiting to be taken to another
// worker, with what lies below it.
func (x *search) offload() {
	for d := range x.Depth {
		x.Work(1)
		if lv := x.levels[d]; x.planned(&lv.node, lv.Event.Action) == 0 {
			continue
		}
		if d > manyLevels {
			bytes := int64(unsafe.Sizeof(level{})) + int64(8*(x.m.Words()+x.m.FootprintWords())+8*x.procs)
			x.checkGiveUp(int64(d) * bytes)
		}
		for _, lv := range x.levels[:d+1] {
			x.Work(4)
			if n := &lv.node; n.shared == nil {
				x.publish(n, lv.Event.Action)
				n.shared.refs.Store(1)
				if n.inProgress != nil {
					n.inProgress.below.Store(1)
				}
			}
		}
		if x.visits != nil {
			x.visits.share(d)
		}
		x.pool.submit(x.copyWork(d, nil))
		return
	}
	x.offloadFrom = x.results.Nodes + int64(x.Depth/16) // so that a long execution is not looked through at each event
}

// copyWork is a copy of the stack up to a depth, where all nodes are shared, and a way on from there.
func (x *search) copyWork(depth int, path []*takenAction) workItem {
	p := workItem{path: path}
	for d, lv := range x.levels[:depth+1] {
		if x.running { // not while a checkpoint is read
			x.Work(16)
		}
		c := lv.copy()
		if d == depth {
			c.node.inProgress = nil
		} else if c.node.inProgress != nil {
			c.node.inProgress.below.Add(1)
		}
		p.levels = append(p.levels, c)
	}
	for _, t := range path {
		t.below.Add(1)
		t.child.refs.Add(1)
	}
	return p
}

// copy is a level of a shared node for a work item.
func (lv *level) copy() *level {
	c := *lv
	c.State, c.Counts = memory.Copy(lv.State), memory.Copy(lv.Counts)
	e, n := &c.Event, &c.node
	n.shared.refs.Add(1)
	e.Clock, e.FootBuf = memory.Copy(e.Clock), memory.Copy(e.FootBuf)
	e.Foot = e.FootBuf[:copy(e.FootBuf, lv.Event.Foot)]
	c.Races, n.memory = slices.Clone(lv.Races), nil
	n.sequences = slices.Clone(n.sequences)
	for i := range n.sequences {
		n.sequences[i] = slices.Clone(n.sequences[i])
	}
	return &c
}

// resumeAt goes to the last node of a work item.
func (x *search) resumeAt(p workItem) {
	x.Accesses.Forget()
	x.Depth = len(p.levels) - 1
	x.setLevels(p.levels)
	for _, lv := range p.levels {
		lv.begun = x.results.Nodes + 1
		x.Stamp(&lv.Event) // the worker that executed the event counted for itself
	}
	if x.visits != nil {
		x.visits.resumeAt()
	}
	for _, t := range p.path {
		lv := x.levels[x.Depth]
		child, races := x.execute(lv, t.action)
		x.planner.remember(x, races)
		lv.node.inProgress = t
		n := &child.node
		n.shared, n.stateSleep, n.sequences = t.child, actionset.Set{}, n.sequences[:0]
		x.Depth++
		child.begun = x.results.Nodes + 1
		barred := x.results.Barred
		x.enable(child)
		x.results.Barred = barred // has been counted
	}
}

// remaining is the stack, nothing if the worker has no part of the search.
func (x *search) remaining() (p workItem) {
	if x.busy {
		p.levels = x.levels[:x.Depth+1]
	}
	return p
}

// abandon lets those go on that wait until more is known of a node.
func (x *search) abandon() {
	if s := x.levels[x.Depth].node.sharedChild; s != nil {
		s.known.Done()
	}
}

func (x *search) findings() findings { return findings{x.results, x.Pairs} }

func (x *search) replace(f findings) { x.results, x.Pairs = f.results, f.pairs }
