package synth

import (
	"context"
)

// answer is what is known about the satisfiability of a cube.
type answer uint8

const (
	unknown answer = iota
	sat
	unsat
)

func (a answer) String() string { return [...]string{"unknown", "sat", "unsat"}[a] }

// far is an edge weight that means "no bound". Bounds at or beyond far/4 are left to the solver.
const far = int64(1) << 60

// An oracle decides cubes. Difference constraints (x - y <= k, x <= k, and equations and disequations of that shape) over
// words of the state are decided here, elements of arrays with such indices included; they are nearly all there are.
// Anything else goes to the solver.
type oracle struct {
	ctx     context.Context // what to stop for
	solver  solver
	queries int // that reached the solver
	limit   int // of them; 0: none
	checks  int
	notice  func() // called now and then, if not nil
	budget  int    // cases that settle may still look at

	// scratch memory
	numbering numbering
	pending   []pending
	spare     []*graph
}

// check decides the conjunction of the literals and the facts of the table. When the context has ended it aborts the
// exploration that asks.
func (o *oracle) check(t *table, lits []literal) answer {
	o.alive()
	if got := o.differences(t, lits); got != unknown {
		return got
	}
	if o.exhausted() {
		return unknown
	}
	got := o.solver.cube(o.ctx, t, lits)
	o.alive()
	return got
}

// alive is called for every question: it stops what is going on when the context has ended, and lets the caller know that it goes on.
func (o *oracle) alive() {
	if o.ctx.Err() != nil {
		panic(unsupported{"interrupted"})
	}
	if o.checks++; o.notice != nil && o.checks%noticeEvery == 0 {
		o.notice()
	}
}

// noticeEvery is how many questions may pass without notice.
const noticeEvery = 256

// watch has a function called now and then; nil: none.
func (o *oracle) watch(notice func()) { o.notice = notice }

// exhausted counts a question to the solver, unless there were too many already.
func (o *oracle) exhausted() bool {
	if o.limit > 0 && o.queries >= o.limit {
		return true
	}
	o.queries++
	return false
}

// meet asks the solver whether one of the cubes is compatible with the formula, or with its negation.
func (o *oracle) meet(t *table, cubes [][]literal, nf normalForm, negate bool) answer {
	o.alive()
	if o.exhausted() {
		return unknown
	}
	got := o.solver.meet(o.ctx, t, cubes, nf, negate)
	o.alive()
	return got
}
