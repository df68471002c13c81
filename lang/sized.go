package lang

import (
	"fmt"
	"slices"
	"sync"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/step"
)

// sizedTypes are the integers that wrap around. They do not mix with int: a program says where it converts.
var sizedTypes = sync.OnceValue(func() map[string]*step.Type {
	types := map[string]*step.Type{}
	for _, bits := range []int{8, 16, 32, 64} {
		types[fmt.Sprint("int", bits)] = &step.Type{Kind: step.Sized, Bits: bits}
		types[fmt.Sprint("uint", bits)] = &step.Type{Kind: step.Sized, Bits: bits, Unsigned: true}
	}
	return types
})

func isNumber(t *step.Type) bool { return t.Numeric() || t.Kind == step.Sized }

// isNumber counts references as well in constraints, which compare them with the number of an identity.
func (x *checker) isNumber(t *step.Type) bool {
	_, pair := x.scope.(pairNames)
	return isNumber(t) || pair && t.Ref != ""
}

// sized gives a constant integer a type that wraps around; what is no constant must be converted by the program.
func (x *checker) sized(e *syntax.Expr, v *step.Expr, t *step.Type) *step.Expr {
	if v.Op != step.Const {
		return x.errorf(e, "convert it: "+structure(t)+"(...)", "this is %s, but %s is needed", typeString(v.Type), typeString(t))
	}
	lo, hi := t.Bounds()
	if t.Unsigned && t.Bits == 64 {
		lo = 0
	}
	if k := v.Words[0]; k < lo || k > hi {
		return x.errorf(e, "", "%d is outside of %s", k, typeString(t))
	}
	c := constant(e, t, v.Words...)
	c.Name = v.Name
	return c
}

// unify brings two numbers to one type: constants take the type of the other operand. The type is that of a result.
func (x *checker) unify(what string, ea, eb *syntax.Expr, a, b *step.Expr) (va, vb *step.Expr, t *step.Type) {
	if a == nil || b == nil {
		return nil, nil, nil
	}
	for i, v := range []*step.Expr{a, b} {
		if !x.isNumber(v.Type) {
			at, hint := []*syntax.Expr{ea, eb}[i], ""
			if v.Type.Kind == step.Option {
				hint = habitValue(v.Type, v.Type.Elem)
			} else if at.Kind == syntax.EBinary && slices.Contains(syntax.Levels[2], at.Name) && at.End.Line == at.Pos.Line {
				hint = "compare one pair at a time, a < b && b < c, or write x in lo..hi"
			}
			x.errorf(at, hint, "%s needs numbers, and this is %s", what, typeString(v.Type))
			return nil, nil, nil
		}
	}
	switch sa, sb := a.Type.Kind == step.Sized, b.Type.Kind == step.Sized; {
	case sa && !sb:
		b = x.sized(eb, b, a.Type)
	case sb && !sa:
		a = x.sized(ea, a, b.Type)
	case sa && !comparableTypes(a.Type, b.Type):
		x.errorf(eb, "convert one of them", "%s mixes %s and %s", what, typeString(a.Type), typeString(b.Type))
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

// conversion elaborates int(e), uint8(e) and so on; nil, false if the name is none of these.
func (x *checker) conversion(e *syntax.Expr) (v *step.Expr, is bool) {
	t := sizedTypes()[e.Name]
	if e.Name == "int" {
		t = step.IntType
	}
	if t == nil {
		return nil, false
	}
	if len(e.Args) != 1 {
		return x.errorf(e, "", "%s takes 1 argument, not %d", e.Name, len(e.Args)), true
	}
	if v = x.value(e.Args[0], nil); v == nil {
		return nil, true
	}
	if !isNumber(v.Type) {
		return x.errorf(e.Args[0], "", "this is %s, but a number is needed", typeString(v.Type)), true
	}
	return x.make(e, step.Convert, t, v), true
}

// index elaborates the index of an array or list; integers of all types count.
func (x *checker) index(e *syntax.Expr) *step.Expr {
	return x.asIndex(e, x.value(e, step.IntType))
}

func (x *checker) asIndex(e *syntax.Expr, v *step.Expr) *step.Expr {
	if v != nil && v.Type.Kind == step.Sized {
		return x.make(e, step.Convert, step.IntType, v)
	}
	if v != nil && !v.Type.Numeric() {
		return x.errorf(e, "", "this is %s, but a number is needed", typeString(v.Type))
	}
	return v
}
