package synth

// A solver decides formulas over the symbols of a table. It belongs to one goroutine.
type solver interface {
	// cube decides a conjunction of literals.
	cube(t *table, lits []literal) answer
	// meet decides whether one of the cubes is compatible with the formula, or with its negation.
	meet(t *table, cubes [][]literal, nf normalForm, negate bool) answer
}
