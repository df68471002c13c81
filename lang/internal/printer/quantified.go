package printer

import "cdpor/lang/step"

// leastQuantified is how many elements an array has of which a condition speaks with one name for each of them.
const leastQuantified = 3

// quantified prints a condition that holds for all elements of an array, or for any: xs.all(v, v > 0), xs.any(v, v).
func (f *formatter) quantified(e *step.Expr) (text string, prec int, ok bool) {
	word := map[step.Op]string{step.And: "all", step.Or: "any"}[e.Op]
	if word == "" {
		return "", 0, false
	}
	e.Args[1].Walk(func(last *step.Expr) {
		if ok || last.Op != step.Index || last.Args[0].Type.Kind != step.Array || last.Args[0].Type.Sync != "" {
			return
		}
		xs := last.Args[0]
		if n := xs.Type.Len; n < leastQuantified || !last.Args[1].Number(int64(n-1)) {
			return
		}
		v := &step.Var{Name: "v", Type: xs.Type.Elem}
		if body := eachOf(e, xs, v); body != nil {
			text, prec, ok = f.at(xs, precPostfix)+"."+word+"(v, "+f.format(body)+")", precPostfix, true
		}
	})
	return text, prec, ok
}

// eachOf is what a chain says of each element of an array, as a condition about a variable; nil if it is not that.
func eachOf(e, xs *step.Expr, v *step.Var) (body *step.Expr) {
	op := e.Op
	for k := xs.Type.Len - 1; k >= 0; k-- {
		part := e
		if k > 0 {
			if e.Op != op {
				return nil
			}
			e, part = e.Args[0], e.Args[1]
		}
		found := false
		one := elementAs(part, xs, int64(k), v, &found)
		if !found || body != nil && !step.Equal(one, body) ||
			one.Has(func(x *step.Expr) bool {
				return x.Op == step.VarRef && x.Var != v && x.Var.Name == v.Name || step.Equal(x, xs)
			}) {
			return nil
		}
		body = one
	}
	return body
}

// elementAs is a condition with a variable in the places of an element of an array.
func elementAs(e, xs *step.Expr, k int64, v *step.Var, found *bool) *step.Expr {
	if e.Op == step.Index && e.Args[1].Number(k) && step.Equal(e.Args[0], xs) {
		*found = true
		return &step.Expr{Op: step.VarRef, Type: v.Type, Of: step.Own, Var: v}
	}
	return e.With(func(a *step.Expr) *step.Expr { return elementAs(a, xs, k, v, found) })
}
