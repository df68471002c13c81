package main

import (
	"cdpor/explore"
	"cdpor/lang/step"
)

// ends finds the number that the end of an execution has among the outcomes or deadlocks of a result.
type ends struct {
	valuation *explore.Valuation
	outcomes  map[string]int
	deadlocks map[string]int
}

func newEnds(r *report) (*ends, error) {
	v, err := explore.NewValuation(r.m)
	if err != nil {
		return nil, err
	}
	e := &ends{valuation: v, outcomes: map[string]int{}, deadlocks: map[string]int{}}
	for i, o := range r.result.Outcomes.All() {
		e.outcomes[string(step.State(o.Words).Bytes())] = i + 1
	}
	for i, o := range r.result.Deadlocks.All() {
		e.deadlocks[string(step.State(o.Words).Bytes())] = i + 1
	}
	return e, nil
}

// number is 0 for what is neither an outcome nor a deadlock.
func (e *ends) number(end explore.LeafKind, s step.State) int {
	switch end {
	case explore.EndsDeadlock:
		return e.deadlocks[string(e.valuation.Unrecorded(s).Bytes())]
	case explore.EndsNormally:
		return e.outcomes[string(step.State(e.valuation.Words(nil, s)).Bytes())]
	}
	return 0
}
