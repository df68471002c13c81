package synth

import (
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/term"
)

// Sums over all elements of an array, which programs write as xs.sum() or as xs.count(v, v), and lowering writes out.
// An assignment to the element that i means changes the sum by the difference of the values, whichever element that is.
// So a majority among votes takes one comparison before and one after a vote, and not one for each voter.

// total evaluates a sum over an array of which the path need not tell where it has been written; ok is false if e is
// none.
func (x *run) total(e *step.Expr) (sum term.Form, ok bool) {
	xs := step.TotalOf(e)
	if xs == nil {
		return term.Form{}, false
	}
	array, ok := x.place(xs)
	if !ok || array.Slot >= frames || x.concrete != nil {
		return term.Form{}, false
	}
	if x.seen != nil && array.Slot == term.Shared {
		*x.seen = append(*x.seen, array)
	}
	at := func(i term.Form) term.Place { return array.Sub(0, array.Typ.Elem, i) }
	for i := range array.Typ.Len {
		sum = sum.Plus(1, x.initial(at(term.Constant(int64(i)))))
	}
	m := x.st.find(at(term.Constant(0)).Key())
	if m == nil {
		return sum, true
	}
	x.o.Spend(len(m.log))
	last := len(array.Idx)
	for k, w := range m.log {
		if !x.sameIndex(w.idx[:last], array.Idx) {
			continue
		}
		before := x.at(m.log[:k], at(w.idx[last]))
		switch {
		case array.Typ.Elem.Kind != step.Bool:
			sum = sum.Plus(1, w.value.Minus(before))
		case x.equal(before, w.value):
		case x.zero(w.value):
			sum = sum.Minus(term.Constant(1))
		default:
			sum = sum.Plus(1, term.Constant(1))
		}
	}
	return sum, true
}

// A summand is a part of a sum: a number, times c.
type summand struct {
	expr *step.Expr // nil if the language cannot name it
	c    int64
}

// summands lists the parts of a sum as people read them: all elements of an array as one. Flags count as 0 or 1, unless
// only two of them are compared with each other.
func (p *printer) summands(t *term.Table, terms []term.Term) []summand {
	list := make([]summand, len(terms))
	for i, x := range terms {
		list[i] = summand{p.symbol(t, x.S), x.C}
	}
	if len(terms) < 2 {
		return list
	}
	for i := 0; i < len(list); i++ {
		e := list[i].expr
		if e == nil || e.Op != step.Index || e.Args[0].Type.Kind != step.Array ||
			e.Type.Kind == step.Sized || !e.Type.Numeric() && e.Type.Kind != step.Bool {
			continue
		}
		array, all := e.Args[0], []int{}
		for k := range array.Type.Len {
			j := slices.IndexFunc(list, func(a summand) bool {
				return a.expr != nil && a.c == list[i].c && a.expr.Op == step.Index &&
					a.expr.Args[1].Number(int64(k)) &&
					step.Equal(a.expr.Args[0], array)
			})
			if j < 0 {
				break
			}
			all = append(all, j)
		}
		if len(all) < max(2, array.Type.Len) {
			continue
		}
		list[i].expr = step.Total(array)
		slices.Sort(all)
		for _, j := range slices.Backward(all) {
			if j != i {
				list = slices.Delete(list, j, j+1)
			}
		}
	}
	numeric := func(a summand) bool { return a.expr == nil || a.expr.Type.Numeric() }
	if len(list) == 2 && list[0].c*list[1].c < 0 && !slices.ContainsFunc(list, numeric) {
		return list
	}
	for i := range list {
		if e := list[i].expr; e != nil && e.Type.Kind == step.Bool {
			list[i].expr = expr.New(step.Cond, step.IntType, e, expr.Number(1), expr.Number(0))
		}
	}
	return list
}
