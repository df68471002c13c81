package step

import "slices"

// Walk calls f for an expression and each part of it; nil has none.
func (e *Expr) Walk(f func(*Expr)) {
	if e == nil {
		return
	}
	f(e)
	for _, a := range e.Args {
		a.Walk(f)
	}
}

// With is a copy of an expression with other arguments, which f makes of its own.
func (e *Expr) With(f func(*Expr) *Expr) *Expr {
	c := *e
	c.Args = make([]*Expr, len(e.Args))
	for i, a := range e.Args {
		c.Args[i] = f(a)
	}
	return &c
}

// EachVar calls f for every mention of a variable in an expression.
func (e *Expr) EachVar(f func(*Expr)) {
	e.Walk(func(e *Expr) {
		if e.Op == VarRef {
			f(e)
		}
	})
}

// Has reports whether f holds for an expression or a part of it.
func (e *Expr) Has(f func(*Expr) bool) bool {
	return e != nil && (f(e) || slices.ContainsFunc(e.Args, func(a *Expr) bool { return a.Has(f) }))
}

// Mentions reports whether an expression mentions a variable; none mentions nil.
func (e *Expr) Mentions(v *Var) bool {
	return v != nil && e.Has(func(e *Expr) bool { return e.Op == VarRef && e.Var == v })
}

// TouchesShared reports whether evaluating the expression reads a shared variable.
func (e *Expr) TouchesShared() bool {
	return e.Has(func(e *Expr) bool { return e.Op == VarRef && e.Var.Shared })
}
