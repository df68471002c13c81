package printer

import "cdpor/lang/step"

// leastQuantified is how many elements an array has of which a condition speaks with one name for each of them.
const leastQuantified = 3

// quantified prints a condition that holds for all elements of an array or a collection, or for any: xs.all(v, v > 0),
// xs.any(v, v).
func (f *formatter) quantified(e *step.Expr) (text string, prec int, ok bool) {
	word := map[step.Op]string{step.And: "all", step.Or: "any"}[e.Op]
	if word == "" {
		return "", 0, false
	}
	if e.Op == step.Or && e.Args[0].Op == step.Not { // of what holds one element at most
		if there := e.Args[0].Args[0]; there.Op == step.Gt && there.Args[0].Op == step.Size {
			xs := there.Args[0].Args[0]
			if text, ok := f.each(xs, "all", func(v *step.Var) *step.Expr {
				if xs.Type.Len != 1 {
					return nil
				}
				return eachOf(e, step.And, xs, v)
			}); ok {
				return text, precPostfix, true
			}
		}
	}
	e.Args[1].Walk(func(last *step.Expr) {
		if ok || last.Op != step.Index || last.Args[0].Type.Sync != "" {
			return
		}
		xs := last.Args[0]
		if n := xs.Type.Len; n < leastQuantified && !xs.Type.Counted() || !last.Args[1].Number(int64(n-1)) {
			return
		}
		text, ok = f.each(xs, word, func(v *step.Var) *step.Expr { return eachOf(e, e.Op, xs, v) })
	})
	return text, precPostfix, ok
}

// each prints what is said of each element of something; ok is false if that is nothing.
func (f *formatter) each(xs *step.Expr, word string, said func(v *step.Var) *step.Expr) (text string, ok bool) {
	v := &step.Var{Name: "v", Type: xs.Type.Elem}
	for root := xs; len(root.Args) > 0 || root.Var != nil; root = root.Args[0] {
		if root.Var != nil {
			if root.Var.Name == "v" { // it is an element of something itself
				v.Name = "w"
			}
			break
		}
	}
	body := said(v)
	if body == nil {
		return "", false
	}
	return f.at(xs, precPostfix) + "." + word + "(" + v.Name + ", " + f.format(body) + ")", true
}

// eachOf is what a chain says of each element of an array, or of each that a collection has, as a condition about a
// variable; nil if it is not that.
func eachOf(e *step.Expr, op step.Op, xs *step.Expr, v *step.Var) (body *step.Expr) {
	for k := xs.Type.Len - 1; k >= 0; k-- {
		part := e
		if k > 0 {
			if e.Op != op {
				return nil
			}
			e, part = e.Args[0], e.Args[1]
		}
		if xs.Type.Counted() {
			if part = whereThere(part, op, xs, int64(k)); part == nil {
				return nil
			}
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

// whereThere is what is said of an element of a collection where it is there: xs.size() > k && it, or in a chain that
// speaks of all of them !(xs.size() > k) || it; nil for other conditions.
func whereThere(e *step.Expr, chain step.Op, xs *step.Expr, k int64) *step.Expr {
	if e.Op == chain || e.Op != step.And && e.Op != step.Or {
		return nil
	}
	there := e.Args[0]
	if chain == step.And {
		if there.Op != step.Not {
			return nil
		}
		there = there.Args[0]
	}
	if there.Op != step.Gt || there.Args[0].Op != step.Size || !step.Equal(there.Args[0].Args[0], xs) ||
		!there.Args[1].Number(k) {
		return nil
	}
	return e.Args[1]
}

// elementAs is a condition with a variable in the places of an element of an array.
func elementAs(e, xs *step.Expr, k int64, v *step.Var, found *bool) *step.Expr {
	if e.Op == step.Index && e.Args[1].Number(k) && step.Equal(e.Args[0], xs) {
		*found = true
		return &step.Expr{Op: step.VarRef, Type: v.Type, Of: step.Own, Var: v}
	}
	return e.With(func(a *step.Expr) *step.Expr { return elementAs(a, xs, k, v, found) })
}
