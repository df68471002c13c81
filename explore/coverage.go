package explore

import (
	"context"

	"cdpor/explore/internal/states"
	"cdpor/lang/step"
)

// Which nodes of the program the explored executions have gone through, and which way (step.Coverage), for machines
// that note it. Every execution that is explored is one of the program, so what it goes through is reached. What none
// goes through is not reached by any execution only if the search leaves out no more than orders of steps that touch
// different data (README, "What nothing came to").

// Cover adds to the coverage of a result what a search of the state graph of at most so many states goes through,
// unless the result has all that is reached already.
func Cover(ctx context.Context, m *step.Machine, r *Result, states int64, giveUp func(bytes int64) bool) error {
	if r.CoveredAll || r.Covered == nil {
		return nil
	}
	graph, err := visitStates(ctx, m, states, giveUp)
	if err != nil {
		return err
	}
	r.Covered.Add(graph.Covered)
	r.CoveredAll, r.CoveredStates = graph.CoveredAll, graph.States
	r.Weigh()
	r.SetVerdict()
	return nil
}

// settledStates is the number of states that Settle looks at.
const settledStates = 50_000

// Settle looks at the state graph, unless that is large, if a search came to its end without coming to something and
// may have left out an execution that does. So the verdict, and what is said to be never run, do not depend on what
// the search leaves out.
func Settle(ctx context.Context, r *Result, giveUp func(bytes int64) bool) error {
	m := r.Unsettled()
	if m == nil {
		return nil
	}
	return Cover(ctx, m, r, settledStates, giveUp)
}

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
