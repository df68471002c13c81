package wording

import (
	"slices"

	"cdpor/constraints"
	"cdpor/lang/step"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/partition"
	"cdpor/synth/internal/span"
	"cdpor/synth/internal/term"
)

// A Result is an expression for a function, and the same as literals.
type Result struct {
	Plain    *step.Expr // leaves it to the order of evaluation, and to what is known, that nothing fails
	Guarded  *step.Expr // never fails
	Nf       term.NormalForm
	Opaque   bool             // the normal form cannot say it
	Complete bool             // it equals the function; otherwise it implies it
	Cells    partition.Bitset // where it holds
}

// Minimise finds the shortest expression for a function over the cells: a disjunction of conjunctions or the other way
// round, then shortened (see shorten.go).
func (w *Wording) Minimise(function []bool) Result { return w.Between(function, function) }

// Between finds the shortest expression for a function that holds at least where one does, and at most where another
// does.
func (w *Wording) Between(function, most []bool) Result {
	r, _, _ := w.between(function, most)
	return r
}

// between is the result, with what its expressions are made of unless that is the same everywhere.
func (w *Wording) between(function, most []bool) (r Result, plain, guarded *phrase) {
	spend := w.c.Oracle.Spend
	if !slices.Contains(function, !(len(function) == 0 || function[0])) { // the same everywhere
		value := len(function) == 0 || function[0]
		r = Result{Plain: constraints.Truth(value), Guarded: constraints.Truth(value),
			Nf: term.NormalForm{Clauses: value}, Complete: true,
			Cells: partition.NewBitset(len(function))}
		if value {
			r.Cells = w.all
		}
		return r, nil, nil
	}
	w.prepare()
	on, off, free := partition.NewBitset(len(function)), partition.NewBitset(len(function)),
		partition.NewBitset(len(function))
	for i, v := range function {
		switch {
		case v:
			on.Set(i)
		case most[i]:
			free.Set(i)
		default:
			off.Set(i)
		}
	}
	dnf, dnfCost, dnfComplete := partition.Cover(w.pool, on, off, spend)
	cnf, cnfCost, cnfComplete := partition.Cover(w.pool, off, on, spend)
	// A disjunction of conjunctions for the negation is, negated, a conjunction of disjunctions.
	clauses := cnfComplete && (!dnfComplete || cnfCost < dnfCost)
	r = Result{Nf: term.NormalForm{Clauses: clauses}, Complete: clauses || dnfComplete, Cells: on}
	terms := dnf
	if clauses {
		terms = cnf
	}
	if len(terms) == 0 {
		return Result{Plain: constraints.Truth(false), Guarded: constraints.Truth(false),
			Cells: partition.NewBitset(len(function))}, nil, nil
	}
	if !r.Complete {
		r.Cells = partition.NewBitset(len(function))
		for _, k := range terms {
			r.Cells.Add(k.In)
		}
	}
	for _, k := range terms {
		var lits []term.Literal
		for _, i := range k.Lits {
			is := w.of[i]
			r.Opaque = r.Opaque || is.opaque
			for _, l := range append(slices.Clone(is.guards), is.lit) {
				if clauses {
					l = l.Not()
				}
				if !slices.Contains(lits, l) {
					lits = append(lits, l)
				}
			}
		}
		r.Nf.Terms = append(r.Nf.Terms, lits)
	}
	forms := []*phrase{w.phrase(terms, clauses)}
	if dnfComplete && cnfComplete {
		other := cnf
		if clauses {
			other = dnf
		}
		forms = append(forms, w.phrase(other, !clauses))
	}
	plain, guarded = w.plainly(forms, r.Cells, free, spend), w.shortest(forms, r.Cells, free, strict, spend)
	r.Plain, r.Guarded = w.concise(plain), w.concise(guarded)
	if free.Count() > 0 {
		r.Cells = plain.yes
	}
	return r, plain, guarded
}

// Fewer leaves alternatives out of the shortest expression for a function that are not needed for it to hold in some
// cells. It is nil if all are, or no expression for the function is found; holds are the cells where it holds.
func (w *Wording) Fewer(function, needed []bool) (x *step.Expr, holds partition.Bitset) {
	r, whole, guarded := w.between(function, function)
	if whole == nil || !r.Complete {
		return nil, nil
	}
	m := plain
	if expr.MayFail(r.Plain) {
		whole, m = guarded, strict
	}
	free := partition.NewBitset(len(function))
	for i := range function {
		if function[i] && !needed[i] {
			free.Set(i)
		}
	}
	size := whole.size()
	s := &shortener{w: w, whole: whole.clone(), target: r.Cells, free: free, mode: m, spend: w.c.Oracle.Spend,
		budget: shortenBudget}
	s.each(s.whole, s.drop)
	if s.whole.tidy(); s.whole.size() == size {
		return nil, nil
	}
	s.value(s.whole)
	return w.concise(s.whole), s.whole.yes
}

// concise is the expression of a phrase without what the order of evaluation tells.
func (w *Wording) concise(p *phrase) *step.Expr {
	selves := map[int]span.Span{}
	for slot, of := range pairSlots {
		for _, q := range w.c.Table.Actors[slot].Procs {
			if s, known := selves[of]; known {
				selves[of] = s.Join(span.Between(q.Self, q.Self))
			} else {
				selves[of] = span.Between(q.Self, q.Self)
			}
		}
	}
	return expr.Concise(p.expr(), selves)
}

// Keeping adds to the cells that a condition has to hold in those of single comparisons that imply the weakest one: of
// those that the steps make themselves, of those which say that two parameters, numbers of processes or keys differ,
// and of none. That a value is written which is there already is one of them if the steps compute nothing for it.
func (w *Wording) Keeping(least, most []bool) (sets [3][]bool) {
	w.prepare()
	sets = [3][]bool{slices.Clone(least), slices.Clone(least), least}
	for _, p := range w.of {
		different := !p.opaque && w.different(p)
		if p.opaque || p.vague || !different && !w.tested(p.lit) {
			continue
		}
		w.spend(1 + len(most)/16)
		enough := true
		for i := range most {
			enough = enough && (most[i] || !p.yes.Has(i))
		}
		for i := range most {
			if enough && p.yes.Has(i) {
				sets[0][i], sets[1][i] = true, sets[1][i] || different
			}
		}
	}
	return sets
}

// tested reports whether a literal asks for what the steps ask for, or for a flag, a key or how full something is.
func (w *Wording) tested(l term.Literal) bool {
	terms := w.c.Table.Dirs[l.Dir].Terms
	s := &w.c.Table.Syms[terms[0].S]
	return w.n.Writes(l.Dir, l.K) || w.n.Quote(l) != nil ||
		len(terms) == 2 && l.Rel == term.EqRel && !l.Neg && l.K == 0 ||
		len(terms) == 1 && s.Kind == term.WordSym && (s.Typ.Kind == step.Bool || s.Typ.Counted())
}

// different reports whether a part says that two locals or numbers of processes differ.
func (w *Wording) different(p *part) bool {
	terms := w.c.Table.Dirs[p.lit.Dir].Terms
	return p.lit.Rel == term.EqRel && p.lit.Neg && len(terms) == 2 &&
		!slices.ContainsFunc(terms, func(x term.Term) bool {
			s := &w.c.Table.Syms[x.S]
			return s.Kind != term.SelfSym && (s.Kind != term.WordSym || s.Mem.Slot == term.Shared)
		})
}
