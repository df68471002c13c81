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
	uniform    [][]constraints.Cond
	commute    [][]constraints.Cond
	stats      ConstraintStats
}

// cond looks up a compiled constraint of two steps by id.
func (x *search) cond(table *[][]constraints.Cond, get func(int, *step.Step, int, *step.Step) constraints.Cond, a, b int) *constraints.Cond {
	if *table == nil {
		*table = make([][]constraints.Cond, x.m.NumSteps())
	}
	row := (*table)[a]
	if row == nil {
		row = make([]constraints.Cond, x.m.NumSteps())
		procA, stepA := x.m.StepAt(a)
		for id := range row {
			procB, stepB := x.m.StepAt(id)
			if procA == procB {
				row[id] = constraints.Cond{Kind: constraints.CondUnknown}
			} else {
				row[id] = get(procA, stepA, procB, stepB)
			}
		}
		(*table)[a] = row
	}
	return &row[b]
}

// verdict is what is known of two moves before looking at a state.
type verdict uint8

const (
	independent verdict = iota
	dependent
	depends // on the state: ask holds
)

// judge compares two moves of different processes.
func (x *search) judge(a, b *move) (verdict, *constraints.Cond) {
	if !step.Conflict(a.foot, b.foot) {
		return independent, nil
	}
	if x.conditions == nil {
		return dependent, nil
	}
	switch c := x.cond(&x.uniform, x.conditions.Uniform, a.id, b.id); c.Kind {
	case constraints.CondTrue:
		x.stats.Static++
		return independent, nil
	case constraints.CondEval:
		return depends, c
	}
	return dependent, nil
}

// holds evaluates a constraint in a state.
func (x *search) holds(c *constraints.Cond, s step.State) bool {
	x.stats.Evaluated++
	if c.Eval(x.run, s) {
		x.stats.Held++
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
	switch c := x.cond(&x.commute, x.conditions.Commute, a.id, b.id); c.Kind {
	case constraints.CondTrue:
		return true
	case constraints.CondEval:
		return x.holds(c, s)
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
	return x.conditions != nil && x.cond(&x.commute, x.conditions.Commute, a, b).Kind == constraints.CondTrue
}
