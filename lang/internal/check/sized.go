package check

import (
	"slices"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"
)

// isNumber counts references as well in constraints, which compare them with the number of an identity.
func isNumber(scope Scope, t *step.Type) bool {
	return types.IsNumber(t) || scope.numbers() && t.Ref != ""
}

// asSized gives a constant integer a type that wraps around; what is no constant must be converted by the program.
func asSized(x *Checker, e *syntax.Expr, v *step.Expr, t *step.Type) *step.Expr {
	if v.Op != step.Const {
		return x.Fail(e, "convert it: "+types.Structure(t)+"(...)", "this is %s, but %s is needed",
			types.String(v.Type), types.String(t))
	}
	lo, hi := t.Bounds()
	if t.Unsigned && t.Bits == 64 {
		lo = 0
	}
	if k := v.Words[0]; k < lo || k > hi {
		return x.Fail(e, "", "%d is outside of %s", k, types.String(t))
	}
	c := Constant(e, t, v.Words...)
	c.Name = v.Name
	return c
}

// Unify brings two numbers to one type: constants take the type of the other operand. The type is that of a result.
func Unify(x *Checker, what string, ea, eb *syntax.Expr, a, b *step.Expr) (va, vb *step.Expr, t *step.Type) {
	if a == nil || b == nil {
		return nil, nil, nil
	}
	for i, v := range []*step.Expr{a, b} {
		if !isNumber(x.scope, v.Type) {
			at, hint := []*syntax.Expr{ea, eb}[i], ""
			if v.Type.Kind == step.Option {
				hint = habitValue(v.Type, v.Type.Elem)
			} else if v.Type.Kind == step.Enum && v.Type.Ref == "" {
				hint = "an enum has no numbers: compare its members"
			} else if at.Kind == syntax.EBinary && slices.Contains(syntax.Levels[2], at.Name) &&
				at.End.Line == at.Pos.Line {
				hint = "compare one pair at a time, a < b && b < c, or write x in lo..hi"
			}
			x.Fail(at, hint, "%s needs numbers, and this is %s", what, types.String(v.Type))
			return nil, nil, nil
		}
	}
	switch sa, sb := a.Type.Kind == step.Sized, b.Type.Kind == step.Sized; {
	case sa && !sb:
		b = asSized(x, eb, b, a.Type)
	case sb && !sa:
		a = asSized(x, ea, a, b.Type)
	case sa && !types.Comparable(a.Type, b.Type):
		x.Fail(eb, "convert one of them", "%s mixes %s and %s", what, types.String(a.Type), types.String(b.Type))
		return nil, nil, nil
	}
	if a == nil || b == nil {
		return nil, nil, nil
	}
	if a.Type.Kind == step.Sized {
		return a, b, a.Type
	}
	return a, b, step.IntType
}

// checkConversion elaborates int(e), uint8(e) and so on; nil, false if the name is none of these.
func checkConversion(x *Checker, e *syntax.Expr) (v *step.Expr, is bool) {
	t := types.Sized()[e.Name]
	if e.Name == "int" {
		t = step.IntType
	}
	if t == nil {
		return nil, false
	}
	if len(e.Args) != 1 {
		return x.Fail(e, "", "%s takes 1 argument, not %d", e.Name, len(e.Args)), true
	}
	if v = x.Value(e.Args[0], nil); v == nil {
		return nil, true
	}
	if !types.IsNumber(v.Type) {
		return x.Fail(e.Args[0], "", "this is %s, but a number is needed", types.String(v.Type)), true
	}
	return x.Make(e, step.Convert, t, v), true
}

// Index elaborates the index of an array or list; integers of all types count.
func (x *Checker) Index(e *syntax.Expr) *step.Expr {
	return asIndex(x, e, x.Value(e, step.IntType))
}

func asIndex(x *Checker, e *syntax.Expr, v *step.Expr) *step.Expr {
	if v != nil && v.Type.Kind == step.Sized {
		return x.Make(e, step.Convert, step.IntType, v)
	}
	if v != nil && !v.Type.Numeric() {
		return x.Fail(e, "", "this is %s, but a number is needed", types.String(v.Type))
	}
	return v
}
