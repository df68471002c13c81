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

// A sharedNode is what has been decided at a node that is on several stacks.
type sharedNode struct {
	mu        spinMutex
	backtrack actionset.Set
	sleep     actionset.Set // with everything that has been taken, as what is taken later must not explore it again
	refs      atomic.Int32  // stacks that it is on, those of work items included

	sharedPlans // optimalsharing.go
}

// A sharedRecord is what a worker knows of a node that it shares.
type sharedRecord struct {
	// shared, if not nil, is what other workers with the node on their stacks know and change. The backtrack set, the
	// wakeup tree and the sleep set of the node are copies then, up to date while it is locked.
	shared *sharedNode

	sharedPlanRecord // optimalsharing.go
}

// RecordOf is that of a node.
func RecordOf(n *dpor.Node) *sharedRecord {
	r, ok := n.Frontier.(*sharedRecord)
	if !ok {
		r = &sharedRecord{}
		n.Frontier = r
	}
	return r
}

// sharedFrontier is the frontier of a worker. Nodes that it has not shared yet it has for itself.
type sharedFrontier struct {
	dpor.PlainFrontier
	x           *Search
	trees       *sharedTrees // nil: there are no wakeup trees
	offloadFrom int64        // Result.Nodes up to when it is of no use to look for something to give away
}

// join makes the search a worker of a pool.
func (x *Search) Join(pool engine.Pool, number int) {
	x.Limits.Join(pool, number)
	f := &sharedFrontier{PlainFrontier: dpor.PlainFrontier{X: &x.Search}, x: x}
	if o, ok := x.Strategy.(*dpor.Optimal); ok {
		f.trees = newSharedTrees(f, o)
	}
	x.Frontier = f
}

func (f *sharedFrontier) Owns(depth int) bool { return RecordOf(&f.x.levels[depth].Node).shared == nil }

func (f *sharedFrontier) Stacks(n *dpor.Node) int {
	if RecordOf(n).shared == nil {
		return 1
	}
	return int(RecordOf(n).shared.refs.Load())
}

func (f *sharedFrontier) Lock(n *dpor.Node) {
	s := RecordOf(n).shared
	if s == nil {
		return
	}
	s.mu.lock()
	n.Backtrack, n.Sleep = s.backtrack, s.sleep
	if f.trees != nil {
		f.trees.lock(n, s)
	}
}

func (f *sharedFrontier) Unlock(n *dpor.Node) {
	s := RecordOf(n).shared
	if s == nil {
		return
	}
	s.backtrack, s.sleep = n.Backtrack, n.Sleep
	if f.trees != nil {
		f.trees.unlock(n, s)
	}
	s.mu.Unlock()
}

// publish makes a node shared. present is the action under way from it, -1 if there is none.
func (f *sharedFrontier) publish(n *dpor.Node, present int) {
	if present >= 0 {
		f.PlainFrontier.Done(n, present)
	}
	s := &sharedNode{backtrack: n.Backtrack, sleep: n.Sleep}
	RecordOf(n).shared = s
	if f.trees != nil {
		f.trees.publish(n, s, present)
	}
}

// Take takes an action. From a shared node it falls asleep at once for whoever comes next, and what is planned below it
// goes with it.
func (f *sharedFrontier) Take(n *dpor.Node) int {
	if f.x.Pool.Starving() && f.x.Results.Nodes >= f.offloadFrom {
		f.offload()
	}
	if RecordOf(n).shared == nil || f.reclaim(n) {
		return f.PlainFrontier.Take(n)
	}
	f.Lock(n)
	defer f.Unlock(n)
	a := f.PlainFrontier.Take(n)
	switch {
	case a < 0:
		RecordOf(n).shared.refs.Add(-1)
	case f.trees != nil:
		f.trees.taken(n, a)
	default:
		f.PlainFrontier.Done(n, a)
	}
	return a
}

