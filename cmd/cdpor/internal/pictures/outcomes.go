package pictures

import (
	"cdpor/explore"
	"cdpor/lang/step"
)

// An OutcomeIndex finds the number that the end of an execution has among the outcomes or deadlocks of a result.
type OutcomeIndex struct {
	valuation *explore.Valuation
	outcomes  map[string]int
	deadlocks map[string]int
}

// NewOutcomeIndex indexes the outcomes and deadlocks of a result.
func NewOutcomeIndex(m *step.Machine, r *explore.Result) (*OutcomeIndex, error) {
	v, err := explore.NewValuation(m)
	if err != nil {
		return nil, err
	}
	e := &OutcomeIndex{valuation: v, outcomes: map[string]int{}, deadlocks: map[string]int{}}
	for i, o := range r.Outcomes.All() {
		e.outcomes[string(step.State(o.Words).Bytes())] = i + 1
	}
	for i, o := range r.Deadlocks.All() {
		e.deadlocks[string(step.State(o.Words).Bytes())] = i + 1
	}
	return e, nil
}

// Number is 0 for what is neither an outcome nor a deadlock.
func (e *OutcomeIndex) Number(end explore.LeafKind, s step.State) int {
	switch end {
	case explore.EndsDeadlock:
		return e.deadlocks[string(e.valuation.Unrecorded(s).Bytes())]
	case explore.EndsNormally:
		return e.outcomes[string(step.State(e.valuation.Words(nil, s)).Bytes())]
	}
	return 0
}
