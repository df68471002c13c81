package wording

import (
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/decide"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/symbolic"
	"cdpor/synth/internal/term"
)

// Calls that the steps make of functions of the program say in a word what the functions ask step by step:
// before(number[q.self], q.self, p.most + 1, p.self).

// A caseOf is what a call is where some literals hold.
type caseOf struct {
	cube  []term.Literal
	value bool
}

// maxCases bounds the work for one call: cells times cases.
const maxCases = 4000

// calls adds those whose value each cell tells.
func (w *Wording) calls() {
	if w.n == nil {
		return
	}
	for _, c := range w.n.Calls {
		e, protected := w.call(c)
		if e == nil {
			continue
		}
		var cases []caseOf
		failed := symbolic.Explore(w.c.Table, w.c.Oracle, len(w.c.Value), func(r *symbolic.Run) {
			value := r.Holds(e, 0, 1)
			cases = append(cases, caseOf{r.Cube(), value})
		})
		if failed != "" || len(cases)*len(w.c.Value) > maxCases {
			continue
		}
		p := w.opaque(len(cases)*len(w.c.Value)/8, func(cell int) (is, known bool) { return w.valueIn(cell, cases) })
		if p == nil {
			continue
		}
		p.expr, p.not.expr = e, expr.New(step.Not, step.BoolType, e)
		w.protect(p, protected, func(cell int) bool { return w.c.Guarded(cell, protected) })
		for _, k := range []*part{p, p.not} {
			w.finish(k)
			k.size -= nameBonus
			k.fails = len(protected) > 0 // that all of it cannot is proved
		}
		w.offer(p, p.not)
	}
}

// nameBonus is what the name of a function is worth, in characters: it says what is asked for.
const nameBonus = 6

// call is the expression of a call of which all arguments can be said, with what must hold for that; nil for others.
func (w *Wording) call(c term.Call) (e *step.Expr, protected []term.Literal) {
	e = &step.Expr{Op: step.Call, Type: step.BoolType, Of: step.Own, Func: c.Func}
	for i, words := range c.Args {
		arg := w.pr.key(c.Func.Params[i].Type, words)
		if arg == nil {
			return nil, nil
		}
		e.Args = append(e.Args, arg)
		for _, f := range words {
			if len(f.Terms) > 0 {
				dir, _ := w.c.Table.Direction(f.Terms)
				protected = append(protected, guards(w.c.Table, dir)...)
			}
		}
	}
	return e, protected
}

// valueIn is the value of a call in a cell, if it is the same in all of it.
func (w *Wording) valueIn(cell int, cases []caseOf) (is, known bool) {
	var within []term.Literal
	for i := range w.c.Axes {
		a := &w.c.Axes[i]
		within = append(within, a.Literals(a.Regions[w.c.Coord[cell][i]])...)
	}
	for _, k := range cases {
		if term.Clashes(within, k.cube) ||
			w.c.Oracle.Check(w.c.Table, slices.Concat(within, k.cube)) == decide.Unsat {
			continue
		}
		if known && is != k.value {
			return false, false
		}
		is, known = k.value, true
	}
	return is, known
}
