package step

import "testing"

// TestTotal: what is written out as a total is known again, and nothing that only looks like one.
func TestTotal(t *testing.T) {
	array := func(name string, elem *Type) *Expr {
		return &Expr{Op: VarRef, Type: &Type{Kind: Array, Elem: elem, Len: 3}, Of: Own,
			Var: &Var{Name: name, Shared: true}}
	}
	flags, numbers := array("f", BoolType), array("n", IntType)
	for _, a := range []*Expr{flags, numbers} {
		if got := TotalOf(Total(a)); got == nil || !Equal(got, a) {
			t.Errorf("the total of %s is not known again", a.Var.Name)
		}
	}
	all := Total(numbers)
	other := Total(array("n", IntType)) // of another variable
	mixed := &Expr{Op: Add, Type: IntType, Of: Own, Args: []*Expr{other.Args[0], all.Args[1]}}
	started := Total(numbers)
	started.Args[0].Args[0].Args[0].Words[0] = 1
	for what, e := range map[string]*Expr{"one element less": all.Args[0], "one element": all.Args[1],
		"no sum":                 numbers,
		"elements of two arrays": mixed, "a sum that begins with 1": started,
		"more": {Op: Add, Type: IntType, Of: Own, Args: []*Expr{all, all.Args[1]}}} {
		if TotalOf(e) != nil {
			t.Errorf("%s is taken for a total", what)
		}
	}
}
