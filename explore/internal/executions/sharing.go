package executions

import (
	"slices"
	"sync/atomic"
	"unsafe"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/engine"
	"cdpor/explore/internal/memory"
)

// How searches of executions share work (README, "Several workers"). What is given away is a copy of the lower part of
// the stack, up to a node from which something is waiting to be taken. From then on both workers have these nodes on
// their stacks: what has been decided there is shared, everything else is each one's own. Either takes from a shared
// node what waits there whenever it comes back to it.

// A sharedNode has the sets of a node that is on several stacks.
type sharedNode struct {
	mu        spinMutex
	backtrack actionset.Set
	sleep     actionset.Set // with everything that has been taken, as what is taken later must not explore it again
	refs      atomic.Int32  // stacks that it is on, those of work items included
}

// sharedOf is what other workers with a node on their stacks know and change of it, nil if it is not shared. The
// backtrack set and the sleep set of the node are copies then, up to date while it is locked.
func sharedOf(n *dpor.Node) *sharedNode {
	s, _ := n.Frontier.(*sharedNode)
	return s
}

// sharedFrontier is the frontier of a worker. Nodes that it has not shared yet it has for itself.
type sharedFrontier struct {
	dpor.PlainFrontier
	x           *Search
	offloadFrom int64 // Result.Nodes up to when it is of no use to look for something to give away
}

// join makes the search a worker of a pool.
func (x *Search) Join(pool engine.Pool, number int) {
	x.Limits.Join(pool, number)
	x.Frontier = &sharedFrontier{PlainFrontier: dpor.PlainFrontier{X: &x.Search}, x: x}
}

func (f *sharedFrontier) Owns(depth int) bool { return sharedOf(&f.x.levels[depth].Node) == nil }

func (f *sharedFrontier) Stacks(n *dpor.Node) int {
	if sharedOf(n) == nil {
		return 1
	}
	return int(sharedOf(n).refs.Load())
}

func (f *sharedFrontier) Lock(n *dpor.Node) {
	s := sharedOf(n)
	if s == nil {
		return
	}
	s.mu.lock()
	n.Backtrack, n.Sleep = s.backtrack, s.sleep
}

func (f *sharedFrontier) Unlock(n *dpor.Node) {
	s := sharedOf(n)
	if s == nil {
		return
	}
	s.backtrack, s.sleep = n.Backtrack, n.Sleep
	s.mu.Unlock()
}

// publish makes a node shared. present is the action under way from it, -1 if there is none.
func (f *sharedFrontier) publish(n *dpor.Node, present int) {
	if present >= 0 {
		f.PlainFrontier.Done(n, present)
	}
	n.Frontier = &sharedNode{backtrack: n.Backtrack, sleep: n.Sleep}
}

// Take takes an action. From a shared node it falls asleep at once for whoever comes next.
func (f *sharedFrontier) Take(n *dpor.Node) int {
	if f.x.Pool.Starving() && f.x.Results.Nodes >= f.offloadFrom {
		f.offload()
	}
	if sharedOf(n) == nil || f.reclaim(n) {
		return f.PlainFrontier.Take(n)
	}
	f.Lock(n)
	defer f.Unlock(n)
	a := f.PlainFrontier.Take(n)
	if a < 0 {
		sharedOf(n).refs.Add(-1)
	} else {
		f.PlainFrontier.Done(n, a)
	}
	return a
}

// Done forgets the child, which is on the stack of this worker no more. What has been taken from a shared node is done
// already.
func (f *sharedFrontier) Done(n *dpor.Node, a int) {
	f.x.levels[f.x.Depth+1].Node.Frontier = nil
	if sharedOf(n) == nil {
		f.PlainFrontier.Done(n, a)
	}
}

// reclaim makes the present node, from which no action is under way any more, this worker's own if nobody else needs
// it, and reports whether it did.
func (f *sharedFrontier) reclaim(n *dpor.Node) bool {
	if sharedOf(n).refs.Load() > 1 {
		return false
	}
	f.Lock(n)
	sharedOf(n).mu.Unlock()
	n.Frontier = nil
	return true
}

// offload gives the shallowest node below the present one from which something is waiting to be taken to another
// worker, with what lies below it.
func (f *sharedFrontier) offload() {
	x := f.x
	for d := range x.Depth {
		x.Work(1)
		if lv := x.levels[d]; x.Waiting(&lv.Node, lv.Event.Action) == 0 {
			continue
		}
		if d > manyLevels {
			bytes := int64(unsafe.Sizeof(level{})) + int64(8*(x.m.Words()+x.m.FootprintWords())+8*x.Procs)
			x.CheckGiveUp(int64(d) * bytes)
		}
		for _, lv := range x.levels[:d+1] {
			x.Work(4)
			if n := &lv.Node; sharedOf(n) == nil {
				f.publish(n, lv.Event.Action)
				sharedOf(n).refs.Store(1)
			}
		}
		if x.Visits != nil {
			x.Visits.share(d)
		}
		x.Pool.Submit(f.copyWork(d))
		return
	}
	f.offloadFrom = x.Results.Nodes + int64(x.Depth/16) // so that a long execution is not looked through at each event
}

// A sharedPart is a work item: a stack, whose last node is the present one.
type sharedPart struct{ levels []*level }

// copyWork is a copy of the stack up to a depth, where all nodes are shared.
func (f *sharedFrontier) copyWork(depth int) *sharedPart {
	x, p := f.x, &sharedPart{}
	for _, lv := range x.levels[:depth+1] {
		if x.Running { // not while a checkpoint is read
			x.Work(16)
		}
		p.levels = append(p.levels, lv.copy())
	}
	return p
}

// copy is a level of a shared node for a work item.
func (lv *level) copy() *level {
	c := *lv
	c.State, c.Counts = memory.Copy(lv.State), memory.Copy(lv.Counts)
	e, n := &c.Event, &c.Node
	sharedOf(n).refs.Add(1)
	e.Clock, e.FootBuf = memory.Copy(e.Clock), memory.Copy(e.FootBuf)
	e.Foot = e.FootBuf[:copy(e.FootBuf, lv.Event.Foot)]
	c.Races = slices.Clone(lv.Races)
	n.Keep()
	return &c
}

// ResumeAt goes to the last node of a work item.
func (x *Search) ResumeAt(item engine.WorkItem) {
	p := item.(*sharedPart)
	x.Accesses.Forget()
	x.Depth = len(p.levels) - 1
	x.level(x.Depth)
	for d, lv := range p.levels {
		x.levels[d], x.Stack[d], x.Levels[d] = lv, &lv.Level, &lv.Level.Level
		lv.begun = x.Results.Nodes + 1
		x.Stamp(&lv.Event) // the worker that executed the event counted for itself
	}
	if x.Visits != nil {
		x.Visits.resumeAt()
	}
}

// remaining is the stack, nothing if the worker has no part of the search.
func (x *Search) Remaining() engine.WorkItem {
	if x.Busy {
		return &sharedPart{levels: x.levels[:x.Depth+1]}
	}
	return nil
}

func (x *Search) Findings() engine.Findings {
	return engine.Findings{Results: x.Results, Pairs: x.Pairs}
}

func (x *Search) Replace(f engine.Findings) {
	x.Results, x.Count, x.Pairs = f.Results, &f.Results.Counts, f.Pairs
}
