package explore

import (
	"context"

	"cdpor/lang/step"
)

// Which nodes of the program the explored executions have gone through, and which way (step.Coverage), for machines
// that note it. Every execution that is explored is one of the program, so what it goes through is reached. What none
// goes through is not reached by any execution only if the search leaves out no more than orders of steps that touch
// different data (README section 15).

// everyWay reports whether a search that comes to its end goes through every node, and every way of it, that any
// execution goes through: one of states, or one of executions that leaves out nothing but Mazurkiewicz-equivalent ones.
func everyWay(a *Algorithm, opt Options) bool {
	return a.Stateful || !a.Chooses && !a.Sequences && !opt.Visited && opt.Conditions == nil
}

// addCoverage adds what another worker, or an earlier part of the search, has gone through.
func (r *results) addCoverage(c step.Coverage) {
	if r.Covered != nil {
		r.Covered.Add(c)
	}
}

// restoreCoverage takes up what was gone through before the search was interrupted, if it was noted.
func (r *results) restoreCoverage(c step.Coverage) {
	if r.Covered == nil {
		return
	}
	if len(c) != len(r.Covered) {
		r.unnoted = true
		return
	}
	r.addCoverage(c)
}

// Cover adds to the coverage of a result what a search of the state graph of at most so many states goes through,
// unless the result has all that is reached already.
func Cover(ctx context.Context, m *step.Machine, r *Result, states int64) error {
	if r.CoveredAll || r.Covered == nil {
		return nil
	}
	graph, err := visitStates(ctx, m, states, nil)
	if err != nil {
		return err
	}
	r.Covered.Add(graph.Covered)
	r.CoveredAll, r.CoveredStates = graph.CoveredAll, graph.States
	return nil
}

// cover adds what the searches that auto has begun have gone through. A search of states that takes what others have
// closed for visited does not go through everything.
func (x *auto) cover(res *Result) {
	res.CoveredAll = res.CoveredAll && x.skipped == 0
	if res.Covered == nil {
		return
	}
	res.Covered.Add(x.main.results.Covered)
	if x.states != nil {
		res.Covered.Add(x.states.results.Covered)
	}
	if x.executions != nil {
		res.Covered.Add(x.executions.results.Covered)
	}
}
