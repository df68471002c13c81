// Package expr makes and takes apart expressions of the language.
package expr

import (
	"slices"

	"cdpor/lang"
	"cdpor/lang/step"
)

// New is an operation.
func New(op step.Op, t *step.Type, args ...*step.Expr) *step.Expr {
	return &step.Expr{Op: op, Type: t, Of: step.Own, Args: args}
}

// Number is a constant.
func Number(k int64) *step.Expr {
	return &step.Expr{Op: step.Const, Type: step.IntType, Of: step.Own, Words: []int64{k}}
}

// Join chains conditions with And or Or.
func Join(op step.Op, list []*step.Expr) *step.Expr {
	e := list[0]
	for _, f := range list[1:] {
		e = New(op, step.BoolType, e, f)
	}
	return e
}

// Opposite has the comparison that holds where another one does not.
var Opposite = map[step.Op]step.Op{step.Eq: step.Ne, step.Ne: step.Eq, step.Lt: step.Ge, step.Ge: step.Lt,
	step.Le: step.Gt, step.Gt: step.Le}

// Negation is a condition that holds where another one does not.
func Negation(e *step.Expr) *step.Expr {
	if e.Op == step.Not {
		return e.Args[0]
	}
	if op, ok := Opposite[e.Op]; ok && e.Args[0].Type.Kind != step.Mutex {
		return New(op, step.BoolType, e.Args...)
	}
	return New(step.Not, step.BoolType, e)
}

// When is a condition or its negation.
func When(e *step.Expr, holds bool) *step.Expr {
	if holds {
		return e
	}
	return Negation(e)
}

// Replaced is a condition with a value in each place of one of its parts.
func Replaced(e, part, by *step.Expr) *step.Expr {
	if sameExpr(e, part) {
		return by
	}
	return e.With(func(a *step.Expr) *step.Expr { return Replaced(a, part, by) })
}

// sameExpr reports whether two expressions are the same tree.
func sameExpr(a, b *step.Expr) bool {
	return a.Op == b.Op && a.Of == b.Of && a.Var == b.Var && a.Field == b.Field && slices.Equal(a.Words, b.Words) &&
		slices.EqualFunc(a.Args, b.Args, sameExpr)
}

// Shared adds the shared variables of an expression to a set.
func Shared(x *step.Expr, vars map[*step.Var]bool) map[*step.Var]bool {
	if vars == nil {
		vars = map[*step.Var]bool{}
	}
	x.EachVar(func(x *step.Expr) {
		if x.Var.Shared {
			vars[x.Var] = true
		}
	})
	return vars
}

// Conjuncts takes a chain of And apart, but no range x in lo..hi.
func Conjuncts(e *step.Expr) []*step.Expr { return Operands(step.And, e) }

// Operands are the parts of a chain of And or of Or; anything else is one part.
func Operands(op step.Op, e *step.Expr) []*step.Expr {
	if parts := lang.Runs(e); parts != nil && e.Op == op {
		return parts
	}
	return []*step.Expr{e}
}

// MayFail reports whether evaluating a condition can fail.
func MayFail(x *step.Expr) bool {
	switch x.Op {
	case step.Index:
		t, i := x.Args[0].Type, x.Args[1]
		if t.Kind != step.Array || i.Op != step.Const || i.Words[0] < 0 || i.Words[0] >= int64(t.Len) {
			return true
		}
	case step.Unwrap, step.Div, step.Mod, step.Call, step.Convert, step.Fit, step.Concat, step.Slice,
		step.Lookup, step.Put:
		return true
	}
	return slices.ContainsFunc(x.Args, MayFail)
}

// MentionsLife reports whether a condition asks how far processes are.
func MentionsLife(x *step.Expr) bool {
	for v := range Shared(x, nil) {
		if v.Life {
			return true
		}
	}
	return false
}

// SafeFirst moves what may fail behind what cannot: evaluation goes from left to right and stops early, so a condition
// on the size of a list protects a look into it.
func SafeFirst(list []*step.Expr) []*step.Expr {
	slices.SortStableFunc(list, func(a, b *step.Expr) int { return FailsLater(MayFail(a), MayFail(b)) })
	return list
}

// FailsLater orders two parts by whether they may fail.
func FailsLater(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
