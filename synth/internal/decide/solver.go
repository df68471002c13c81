package decide

import (
	"context"

	"cdpor/synth/internal/term"
)

// linearRLimit is what a question that is well within it may take.
const linearRLimit = 2_000_000

// A Dump is called with each question in SMT-LIB, the symbols it is about, and its answer.
type Dump func(number int, t *term.Table, about []term.SymID, question string, got Answer)

// A solver decides formulas over the symbols of a table. It belongs to one goroutine. When the context ends the answer
// is unknown.
type solver interface {
	// cube decides a conjunction of literals.
	cube(ctx context.Context, t *term.Table, lits []term.Literal) Answer
	// meet decides whether one of the cubes is compatible with the formula, or with its negation.
	meet(ctx context.Context, t *term.Table, cubes [][]term.Literal, nf term.NormalForm, negate bool) Answer
	// share begins or ends a piece of work: what it asks that is not linear may depend on all of it, and on nothing
	// else.
	share(begin bool)
	// givenUp is how many questions were not decided within their units, ever.
	givenUp() int
}
