package explore

import (
	"cdpor/explore/internal/checkpoint"
)

// save makes a checkpoint between two executions of all workers.
func (c *workerPool) save() *Checkpoint {
	first := c.workers[0]
	own := first.findings()
	if all, err := c.sum(); err == nil { // a pool that goes on did the same before
		all.results.Arrange()
		first.replace(all)
	}
	cp := first.saveCommon()
	first.replace(own)
	cp.Found.Outcomes, cp.Found.Deadlocks, cp.Found.Histories = checkpoint.Ends{}, checkpoint.Ends{}, checkpoint.Ends{}
	for _, w := range c.workers {
		cp.Found.SaveEnds(w.findings().results)
	}
	shared := &sharedNodes{number: map[*sharedNode]int{}}
	for _, w := range c.workers {
		if p := w.remaining(); !p.empty() {
			cp.Parts = append(cp.Parts, w.savePart(p, shared))
		}
		if x, ok := w.(*search); ok && x.visits != nil {
			cp.Visits = append(cp.Visits, x.visits.save())
		}
	}
	for _, p := range c.items {
		cp.Parts = append(cp.Parts, first.savePart(p, shared))
	}
	cp.Nodes = shared.saved
	return cp
}

// restore makes work items of the parts of a checkpoint.
func (c *workerPool) restore(cp *Checkpoint) error {
	first, parts := c.workers[0], cp.Parts
	defer first.common().giveUp(first)
	if len(parts) == 0 {
		part := checkpoint.Part{State: cp.State}
		if cp.Tree != nil {
			part.Levels = cp.Tree.Stack.Read
		} else {
			part.Frames = cp.Graph.Frames
		}
		parts = []checkpoint.Part{part}
	}
	shared := &sharedNodes{nodes: make([]*sharedNode, len(cp.Nodes)), saved: cp.Nodes}
	for i := range parts {
		p, err := first.restorePart(&parts[i], shared)
		if err != nil {
			return err
		}
		c.items = append(c.items, p)
	}
	for i, w := range c.workers {
		if x, ok := w.(*search); ok {
			if err := x.restoreVisits(cp, i); err != nil {
				return err
			}
		}
	}
	if err := first.restoreCommon(cp); err != nil {
		return err
	}
	w := first.common()
	w.counted = w.limited()
	c.executions.Store(w.counted)
	c.reason = w.stop
	return nil
}
