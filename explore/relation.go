package explore

import (
	"cdpor/constraints"
	"cdpor/lang/step"
)

// Conditions are independence constraints compiled for one machine (constraints.Compiled).
type Conditions interface {
	Uniform(procA int, a *step.Step, procB int, b *step.Step) constraints.Cond
	Commute(procA int, a *step.Step, procB int, b *step.Step) constraints.Cond
}

// relation is the dependence relation of a search: R of README section 2. Two steps are independent in a state when their
// footprints are disjoint or, with constraints, when their uniform constraint holds there.
type relation struct {
	conditions Conditions // nil: footprints only
	table      [][]pairOf // by step ids, filled when first asked
	pairs      map[[2]*step.Step]*PairStats
}

// A pairOf is what is known of two steps of two processes.
type pairOf struct {
	ready            bool
	uniform, commute constraints.Cond
	stats            *PairStats // of the templates' steps
}

// PairStats count the use of the constraints of a pair of steps, over all processes that run them.
type PairStats struct {
	A, B      *step.Step
	Static    int64 // found independent without looking at a state
	Evaluated int64 // evaluations in a state
	Held      int64 // of those, how many held
	Removed   int64 // races that the uniform constraint removed
	Sequences int64 // sleep sequences that commute gave without running anything
}

// pair looks up what is known of two steps by id.
func (x *search) pair(a, b int) *pairOf {
	if x.table == nil {
		x.table = make([][]pairOf, x.m.NumSteps())
	}
	if x.table[a] == nil {
		x.table[a] = make([]pairOf, x.m.NumSteps())
	}
	p := &x.table[a][b]
	if !p.ready {
		procA, stepA := x.m.StepAt(a)
		procB, stepB := x.m.StepAt(b)
		p.ready = true
		if procA != procB {
			p.uniform = x.conditions.Uniform(procA, stepA, procB, stepB)
			p.commute = x.conditions.Commute(procA, stepA, procB, stepB)
		}
		p.stats = x.pairs[[2]*step.Step{stepA, stepB}]
		if p.stats == nil {
			p.stats = x.pairs[[2]*step.Step{stepB, stepA}]
		}
		if p.stats == nil {
			p.stats = &PairStats{A: stepA, B: stepB}
			x.pairs[[2]*step.Step{stepA, stepB}] = p.stats
		}
	}
	return p
}

// verdict is what is known of two moves before looking at a state.
type verdict uint8

const (
	independent verdict = iota
	dependent
	depends // on the state: ask holds
)

// judge compares two moves of different processes.
func (x *search) judge(a, b *move) (verdict, *pairOf) {
	if !step.Conflict(a.foot, b.foot) {
		return independent, nil
	}
	if x.conditions == nil {
		return dependent, nil
	}
	p := x.pair(a.id, b.id)
	switch p.uniform.Kind {
	case constraints.CondTrue:
		p.stats.Static++
		return independent, nil
	case constraints.CondEval:
		return depends, p
	}
	return dependent, nil
}

// holds evaluates the uniform constraint of a pair in a state.
func (x *search) holds(p *pairOf, s step.State) bool { return x.evaluate(p, &p.uniform, s) }

func (x *search) evaluate(p *pairOf, c *constraints.Cond, s step.State) bool {
	p.stats.Evaluated++
	if c.Eval(x.run, s) {
		p.stats.Held++
		return true
	}
	return false
}

// independentIn reports whether two moves are independent in a state in which both are about to run.
func (x *search) independentIn(a, b *move, s step.State) bool {
	v, c := x.judge(a, b)
	return v == independent || v == depends && x.holds(c, s)
}

// commuteIn reports whether the weakest constraint of two moves is known to hold in a state.
func (x *search) commuteIn(a, b *move, s step.State) bool {
	if x.conditions == nil {
		return false
	}
	p := x.pair(a.id, b.id)
	switch p.commute.Kind {
	case constraints.CondTrue:
		p.stats.Static++
		return true
	case constraints.CondEval:
		return x.evaluate(p, &p.commute, s)
	}
	return false
}

// unconditional reports whether two steps are known to be independent in every state, whatever the locals are.
func (x *search) unconditional(a, b int) bool {
	procA, stepA := x.m.StepAt(a)
	procB, stepB := x.m.StepAt(b)
	if !step.Conflict(x.m.AnyFootprint(procA, stepA.Index), x.m.AnyFootprint(procB, stepB.Index)) {
		return true
	}
	return x.conditions != nil && x.pair(a, b).commute.Kind == constraints.CondTrue
}
