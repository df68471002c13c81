package explore

import (
	"context"

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
