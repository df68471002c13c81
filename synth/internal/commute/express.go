package commute

import (
	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"
	"cdpor/synth/internal/decide"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/partition"
	"cdpor/synth/internal/symbolic"
	"cdpor/synth/internal/term"
	"cdpor/synth/internal/unsupported"
	"cdpor/synth/internal/wording"
)

// express turns the leaves of the question into an expression and proves it: by cells of everything that the leaves
// ask about; if that is too much, or not the weakest condition, by cells of what cubes need; else by cubes alone.
func (e *Finder) express(n *Entry, leaves []partition.Leaf) (why string) {
	begin, found := *n, false
	try := func(worded func(m *Entry) (wording.Result, bool)) (exact bool) {
		m := begin
		failed := unsupported.Attempt(func() {
			r, ok := worded(&m)
			if !ok {
				panic(unsupported.Reason("too many cases"))
			}
			e.prove(&m, leaves, r)
			m.beginUniform(r)
		})
		exact = failed == "" && m.Status == constraints.Exact
		switch {
		case failed == "" && (!found || exact):
			*n, found, why = m, true, ""
		case !found && why == "":
			why = failed
		}
		return exact
	}
	if try(func(m *Entry) (wording.Result, bool) { return e.byLeaves(m, leaves) }) {
		return ""
	}
	var nf term.NormalForm
	if failed := unsupported.Attempt(func() { nf = e.coverByCubes(n, leaves) }); failed != "" {
		return why
	}
	if !try(func(m *Entry) (wording.Result, bool) { return m.byCells(m.cellsOf(e.Oracle, fewAxes*e.MaxCells, nf)) }) {
		try(func(m *Entry) (wording.Result, bool) {
			m.Commute, m.nf = wording.Factored(m.Table, m.Names, nf), nf
			return wording.Result{}, true
		})
	}
	return why
}

// fewAxes is how many times more cells a condition may have of which every axis matters.
const fewAxes = 4

// byLeaves finds an expression by cells of everything that leaves ask about, under one name for each word if that is
// shorter; ok is false without cells.
func (e *Finder) byLeaves(n *Entry, leaves []partition.Leaf) (r wording.Result, ok bool) {
	other := *n
	renamed := other.oneName(leaves)
	if r, ok = n.byCells(e.cells(n, leaves)); renamed == nil || ok && e.Oracle.Spent {
		return r, ok
	}
	size := func(n *Entry) int { return len(lang.FormatExpr(n.Commute, n.A.Template, n.B.Template)) }
	if one, found := other.byCells(e.cells(&other, renamed)); found && (!ok || size(&other) <= size(n)) {
		*n, r, ok = other, one, true
	}
	return r, ok
}

// byCells finds an expression for the values of cells; ok is false without cells.
func (n *Entry) byCells(cells *partition.Cells) (r wording.Result, ok bool) {
	if n.Cells = cells; cells == nil {
		return r, false
	}
	n.words = wording.New(cells, n.Names)
	r = n.words.Minimise(cells.Value)
	n.Commute, n.nf = r.Plain, r.Nf
	return r, true
}

// cells are those of everything that the leaves ask about, as far as it matters; nil if they are too many.
func (e *Finder) cells(n *Entry, leaves []partition.Leaf) (cells *partition.Cells) {
	pr := &wording.Printer{Table: n.Table, N: n.Names}
	e.Oracle.Spend(partition.CompareWork(leaves))
	small := partition.Relevant(leaves, func(dir int) bool {
		d := &n.Table.Dirs[dir]
		return n.Table.Opaque(d.Terms) || !pr.Names(d)
	})
	if cells = n.build(e.Oracle, e.MaxCells, small); cells == nil && len(n.implied) > 0 {
		n.implied = nil
		cells = n.build(e.Oracle, e.MaxCells, small)
	}
	if cells == nil {
		cells = n.build(e.Oracle, e.MaxCells, partition.Relevant(leaves, func(int) bool { return true }))
	}
	return cells
}

// prove proves that the expression holds only where the steps commute, and finds out whether it holds wherever they do.
func (e *Finder) prove(n *Entry, leaves []partition.Leaf, r wording.Result) {
	weakest := r.Opaque && r.Complete // else Confirm proves it
	if !r.Opaque {
		var on, off [][]term.Literal
		for _, f := range leaves {
			if f.Value {
				on = append(on, f.Cube)
			} else {
				off = append(off, f.Cube)
			}
		}
		if e.Oracle.Meet(n.Table, off, n.nf, false) != decide.Unsat {
			panic(unsupported.Reason("the solver could not prove the condition that was found"))
		}
		weakest = e.Oracle.Meet(n.Table, on, n.nf, true) == decide.Unsat
	}
	n.Status = constraints.Partial
	if r.Opaque || expr.MayFail(n.Commute) {
		sound, all := e.Confirm(n)
		if r.Guarded != nil && !(sound && all) {
			n.Commute = r.Guarded
			sound, all = e.Confirm(n)
		}
		if !sound {
			panic(unsupported.Reason("the condition that was found cannot be evaluated everywhere"))
		}
		weakest = weakest && all
	}
	if weakest {
		n.Status = constraints.Exact
	} else {
		n.Why = "the weakest condition is too large, or the language cannot say it"
	}
}

// Confirm asks the question again together with the evaluation of the condition, failures included.
func (e *Finder) Confirm(n *Entry) (sound, weakest bool) {
	sound, weakest = true, true
	failed := e.Explore("the condition is right and the weakest, failures included, of", func(r *symbolic.Run) {
		start := r.Store
		commute := r.Commute(n.A, n.B)
		r.Store, r.Fault = start, step.NoFault
		r.Branches(func() { // the steps are not run again for each part of the condition
			holds := r.Holds(n.Commute, 0, 1)
			weakest, sound = weakest && (holds || !commute), sound && (commute || !holds)
		})
	}, n.A, n.B)
	return sound && failed == "", weakest && failed == ""
}

// coverByCubes is for functions of too many cells: leaves in which the steps commute, with the literals left out that
// are not needed to stay clear of the leaves in which they do not.
func (e *Finder) coverByCubes(n *Entry, leaves []partition.Leaf) (nf term.NormalForm) {
	pr := &wording.Printer{Table: n.Table, N: n.Names}
	queries := 0
next:
	for _, f := range leaves {
		if !f.Value || len(nf.Terms) == partition.MaxTerms {
			continue
		}
		for _, t := range nf.Terms { // already covered?
			if term.Subset(t, f.Cube) {
				continue next
			}
		}
		lits := append([]term.Literal(nil), f.Cube...)
		for i := len(lits) - 1; i >= 0 && queries < 4000; i-- {
			rest := append(append([]term.Literal(nil), lits[:i]...), lits[i+1:]...)
			clear := true
			for _, g := range leaves {
				if g.Value {
					continue
				}
				queries++
				e.Oracle.Spend(1 + len(rest)*len(g.Cube)/64)
				if !term.Clashes(rest, g.Cube) && e.Oracle.Check(n.Table,
					append(append([]term.Literal(nil), rest...), g.Cube...)) != decide.Unsat {
					clear = false
					break
				}
			}
			if clear {
				lits = rest
			}
		}
		for _, l := range lits {
			if pr.Literal(l) == nil {
				continue next
			}
		}
		if len(lits) == 0 {
			return term.NormalForm{Clauses: true}
		}
		nf.Terms = append(nf.Terms, lits)
	}
	return nf
}
