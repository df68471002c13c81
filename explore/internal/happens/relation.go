package happens

import (
	"cdpor/constraints"
	"cdpor/lang/step"
)

// Conditions are independence constraints compiled for one machine (constraints.Compiled).
type Conditions interface {
	Uniform(procA int, a *step.Step, procB int, b *step.Step) constraints.Cond
	Commute(procA int, a *step.Step, procB int, b *step.Step) constraints.Cond
}

// relation is the dependence relation of a search: R of THEORY, "Independence". Two steps are independent in a state
// when their footprints are disjoint or, with constraints, when their uniform constraint holds there.
type relation struct {
	m          *step.Machine
	run        *step.Runner
	Conditions Conditions // nil: footprints only
	table      [][]pairOf // by step ids, filled when first asked
	Pairs      map[[2]*step.Step]*PairStats
}

// A pairOf has the constraints of two steps of two processes, compiled when they are asked for.
type pairOf struct {
	ready            bool
	uniform, commute constraints.Cond
	stats            *PairStats // of the templates' steps
}

// PairStats count the use of the constraints of a pair of steps, over all processes that run them.
type PairStats struct {
	A, B *step.Step
	Uses
}

// Uses count the use of constraints.
type Uses struct {
	Static    int64 // found independent without looking at a state
	Evaluated int64 // evaluations in a state
	Held      int64 // of those, how many held
	Removed   int64 // races that the uniform constraint removed
	Sequences int64 // sleep sequences that commute gave without running anything
}

// pair looks up what is known of two steps by id.
func (r *relation) pair(a, b int) *pairOf {
	if r.table == nil {
		r.table = make([][]pairOf, r.m.NumSteps())
	}
	if r.table[a] == nil {
		r.table[a] = make([]pairOf, r.m.NumSteps())
	}
	p := &r.table[a][b]
	if !p.ready {
		procA, stepA := r.m.StepAt(a)
		procB, stepB := r.m.StepAt(b)
		p.ready = true
		if procA != procB {
			p.uniform = r.Conditions.Uniform(procA, stepA, procB, stepB)
			p.commute = r.Conditions.Commute(procA, stepA, procB, stepB)
		}
		p.stats = StatsOf(r.Pairs, stepA, stepB)
	}
	return p
}

// StatsOf are the statistics of a pair among those of all pairs, whichever of the two steps comes first.
func StatsOf(pairs map[[2]*step.Step]*PairStats, a, b *step.Step) *PairStats {
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

// UniformKind is what the uniform constraint of two steps, given by id, is without a state: true, false or neither.
func (r *relation) UniformKind(a, b int) constraints.CondKind { return r.pair(a, b).uniform.Kind }

// CountSequence counts a sleep sequence that the commute constraint of two steps by id has given.
func (r *relation) CountSequence(a, b int) { r.pair(a, b).stats.Sequences++ }

// ForgetPairs forgets the statistics of all pairs.
func (r *relation) ForgetPairs() {
	r.table = nil // it refers to them
	clear(r.Pairs)
}

func (p *Uses) Add(q *Uses) {
	p.Static += q.Static
	p.Evaluated += q.Evaluated
	p.Held += q.Held
	p.Removed += q.Removed
	p.Sequences += q.Sequences
}

// verdict is what is known of two transitions before looking at a state.
type verdict uint8

const (
	Independent verdict = iota
	Dependent
	Depends // on the state: ask holds
)

// Judge compares two transitions of different processes. Nothing is independent of the event that starts its process.
func (r *relation) Judge(a, b *Transition) (verdict, *pairOf) {
	if !step.Conflict(a.Foot, b.Foot) {
		return Independent, nil
	}
	if r.Conditions == nil || starts(r.m, a, b) {
		return Dependent, nil
	}
	p := r.pair(a.ID, b.ID)
	switch p.uniform.Kind {
	case constraints.CondTrue:
		p.stats.Static++
		return Independent, nil
	case constraints.CondEval:
		return Depends, p
	}
	return Dependent, nil
}

// starts reports whether a transition has started the process of another one. There is no order of the two to be
// reversed.
func starts(m Machine, a, b *Transition) bool {
	return b.Begins && a.Foot.Writes(m.LifeLocation(b.Proc))
}

// Stateful reports whether it depends on the state if two transitions of different processes are independent.
func (r *relation) Stateful(a, b *Transition) bool {
	return r.Conditions != nil && step.Conflict(a.Foot, b.Foot) &&
		r.pair(a.ID, b.ID).uniform.Kind == constraints.CondEval
}

// Holds evaluates the uniform constraint of a pair in a state.
func (r *relation) Holds(p *pairOf, s step.State) bool { return r.evaluate(p, &p.uniform, s) }

func (r *relation) evaluate(p *pairOf, c *constraints.Cond, s step.State) bool {
	p.stats.Evaluated++
	if c.Eval(r.run, s) {
		p.stats.Held++
		return true
	}
	return false
}

// IndependentIn reports whether two transitions are independent in a state in which both are about to run.
func (r *relation) IndependentIn(a, b *Transition, s step.State) bool {
	v, c := r.Judge(a, b)
	return v == Independent || v == Depends && r.Holds(c, s)
}

// CommuteIn says what the commute constraint of two transitions tells in a state in which the first of them is
// enabled: they commute there, they do not, or that it takes a comparison of states. A constraint is about all
// alternatives of a step, so of steps that have several it never tells that these two actions do not commute.
func (r *relation) CommuteIn(a, b *Transition, s step.State) (known, commute bool) {
	if r.Conditions == nil {
		return false, false
	}
	p := r.pair(a.ID, b.ID)
	switch p.commute.Kind {
	case constraints.CondUnknown:
		return false, false
	case constraints.CondTrue:
		p.stats.Static++
		return true, true
	case constraints.CondEval:
		if r.evaluate(p, &p.commute, s) {
			return true, true
		}
	}
	return p.commute.Weakest && r.oneAction(a.Proc) && r.oneAction(b.Proc), false
}

// NeverCommute reports whether two transitions of different processes are known not to commute in a state in which
// they were found dependent: all of commute is uniform. Nothing that is independent of one of them changes that.
func (r *relation) NeverCommute(a, b *Transition) bool {
	return r.Conditions != nil && r.pair(a.ID, b.ID).uniform.Weakest && r.oneAction(a.Proc) && r.oneAction(b.Proc)
}

// oneAction tells whether no step of a process has alternatives.
func (r *relation) oneAction(proc int) bool {
	next := r.m.FirstAction(proc) + 1
	return next == r.m.NumActions() || r.m.ProcOf(next) != proc
}

// Unconditional reports whether two steps are known to be independent in every state, whatever the locals are.
func (r *relation) Unconditional(a, b int) bool {
	if !step.Conflict(r.m.Info(a).Widest, r.m.Info(b).Widest) {
		return true
	}
	return r.Conditions != nil && r.pair(a, b).uniform.Kind == constraints.CondTrue
}
