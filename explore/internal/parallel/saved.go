package parallel

import (
	"cdpor/explore/internal/checkpoint"
	"cdpor/explore/internal/saved"
)

// save makes a checkpoint between two executions of all workers.
func (c *Pool) save() *saved.Checkpoint {
	first := c.Workers[0]
	own := first.Findings()
	if all, err := c.sum(); err == nil { // a pool that goes on did the same before
		all.Results.Arrange()
		first.Replace(all)
	}
	cp := first.SaveCommon()
	first.Replace(own)
	cp.Found.Outcomes, cp.Found.Deadlocks, cp.Found.Histories = checkpoint.Ends{}, checkpoint.Ends{}, checkpoint.Ends{}
	for _, w := range c.Workers {
		cp.Found.SaveEnds(w.Findings().Results)
	}
	nodes := checkpoint.NewNodes()
	for _, w := range c.Workers {
		if p := w.Remaining(); p != nil {
			cp.Parts = append(cp.Parts, w.SavePart(p, nodes))
		}
		if v := w.SaveVisits(); v != nil {
			cp.Visits = append(cp.Visits, v)
		}
	}
	for _, p := range c.items {
		cp.Parts = append(cp.Parts, first.SavePart(p, nodes))
	}
	cp.Nodes = nodes.Saved
	return cp
}

// restore makes work items of the parts of a checkpoint.
func (c *Pool) Restore(cp *saved.Checkpoint) (err error) {
	first, parts := c.Workers[0], cp.Parts
	defer first.Common().GiveUp(first)
	if len(parts) == 0 {
		part := checkpoint.Part{State: cp.State}
		if cp.Tree != nil {
			part.Levels = cp.Tree.Stack.Read
		} else {
			part.Frames = cp.Graph.Frames
		}
		parts = []checkpoint.Part{part}
	}
	if c.items, err = first.RestoreParts(parts, cp.Nodes); err != nil {
		return err
	}
	for i, w := range c.Workers {
		if err := w.RestoreVisits(cp, i); err != nil {
			return err
		}
	}
	if err := first.RestoreCommon(cp); err != nil {
		return err
	}
	w := first.Common()
	w.Counted = w.Limited()
	c.executions.Store(w.Counted)
	c.reason = w.Stop
	return nil
}
