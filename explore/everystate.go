package explore

import (
	"context"

	"cdpor/explore/internal/states"
	"cdpor/lang/step"
)

// Invariants are about every reachable state. A reduction leaves states out, so what it says of an invariant is that
// no state that it visited breaks it. Before such a search is called ok, either the invariant is proved by others, or
// all states are looked at (README, "What nothing came to").

// CheckInvariants evaluates the invariants of a program in every reachable state. It gives up when it has looked at so
// many states and there are more, counted every few thousand; 0 is GraphStates.
func CheckInvariants(ctx context.Context, m *step.Machine, opt LivenessOptions) (*InvariantCheck, error) {
	limit := int64(opt.MaxStates)
	if limit == 0 {
		limit = GraphStates
	}
	graph, err := visitStates(ctx, m, limit, opt.GiveUp)
	if err != nil {
		return nil, err
	}
	c := &InvariantCheck{States: graph.States, Complete: graph.Stopped == StoppedComplete}
	for _, v := range graph.Violations {
		if v.Kind == InvariantFalse {
			c.Violations = append(c.Violations, v)
		}
	}
	return c, nil
}

// visitStates visits every reachable state. It ends when it has visited so many states and there are more, counted
// every few thousand.
func visitStates(ctx context.Context, m *step.Machine, limit int64, giveUp func(int64) bool) (*Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	x, err := states.New(ctx, m, states.Algorithm, Options{GiveUp: giveUp, Progress: func(now *Result) {
		if now.States > limit {
			cancel()
		}
	}})
	if err != nil {
		return nil, err
	}
	x.Begin()
	return x.Conclude()
}
