package main

import (
	"cdpor/explore"
	"cdpor/lang/step"
)

// ends finds the number that the end of an execution has among the outcomes or deadlocks of a result.
type ends struct {
	m         *step.Machine
	run       *step.Runner
	observe   []func(*step.Runner, step.State) ([]int64, step.Fault)
	outcomes  map[string]int
	deadlocks map[string]int
}

func newEnds(r *report) (*ends, error) {
	e := &ends{m: r.m, run: r.m.NewRunner(), outcomes: map[string]int{}, deadlocks: map[string]int{}}
	for _, o := range r.m.Program.Observe {
		f, err := r.m.CompileValue(o.Expr)
		if err != nil {
			return nil, err
		}
		e.observe = append(e.observe, f)
	}
	for i, o := range r.result.Outcomes.All() {
		e.outcomes[string(step.State(o.Words).Bytes())] = i + 1
	}
	for i, o := range r.result.Deadlocks.All() {
		e.deadlocks[string(step.State(o.Words).Bytes())] = i + 1
	}
	return e, nil
}

// number is 0 for what is neither an outcome nor a deadlock, and for an outcome that cannot be computed.
func (e *ends) number(end explore.LeafKind, s step.State) int {
	switch end {
	case explore.EndsDeadlock:
		return e.deadlocks[string(s.Bytes())]
	case explore.EndsNormally:
		var words []int64
		for _, f := range e.observe {
			w, _ := f(e.run, s)
			words = append(words, w...)
		}
		return e.outcomes[string(step.State(words).Bytes())]
	}
	return 0
}
