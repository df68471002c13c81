package printer

import (
	"testing"

	"cdpor/lang/step"
)

// TestQuantified: what is said of all elements of an array, in their order, is said once; what differs in one of them,
// or leaves one out, is written out.
func TestQuantified(t *testing.T) {
	array := &step.Type{Kind: step.Array, Elem: step.IntType, Len: 3}
	xs := &step.Expr{Op: step.VarRef, Type: array, Of: step.Own, Var: &step.Var{Name: "xs", Type: array, Shared: true}}
	number := func(k int) *step.Expr {
		return &step.Expr{Op: step.Const, Type: step.IntType, Of: step.Own, Words: []int64{int64(k)}}
	}
	chain := func(op step.Op, bounds ...int) (e *step.Expr) {
		for k, bound := range bounds {
			elem := &step.Expr{Op: step.Index, Type: step.IntType, Of: step.Own, Args: []*step.Expr{xs, number(k)}}
			one := &step.Expr{Op: step.Gt, Type: step.BoolType, Of: step.Own, Args: []*step.Expr{elem, number(bound)}}
			if e == nil {
				e = one
			} else {
				e = &step.Expr{Op: op, Type: step.BoolType, Of: step.Own, Args: []*step.Expr{e, one}}
			}
		}
		return e
	}
	for want, e := range map[string]*step.Expr{
		"xs.all(v, v > 4)":                    chain(step.And, 4, 4, 4),
		"xs.any(v, v > 4)":                    chain(step.Or, 4, 4, 4),
		"xs[0] > 4 && xs[1] > 4 && xs[2] > 5": chain(step.And, 4, 4, 5),
		"xs[0] > 4 || xs[1] > 4":              chain(step.Or, 4, 4),
	} {
		if got := (&formatter{}).format(e); got != want {
			t.Errorf("%s is written for %s", got, want)
		}
	}
}
