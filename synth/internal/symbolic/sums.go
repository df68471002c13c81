package symbolic

import (
	"cdpor/lang/step"
	"cdpor/synth/internal/term"
)

// Sums over all elements of an array, which programs write as xs.sum() or as xs.count(v, v), and lowering writes out.
// An assignment to the element that i means changes the sum by the difference of the values, whichever element that is.
// So a majority among votes takes one comparison before and one after a vote, and not one for each voter.

// total evaluates a sum over an array of which the path need not tell where it has been written; ok is false if e is
// none.
func (x *interpreter) total(e *step.Expr) (sum term.Form, ok bool) {
	xs := step.TotalOf(e)
	if xs == nil {
		return term.Form{}, false
	}
	array, ok := x.place(xs)
	if !ok || array.Slot >= frames || x.Concrete != nil {
		return term.Form{}, false
	}
	if x.seen != nil && array.Slot == term.Shared {
		*x.seen = append(*x.seen, array)
	}
	at := func(i term.Form) term.Place { return array.Sub(0, array.Typ.Elem, i) }
	for i := range array.Typ.Len {
		sum = sum.Plus(1, x.initial(at(term.Constant(int64(i)))))
	}
	m := x.Store.find(at(term.Constant(0)).Key())
	if m == nil {
		return sum, true
	}
	x.Oracle.Spend(len(m.log))
	last := len(array.Idx)
	for k, w := range m.log {
		if !x.sameIndex(w.idx[:last], array.Idx) {
			continue
		}
		before := x.at(m.log[:k], at(w.idx[last]))
		switch {
		case array.Typ.Elem.Kind != step.Bool:
			sum = sum.Plus(1, w.value.Minus(before))
		case x.Equal(before, w.value):
		case x.zero(w.value):
			sum = sum.Minus(term.Constant(1))
		default:
			sum = sum.Plus(1, term.Constant(1))
		}
	}
	return sum, true
}
