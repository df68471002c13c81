package explore

import (
	"context"
	"errors"
	"fmt"

	"cdpor/constraints"
	"cdpor/explore/internal/auto"
	"cdpor/explore/internal/engine"
	"cdpor/explore/internal/results"
	"cdpor/lang/step"
)

// Resume goes on with a search from where a checkpoint was made, and ends as it would have ended without interruption.
// The machine must be of the program that was explored then, and opt.Conditions the constraints of then. Of the other
// options only MaxExecutions, which includes the executions before the checkpoint, StopAtFirst, for what is found from
// now on, Validate and the functions are used.
// The error is about a checkpoint that does not fit, or an internal one.
func Resume(ctx context.Context, m *step.Machine, cp *Checkpoint, opt Options) (*Result, error) {
	opt.Found = results.Once(opt.Found)
	x, err := resume(ctx, m, cp, opt)
	if err != nil {
		return nil, err
	}
	x.Proceed()
	r, err := x.Conclude()
	return settled(ctx, r, err, &opt)
}

// resume makes a search that stands where the checkpoint was made.
func resume(ctx context.Context, m *step.Machine, cp *Checkpoint, opt Options) (engine.Engine, error) {
	a, err := Find(cp.Algorithm)
	if err != nil {
		return nil, err
	}
	switch {
	case a.Chooses && cp.Graph != nil:
		a = auto.States
	case a.Chooses && cp.Auto == nil && !cp.Visited:
		a = auto.Executions
	}
	switch {
	case cp.Program != constraints.Digest(m.Program):
		return nil, errors.New("the checkpoint is of another program")
	case cp.Constrained && opt.Conditions == nil:
		return nil, errors.New("the constraints of the checkpoint are missing")
	case a.Stateful && cp.Graph == nil || !a.Stateful && cp.Tree == nil:
		return nil, fmt.Errorf("this is no checkpoint of %s", a.Name)
	}
	if !cp.Constrained {
		opt.Conditions = nil
	}
	opt.Observer = nil // the tree so far is not in a checkpoint
	opt.MaxDepth, opt.Seed = cp.MaxDepth, cp.Seed
	opt.NoAnticipate, opt.NoGuide = cp.NoAnticipate, cp.NoGuide
	opt.Symmetry, opt.Visited, opt.VisitedMemory = cp.Symmetry, cp.Visited, cp.VisitedMemory
	if opt.Preempt = cp.Preemptions != nil; opt.Preempt {
		opt.Preemptions = *cp.Preemptions
	}
	if err := m.AdoptOrigins(cp.Origins); err != nil {
		return nil, err
	}
	var x engine.Engine
	if len(cp.Parts) > 0 {
		opt.Visited = opt.Visited || a.Chooses
		x, err = newWorkerPool(ctx, m, a, opt)
	} else {
		x, err = newEngine(ctx, m, a, opt)
	}
	if err != nil {
		return nil, err
	}
	return x, x.Restore(cp)
}
