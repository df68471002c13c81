package synth

import (
	"slices"

	"cdpor/constraints"
	"cdpor/lang/step"
	"cdpor/synth/internal/term"
)

// A result is an expression for a function, and the same as literals.
type result struct {
	plain    *step.Expr // leaves it to the order of evaluation, and to what is known, that nothing fails
	guarded  *step.Expr // never fails
	nf       term.NormalForm
	opaque   bool   // the normal form cannot say it
	complete bool   // it equals the function; otherwise it implies it
	cells    bitset // where it holds
}

// minimise finds the shortest expression for a function over the cells: a disjunction of conjunctions or the other way
// round, then shortened (see shorten.go).
func (w *wording) minimise(function []bool) result {
	spend := w.c.o.Spend
	if !slices.Contains(function, !(len(function) == 0 || function[0])) { // the same everywhere
		value := len(function) == 0 || function[0]
		r := result{plain: constraints.Truth(value), guarded: constraints.Truth(value), nf: term.NormalForm{Clauses: value}, complete: true,
			cells: newBitset(len(function))}
		if value {
			r.cells = w.all
		}
		return r
	}
	w.prepare()
	on, off := newBitset(len(function)), newBitset(len(function))
	for i, v := range function {
		if v {
			on.set(i)
		} else {
			off.set(i)
		}
	}
	dnf, dnfCost, dnfComplete := cover(w.pool, on, off, spend)
	cnf, cnfCost, cnfComplete := cover(w.pool, off, on, spend)
	// A disjunction of conjunctions for the negation is, negated, a conjunction of disjunctions.
	clauses := cnfComplete && (!dnfComplete || cnfCost < dnfCost)
	r := result{nf: term.NormalForm{Clauses: clauses}, complete: clauses || dnfComplete, cells: on}
	terms := dnf
	if clauses {
		terms = cnf
	}
	if len(terms) == 0 {
		return result{plain: constraints.Truth(false), guarded: constraints.Truth(false), cells: newBitset(len(function))}
	}
	if !r.complete {
		r.cells = newBitset(len(function))
		for _, k := range terms {
			r.cells.add(k.in)
		}
	}
	for _, k := range terms {
		var lits []term.Literal
		for _, i := range k.lits {
			is := w.of[i]
			r.opaque = r.opaque || is.opaque
			for _, l := range append(slices.Clone(is.guards), is.lit) {
				if clauses {
					l = l.Not()
				}
				if !slices.Contains(lits, l) {
					lits = append(lits, l)
				}
			}
		}
		r.nf.Terms = append(r.nf.Terms, lits)
	}
	forms := []*phrase{w.phrase(terms, clauses)}
	if dnfComplete && cnfComplete {
		other := cnf
		if clauses {
			other = dnf
		}
		forms = append(forms, w.phrase(other, !clauses))
	}
	r.plain, r.guarded = w.shortest(forms, r.cells, false, spend), w.shortest(forms, r.cells, true, spend)
	return r
}
