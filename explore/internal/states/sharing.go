package states

import (
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/engine"
)

// How workers share the search of states (README, "Several workers"): all look for states in one visited set. What is
// given away are actions that have not been taken, from the shallowest frame that has some.

// offload gives half of what is left to do at the shallowest frame below the present one to another worker.
func (x *Exhaustive) offload() {
	x.Ends = nil
	for d, f := range x.stack[:x.depth] {
		if f.todo.Empty() {
			continue
		}
		frames := copyFrames(x.stack[:d+1])
		for _, below := range frames[:d] {
			below.todo = actionset.Set{}
		}
		theirs := &frames[d].todo
		for keep := f.todo.Len() / 2; keep > 0; keep-- {
			theirs.Remove(theirs.Next(0))
		}
		f.todo = f.todo.Minus(theirs)
		x.Pool.Submit(frames)
		return
	}
}

// copyFrames are copies of the frames up to a depth.
func copyFrames(stack []*frame) (list []*frame) {
	for _, f := range stack {
		c := *f
		c.state, c.key, c.packed = slices.Clone(f.state), slices.Clone(f.key), nil
		c.successors, c.ahead, c.spans = nil, false, slices.Clone(f.spans)
		list = append(list, &c)
	}
	return list
}

// ResumeAt goes to the last frame of a work item.
func (x *Exhaustive) ResumeAt(p engine.WorkItem) {
	x.Ends = nil
	frames := p.([]*frame)
	for d, f := range frames {
		f.packed, x.stack[d] = x.frame(d).packed, f
		if x.depth = d; !f.todo.Empty() {
			x.reach(f)
		}
	}
}

// remaining is the stack, nothing if the worker has no part of the search.
func (x *Exhaustive) Remaining() engine.WorkItem {
	if x.Busy {
		return x.stack[:x.depth+1]
	}
	return nil
}

func (x *Exhaustive) Findings() engine.Findings { return engine.Findings{Results: x.Results} }

func (x *Exhaustive) Replace(f engine.Findings) { x.Results = f.Results }
