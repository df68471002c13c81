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

// relation is the dependence relation of a search: R of THEORY section 2. Two steps are independent in a state when
// their footprints are disjoint or, with constraints, when their uniform constraint holds there.
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
func (x *execution) pair(a, b int) *pairOf {
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
		p.stats = pairStats(x.pairs, stepA, stepB)
	}
	return p
}

// pairStats are the statistics of a pair among those of all pairs, whichever of the two steps comes first.
func pairStats(pairs map[[2]*step.Step]*PairStats, a, b *step.Step) *PairStats {
	stats := pairs[[2]*step.Step{a, b}]
	if stats == nil {
		stats = pairs[[2]*step.Step{b, a}]
	}
	if stats == nil {
		stats = &PairStats{A: a, B: b}
		pairs[[2]*step.Step{a, b}] = stats
	}
	return stats
}

func (p *PairStats) add(q *PairStats) {
	p.Static += q.Static
	p.Evaluated += q.Evaluated
	p.Held += q.Held
	p.Removed += q.Removed
	p.Sequences += q.Sequences
}

// verdict is what is known of two transitions before looking at a state.
type verdict uint8

const (
	independent verdict = iota
	dependent
	depends // on the state: ask holds
)

// judge compares two transitions of different processes.
func (x *execution) judge(a, b *transition) (verdict, *pairOf) {
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

// stateful reports whether it depends on the state if two transitions of different processes are independent.
func (x *execution) stateful(a, b *transition) bool {
	return x.conditions != nil && step.Conflict(a.foot, b.foot) && x.pair(a.id, b.id).uniform.Kind == constraints.CondEval
}

// holds evaluates the uniform constraint of a pair in a state.
func (x *execution) holds(p *pairOf, s step.State) bool { return x.evaluate(p, &p.uniform, s) }

func (x *execution) evaluate(p *pairOf, c *constraints.Cond, s step.State) bool {
	p.stats.Evaluated++
	if c.Eval(x.run, s) {
		p.stats.Held++
		return true
	}
	return false
}

// independentIn reports whether two transitions are independent in a state in which both are about to run.
func (x *execution) independentIn(a, b *transition, s step.State) bool {
	v, c := x.judge(a, b)
	return v == independent || v == depends && x.holds(c, s)
}

// commuteIn says what the commute constraint of two transitions tells in a state in which the first of them is enabled:
// they commute there, they do not, or that it takes a comparison of states. A constraint is about all alternatives of a
// step, so of steps that have several it never tells that these two actions do not commute.
func (x *execution) commuteIn(a, b *transition, s step.State) (known, commute bool) {
	if x.conditions == nil {
		return false, false
	}
	p := x.pair(a.id, b.id)
	switch p.commute.Kind {
	case constraints.CondUnknown:
		return false, false
	case constraints.CondTrue:
		p.stats.Static++
		return true, true
	case constraints.CondEval:
		if x.evaluate(p, &p.commute, s) {
			return true, true
		}
	}
	return p.commute.Weakest && x.oneAction(a.proc) && x.oneAction(b.proc), false
}

// neverCommute reports whether two transitions of different processes are known not to commute in a state in which they
// were found dependent: all of commute is uniform. Nothing that is independent of one of them changes that.
func (x *execution) neverCommute(a, b *transition) bool {
	return x.conditions != nil && x.pair(a.id, b.id).uniform.Weakest && x.oneAction(a.proc) && x.oneAction(b.proc)
}

// oneAction tells whether no step of a process has alternatives.
func (x *execution) oneAction(proc int) bool {
	next := x.m.FirstAction(proc) + 1
	return next == x.m.NumActions() || x.m.ProcOf(next) != proc
}

// unconditional reports whether two steps are known to be independent in every state, whatever the locals are.
func (x *execution) unconditional(a, b int) bool {
	procA, stepA := x.m.StepAt(a)
	procB, stepB := x.m.StepAt(b)
	if !step.Conflict(x.m.AnyFootprint(procA, stepA.Index), x.m.AnyFootprint(procB, stepB.Index)) {
		return true
	}
	return x.conditions != nil && x.pair(a, b).uniform.Kind == constraints.CondTrue
}