// Done forgets the child, which is on the stack of this worker no more. What has been taken from a shared node is done
// already.
func (f *sharedFrontier) Done(n *dpor.Node, a int) {
	f.x.levels[f.x.Depth+1].Node.Frontier = nil
	if RecordOf(n).shared == nil {
		f.PlainFrontier.Done(n, a)
	}
}

// reclaim makes the present node, from which no action is under way any more, this worker's own if nobody else needs
// it, and reports whether it did.
func (f *sharedFrontier) reclaim(n *dpor.Node) bool {
	if RecordOf(n).inProgress != nil {
		RecordOf(n).inProgress.below.Add(-1)
		RecordOf(n).inProgress = nil
	}
	if RecordOf(n).shared.refs.Load() > 1 || f.trees != nil && f.trees.earlierSiblingActive() {
		return false
	}
	f.Lock(n)
	if f.trees != nil {
		f.trees.withdraw(n, RecordOf(n).shared)
	}
	RecordOf(n).shared.mu.Unlock()
	RecordOf(n).shared = nil
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
			if n := &lv.Node; RecordOf(n).shared == nil {
				f.publish(n, lv.Event.Action)
				RecordOf(n).shared.refs.Store(1)
				if RecordOf(n).inProgress != nil {
					RecordOf(n).inProgress.below.Store(1)
				}
			}
		}
		if x.Visits != nil {
			x.Visits.share(d)
		}
		x.Pool.Submit(f.copyWork(d, nil))
		return
	}
	f.offloadFrom = x.Results.Nodes + int64(x.Depth/16) // so that a long execution is not looked through at each event
}

// A sharedPart is a work item: a stack, whose last node is the present one.
type sharedPart struct {
	levels []*level
	path   []*takenAction // optimal: from the last of these nodes to the present one
}

// copyWork is a copy of the stack up to a depth, where all nodes are shared, and a way on from there.
func (f *sharedFrontier) copyWork(depth int, path []*takenAction) *sharedPart {
	x := f.x
	p := &sharedPart{path: path}
	for d, lv := range x.levels[:depth+1] {
		if x.Running { // not while a checkpoint is read
			x.Work(16)
		}
		c := lv.copy()
		if d == depth {
			RecordOf(&c.Node).inProgress = nil
		} else if RecordOf(&c.Node).inProgress != nil {
			RecordOf(&c.Node).inProgress.below.Add(1)
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
	record := *RecordOf(&lv.Node)
	c.Node.Frontier = &record
	c.State, c.Counts = memory.Copy(lv.State), memory.Copy(lv.Counts)
	e, n := &c.Event, &c.Node
	RecordOf(n).shared.refs.Add(1)
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
	for _, t := range p.path {
		lv := x.levels[x.Depth]
		child, races := x.Execute(t.action)
		x.Planner.Remember(&x.Search, races)
		RecordOf(&lv.Node).inProgress = t
		n := &child.Node
		n.Frontier = &sharedRecord{shared: t.child}
		n.StateSleep, n.Sequences = actionset.Set{}, n.Sequences[:0]
		x.Depth++
		child.begun = x.Results.Nodes + 1
		barred := x.Results.Barred
		x.Enable(&child.Level)
		x.Results.Barred = barred // has been counted
	}
}

// remaining is the stack, nothing if the worker has no part of the search.
func (x *Search) Remaining() engine.WorkItem {
	if x.Busy {
		return &sharedPart{levels: x.levels[:x.Depth+1]}
	}
	return nil
}

// abandon lets those go on that wait until more is known of a node.
func (x *Search) Abandon() {
	if s := RecordOf(&x.levels[x.Depth].Node).SharedChild; s != nil {
		s.known.Done()
	}
}

func (x *Search) Findings() engine.Findings {
	return engine.Findings{Results: x.Results, Pairs: x.Pairs}
}

func (x *Search) Replace(f engine.Findings) {
	x.Results, x.Count, x.Pairs = f.Results, &f.Results.Counts, f.Pairs
}
