package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/auto"
	"cdpor/explore/internal/engine"
	"cdpor/explore/internal/executions"
	"cdpor/explore/internal/parallel"
	"cdpor/explore/internal/results"
	"cdpor/explore/internal/states"
	"cdpor/lang/step"
)

func newEngine(ctx context.Context, m *step.Machine, a *Algorithm, opt Options) (engine.Engine, error) {
	if a.Chooses {
		switch {
		case opt.Symmetry || opt.Preempt || opt.IdleLast:
			a = auto.States
		case opt.NoVisited:
			a = auto.Executions
		default:
			return auto.New(ctx, m, opt)
		}
	}
	if opt.Workers > 1 {
		return newWorkerPool(ctx, m, a, opt)
	}
	return newWorkers(ctx, m, a)(opt)
}

func newWorkerPool(ctx context.Context, m *step.Machine, a *Algorithm, opt Options) (*parallel.Pool, error) {
	if a.Alone {
		return nil, fmt.Errorf("%s explores with one worker; source explores the same traces with several", a.Name)
	}
	return parallel.New(m, a, opt, newWorkers(ctx, m, a))
}

// newWorkers makes the workers of a search, one at each call.
func newWorkers(ctx context.Context, m *step.Machine, a *Algorithm) func(opt Options) (engine.Worker, error) {
	if a.Stateful {
		return states.Sharing(ctx, m, a)
	}
	return func(opt Options) (engine.Worker, error) {
		switch {
		case opt.IdleLast:
			return nil, fmt.Errorf("idle steps wait in searches by %s only, not by %s", states.Algorithm.Name, a.Name)
		case opt.Symmetry:
			return nil, fmt.Errorf("symmetry is reduced by %s only, not by %s", states.Algorithm.Name, a.Name)
		}
		return executions.New(ctx, m, a, opt)
	}
}

// Run explores a machine with an algorithm. The error is an internal one; what was found and how the search ended is
// in the result. The search ends early when the context does: at the next node, with several workers as soon as the
// executions that are under way are over, or when these are given up. States and schedules of the result are of this
// machine: searches that are compared share one, and a search that must not depend on earlier ones gets its own by
// m.Fresh().
func Run(ctx context.Context, m *step.Machine, a *Algorithm, opt Options) (*Result, error) {
	opt.Found = results.Once(opt.Found)
	x, err := newEngine(ctx, m, a, opt)
	if err != nil {
		return nil, err
	}
	x.Begin()
	r, err := x.Conclude()
	return settled(ctx, r, err, &opt)
}

// settled is a result that was settled.
func settled(ctx context.Context, r *Result, err error, opt *Options) (*Result, error) {
	if err == nil {
		err = Settle(ctx, r, opt.GiveUp)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Algorithms are all algorithms, the simplest first.
func Algorithms() []*Algorithm {
	return slices.Concat([]*Algorithm{auto.Algorithm, states.Algorithm}, dpor.Algorithms())
}

// Find returns the algorithm of a name.
func Find(name string) (*Algorithm, error) {
	var names []string
	for _, a := range Algorithms() {
		if a.Name == name {
			return a, nil
		}
		names = append(names, a.Name)
	}
	return nil, fmt.Errorf("unknown algorithm %q; there are %s", name, strings.Join(names, ", "))
}
