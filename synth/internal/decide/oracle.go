// Package decide says whether a cube is satisfiable: Z3 does, and for most of the questions what is faster. It is the
// only package that links Z3.
package decide

import (
	"context"
	"fmt"
	"slices"

	"cdpor/synth/internal/term"
	"cdpor/synth/internal/unsupported"
)

// Answer is what is known about the satisfiability of a cube.
type Answer uint8

const (
	Unknown Answer = iota
	Sat
	Unsat
)

func (a Answer) String() string { return [...]string{"unknown", "sat", "unsat"}[a] }

// far is an edge weight that means "no bound". Bounds at or beyond far/4 are left to the solver.
const far = int64(1) << 60

// An Oracle decides cubes. Difference constraints (x - y <= k, x <= k, and equations and disequations of that shape)
// over words of the state are decided here, elements of arrays with such indices included; they are nearly all there
// are. Anything else goes to the solver.
type Oracle struct {
	Ctx     context.Context // what to stop for
	solver  solver
	Meter       // what has been used of the budget
	Queries int // that reached the solver
	checks  int
	notice  func() // called now and then, if not nil
	budget  int    // cases that settle may still look at
	short   bool   // Options.Short
	// For tests: no fast path, or one that is compared with the solver.
	SolverAlone, Validate bool
	giveUp                int  // work that a question takes which the solver gives up
	Long                  bool // there was a question that Options.Short leaves out since this was last reset

	// scratch memory
	models   modelSet
	prefix   prefix
	pending  []pending
	spare    []*graph
	solution []int64 // by node, of the last question that settle has answered with sat
	settled  graph   // the graph that it is a solution of, if
	beyond   bool    // this is asked for
}

// New makes an oracle whose solver may take so many units for a question that is not linear.
func New(rlimit uint, short bool, heard Dump, caught func()) (*Oracle, error) {
	s, err := newSolver(rlimit, heard, caught)
	if err != nil {
		return nil, err
	}
	return &Oracle{Ctx: context.Background(), solver: s, short: short, giveUp: 2 * int(rlimit)}, nil
}

// Begin prepares the oracle for another program.
func (o *Oracle) Begin(ctx context.Context, budget Cost) {
	o.Ctx, o.Queries, o.Meter, o.Long, o.notice = ctx, 0, Meter{Limit: budget}, false, nil
}

// Together does a piece of work, whatever tables it takes: its answers depend on all of it, and on nothing else.
func (o *Oracle) Together(work func()) {
	o.solver.share(true)
	defer o.solver.share(false)
	work()
}

// GivenUp is how many questions were not decided within their units, ever.
func (o *Oracle) GivenUp() int { return o.solver.givenUp() }

// Check decides the conjunction of the literals and the facts of the table. When the context has ended it aborts the
// exploration that asks.
func (o *Oracle) Check(t *term.Table, lits []term.Literal) Answer {
	o.alive()
	if got := o.own(t, lits); got != Unknown {
		return got
	}
	if !o.ask(t, lits) {
		return Unknown
	}
	return o.answered(o.solver.cube(o.Ctx, t, lits))
}

// own is the fast path: what takes no solver. It says what the solver would say, or nothing.
func (o *Oracle) own(t *term.Table, lits []term.Literal) (got Answer) {
	if o.SolverAlone {
		return Unknown
	}
	if o.models.about(t).show(lits) {
		got = Sat
	} else {
		got = o.differences(t, lits)
	}
	if o.Validate {
		o.compare(t, lits, got)
	}
	return got
}

// compare panics if the solver does not say what the fast path says.
func (o *Oracle) compare(t *term.Table, lits []term.Literal, got Answer) {
	if got == Unknown {
		return
	}
	if defined := o.solver.cube(o.Ctx, t, lits); defined != Unknown && defined != got {
		panic(fmt.Sprintf("%v without the solver, which says %v: %v", got, defined, lits))
	}
}

// alive is called for every question: it stops what is going on when the context has ended, and lets the caller know
// that it goes on.
func (o *Oracle) alive() {
	if o.Ctx.Err() != nil {
		panic(unsupported.Reason("interrupted"))
	}
	o.Spend(1)
	if o.checks++; o.notice != nil && o.checks%noticeEvery == 0 {
		o.notice()
	}
}

// noticeEvery is how many questions may pass without notice.
const noticeEvery = 256

// Watch has a function called now and then; nil: none.
func (o *Oracle) Watch(notice func()) { o.notice = notice }

// ask counts a question about cubes to the solver; it reports false for one that must not be asked.
func (o *Oracle) ask(t *term.Table, cubes ...[]term.Literal) bool {
	size := len(t.Facts)
	for _, lits := range cubes {
		size += len(lits)
		if t.Long(lits) {
			if o.Long = true; o.short {
				return false
			}
		}
	}
	o.Spend(size * literalWork)
	o.question()
	o.Queries++
	return true
}

// answered charges an answer.
func (o *Oracle) answered(got Answer) Answer {
	o.alive()
	if got == Unknown {
		o.Spend(o.giveUp)
	}
	return got
}

// literalWork is the work that a literal of a question to the solver costs.
const literalWork = 10

// Meet asks the solver whether one of the cubes is compatible with the formula, or with its negation.
func (o *Oracle) Meet(t *term.Table, cubes [][]term.Literal, nf term.NormalForm, negate bool) Answer {
	o.alive()
	if got := o.meetOwn(t, cubes, nf, negate); got != Unknown {
		return got
	}
	if !o.ask(t, append(slices.Clone(cubes), nf.Terms...)...) {
		return Unknown
	}
	return o.answered(o.solver.meet(o.Ctx, t, cubes, nf, negate))
}

// maxMeets bounds the cubes that a question about a formula is split into before the solver is asked.
const maxMeets = 500

// meetOwn decides what meet asks without the solver, unknown if that takes too much.
func (o *Oracle) meetOwn(t *term.Table, cubes [][]term.Literal, nf term.NormalForm, negate bool) Answer {
	terms, clauses := nf.Terms, nf.Clauses
	if negate {
		terms, clauses = nil, !clauses
		for _, part := range nf.Terms {
			var opposite []term.Literal
			for _, l := range part {
				opposite = append(opposite, l.Not())
			}
			terms = append(terms, opposite)
		}
	}
	left := maxMeets
	check := func(lits []term.Literal) Answer {
		if left--; left < 0 {
			return Unknown
		}
		return o.own(t, lits)
	}
	var visit func(lits []term.Literal, clauses [][]term.Literal) Answer
	visit = func(lits []term.Literal, clauses [][]term.Literal) Answer {
		got := check(lits)
		if got == Unsat || len(clauses) == 0 {
			return got
		}
		for _, l := range clauses[0] {
			if slices.Contains(lits, l.Not()) {
				continue
			}
			if got := visit(append(lits[:len(lits):len(lits)], l), clauses[1:]); got != Unsat {
				return got // also when it is unknown: the solver is asked for all of it then
			}
		}
		return Unsat
	}
	for _, cube := range cubes {
		if clauses {
			if got := visit(cube, terms); got != Unsat {
				return got
			}
			continue
		}
		for _, part := range terms {
			if term.Clashes(cube, part) {
				continue
			}
			if got := check(append(cube[:len(cube):len(cube)], part...)); got != Unsat {
				return got
			}
		}
	}
	return Unsat
}
