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
	nodes := checkpoint.NewNodes()
	for _, w := range c.workers {
		if p := w.remaining(); p != nil {
			cp.Parts = append(cp.Parts, w.savePart(p, nodes))
		}
		if v := w.saveVisits(); v != nil {
			cp.Visits = append(cp.Visits, v)
		}
	}
	for _, p := range c.items {
		cp.Parts = append(cp.Parts, first.savePart(p, nodes))
	}
	cp.Nodes = nodes.Saved
	return cp
}

// restore makes work items of the parts of a checkpoint.
func (c *workerPool) restore(cp *Checkpoint) (err error) {
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
	if c.items, err = first.restoreParts(parts, cp.Nodes); err != nil {
		return err
	}
	for i, w := range c.workers {
		if err := w.restoreVisits(cp, i); err != nil {
			return err
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
