package instrument

import (
	"slices"
	"testing"

	"cdpor/lang/step"
)

// TestInclude: of a place and a part of it only the place is kept.
func TestInclude(t *testing.T) {
	array := &step.Type{Kind: step.Array, Len: 2, Elem: step.IntType}
	a := &step.Expr{Op: step.VarRef, Type: array, Var: &step.Var{Name: "a", Type: array, Shared: true}}
	elem := func(i int64) *step.Expr {
		k := &step.Expr{Op: step.Const, Type: step.IntType, Words: []int64{i}}
		return &step.Expr{Op: step.Index, Type: step.IntType, Args: []*step.Expr{a, k}}
	}
	for _, c := range []struct {
		name      string
		add, want []*step.Expr
	}{
		{"two elements", []*step.Expr{elem(0), elem(1)}, []*step.Expr{elem(0), elem(1)}},
		{"an element twice", []*step.Expr{elem(0), elem(0)}, []*step.Expr{elem(0)}},
		{"the whole after its elements", []*step.Expr{elem(0), elem(1), a}, []*step.Expr{a}},
		{"an element after the whole", []*step.Expr{a, elem(1)}, []*step.Expr{a}},
	} {
		var list []*step.Expr
		for _, e := range c.add {
			list = include(list, e)
		}
		if !slices.EqualFunc(list, c.want, step.Equal) {
			t.Errorf("%s: %d places, not %d", c.name, len(list), len(c.want))
		}
	}
	if got := path(elem(1)); !slices.Equal(got, []int64{1}) {
		t.Errorf("a[1] is at %v", got)
	}
	if inArray(elem(2)) || !inArray(elem(1)) {
		t.Error("an array of two has the elements 0 and 1")
	}
}
