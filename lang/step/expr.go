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

// Equal reports whether two expressions are written alike.
func Equal(a, b *Expr) bool {
	return a == b || a.Op == b.Op && a.Var == b.Var && a.Of == b.Of && a.Field == b.Field &&
		slices.Equal(a.Words, b.Words) &&
		a.Func == b.Func && a.Type.Words() == b.Type.Words() && slices.EqualFunc(a.Args, b.Args, Equal)
}

// Number reports whether an expression is the constant k.
func (e *Expr) Number(k int64) bool { return e.Op == Const && len(e.Words) == 1 && e.Words[0] == k }

// Total writes out the sum of the elements of an array of numbers, or how many of the flags in it are set.
func Total(array *Expr) *Expr {
	number := func(k int) *Expr { return &Expr{Op: Const, Type: IntType, Of: Own, Words: []int64{int64(k)}} }
	sum := number(0)
	for i := range array.Type.Len {
		e := &Expr{Op: Index, Type: array.Type.Elem, Of: Own, Args: []*Expr{array, number(i)}}
		if e.Type.Kind == Bool {
			e = &Expr{Op: Cond, Type: IntType, Of: Own, Args: []*Expr{e, number(1), number(0)}}
		}
		sum = &Expr{Op: Add, Type: IntType, Of: Own, Args: []*Expr{sum, e}}
	}
	return sum
}

// TotalOf is the array that an expression is the Total of; nil for all others.
func TotalOf(e *Expr) (array *Expr) {
	for n := 0; e.Op == Add; n++ {
		elem := e.Args[1]
		switch {
		case elem.Type.Kind != Int && elem.Type.Kind != Range:
			return nil
		case elem.Op == Cond && elem.Args[0].Type.Kind == Bool && elem.Args[1].Number(1) && elem.Args[2].Number(0):
			elem = elem.Args[0]
		case elem.Op == Cond:
			return nil
		}
		if elem.Op != Index || elem.Args[0].Type.Kind != Array {
			return nil
		}
		if n == 0 {
			array = elem.Args[0]
		}
		if !elem.Args[1].Number(int64(array.Type.Len-1-n)) || n > 0 && !Equal(elem.Args[0], array) {
			return nil
		}
		if e = e.Args[0]; e.Number(0) && n+1 == array.Type.Len {
			return array
		}
	}
	return nil
}
