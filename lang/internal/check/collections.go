package check

import (
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"
)

// Lists as values: slices, concatenation, order. Sets, bags and maps: sorted sequences, so that equal ones have equal
// words.

// checkSlice elaborates xs[a:b].
func checkSlice(x *Checker, e *syntax.Expr) *step.Expr {
	v := x.Base(e.Args[0], nil)
	if v == nil {
		return nil
	}
	if v.Type.Kind != step.List && v.Type.Kind != step.Queue && v.Type.Kind != step.Array || types.Pinned(v.Type) {
		return x.Fail(e, "", "%s has no parts to cut out", types.String(v.Type))
	}
	bounds := [2]*step.Expr{IntConst(e, 0), SizeOf(x, e, v)}
	for i, b := range e.Args[1:] {
		if b == nil {
			continue
		}
		if x.Emits(b) {
			v, bounds[0] = x.Spill(v), x.Spill(bounds[0])
		}
		bounds[i] = x.Index(b)
	}
	if e.Args[2] == nil {
		bounds[1] = SizeOf(x, e, v)
	}
	t := v.Type
	if t.Kind != step.List {
		t = &step.Type{Kind: step.List, Elem: t.Elem, Len: t.Len}
	}
	return x.Read(x.Make(e, step.Slice, t, v, bounds[0], bounds[1]))
}

// SizeOf is the number of elements of a value: a constant for an array.
func SizeOf(x *Checker, e *syntax.Expr, v *step.Expr) *step.Expr {
	if v.Type.Kind == step.Array {
		return IntConst(e, int64(v.Type.Len))
	}
	return x.Make(e, step.Size, step.IntType, v)
}

// Concat makes left + right of lists; the capacity is that of the wanted type, or else enough for all.
func Concat(x *Checker, e *syntax.Expr, left, right *step.Expr, want *step.Type) *step.Expr {
	if left == nil || right == nil {
		return nil
	}
	for i, v := range []*step.Expr{left, right} {
		if v.Type.Kind != step.List {
			return x.Fail(e.Args[i], "write xs.append(v) for one more element", "+ joins lists, and this is %s",
				types.String(v.Type))
		}
	}
	if !types.Contains(left.Type.Elem, right.Type.Elem) {
		return x.Fail(e, "", "cannot join %s and %s", types.String(left.Type), types.String(right.Type))
	}
	t := &step.Type{Kind: step.List, Elem: left.Type.Elem, Len: left.Type.Len + right.Type.Len}
	if want != nil && want.Kind == step.List && types.Contains(want.Elem, t.Elem) {
		t = want
	}
	if t.Words() > MaxWords {
		return x.Fail(e, "", "the list may take more than %d words", MaxWords)
	}
	return x.Make(e, step.Concat, t, left, right)
}

// prepend makes [a, b] + xs, whose first operand takes its type from the wanted one or from the second operand.
func prepend(x *Checker, e *syntax.Expr, want *step.Type) *step.Expr {
	a, b := e.Args[0], e.Args[1]
	literal := func(t *step.Type) *step.Expr {
		if t == nil || t.Kind != step.List {
			return x.Value(a, nil)
		}
		return x.Value(a, &step.Type{Kind: step.List, Elem: t.Elem, Len: len(a.Args)})
	}
	if want != nil && want.Kind == step.List || untyped(b) {
		left := literal(want)
		if left == nil {
			return nil
		}
		if x.Emits(b) {
			left = x.Spill(left)
		}
		return Concat(x, e, left, x.Value(b, LiteralType(b, left.Type)), want)
	}
	right := x.Value(b, nil)
	if right == nil {
		return nil
	}
	return Concat(x, e, literal(right.Type), right, want)
}

// LiteralType is the type for a list literal that is joined to a list of type t.
func LiteralType(e *syntax.Expr, t *step.Type) *step.Type {
	if e.Kind == syntax.EList && t.Kind == step.List && t.Len < len(e.Args) {
		return &step.Type{Kind: step.List, Elem: t.Elem, Len: len(e.Args)}
	}
	return t
}

// fitCapacity changes the capacity of a counted value.
func fitCapacity(x *Checker, e *syntax.Expr, v *step.Expr, t *step.Type) *step.Expr {
	if v.Op == step.Const && int(v.Words[0]) <= t.Len && v.Name == "" {
		words := make([]int64, t.Words())
		copy(words, v.Words[:1+int(v.Words[0])*t.Elem.Words()])
		return Constant(e, t, words...)
	}
	return x.Make(e, step.Fit, t, v)
}

// sortedList elaborates [a, b] where a set or bag is wanted.
func sortedList(x *Checker, e *syntax.Expr, t *step.Type) *step.Expr {
	if t.Kind == step.Map {
		return x.Fail(e, "write {key: value, ...}", "a list stands where %s is needed", types.String(t))
	}
	elems := make([]*step.Expr, len(e.Args))
	for i, a := range e.Args {
		elems[i] = x.Element(a, x.Assignable(a, t.Elem), t.Elem)
	}
	return gatherElements(x, e, t, elems)
}

// mapLiteral elaborates {k: v, ...} where a map is wanted.
func mapLiteral(x *Checker, e *syntax.Expr, t *step.Type) *step.Expr {
	elems := make([]*step.Expr, len(e.Args))
	for i := range e.Args {
		elems[i] = Assemble(x, e, t.Elem, []*syntax.Expr{e.Keys[i], e.Args[i]})
	}
	return gatherElements(x, e, t, elems)
}

// gatherElements puts elements into an empty collection; all constants give a constant.
func gatherElements(x *Checker, e *syntax.Expr, t *step.Type, elems []*step.Expr) *step.Expr {
	v := Constant(e, t, make([]int64, t.Words())...)
	for _, elem := range elems {
		if elem == nil || v == nil {
			return nil
		}
		put := x.Make(e, step.Put, t, v, elem)
		if v.Op == step.Const && elem.Op == step.Const && put != nil {
			words, err := Evaluate(put, 0)
			if err != nil {
				return x.Fail(e, "", "%v", err)
			}
			put = Constant(e, t, words...)
		}
		v = put
	}
	return v
}

// checkCollection elaborates the methods of lists, sets, bags and maps that have a value; nil, false if there is no
// such method.
func checkCollection(x *Checker, e *syntax.Expr, v *step.Expr) (result *step.Expr, is bool) {
	t, args := v.Type, e.Args[1:]
	key := func(i int) *step.Expr { return x.Assignable(args[i], t.Key()) }
	is = true
	switch {
	case t.Kind == step.List && len(args) == 0 && e.Name == "sort":
		result = x.Make(e, step.Sort, t, v)
	case t.Kind == step.List && len(args) == 0 && e.Name == "reverse":
		result = x.Make(e, step.Reverse, t, v)
	case !t.Sorted():
		return nil, false
	case len(args) == 1 && (e.Name == "has" || e.Name == "contains"):
		result = x.Make(e, step.Has, step.BoolType, v, key(0))
	case len(args) == 1 && e.Name == "at":
		result = x.Make(e, step.Index, t.Elem, v, x.Index(args[0]))
	case len(args) == 0 && e.Name == "min" && t.Kind != step.Map:
		result = x.Make(e, step.Index, t.Elem, v, IntConst(e, 0))
	case len(args) == 0 && e.Name == "max" && t.Kind != step.Map:
		result = x.Make(e, step.Index, t.Elem, v, x.Make(e, step.Sub, step.IntType, SizeOf(x, e, v), IntConst(e, 1)))
	case len(args) == 1 && e.Name == "without":
		result = x.Make(e, step.Drop, t, v, key(0))
	case len(args) == 1 && e.Name == "including" && t.Kind != step.Map:
		result = x.Make(e, step.Put, t, v, x.Element(args[0], key(0), t.Elem))
	case len(args) == 2 && e.Name == "including" && t.Kind == step.Map:
		result = x.Make(e, step.Put, t, v, Assemble(x, e, t.Elem, args))
	case len(args) == 1 && e.Name == "get" && t.Kind == step.Map:
		value := t.Elem.Fields[1].Type
		option, k := &step.Type{Kind: step.Option, Elem: value}, key(0)
		none := Constant(e, option, make([]int64, option.Words())...)
		none.Name = "null"
		some := x.Make(e, step.Some, option, x.Make(e, step.Lookup, value, v, k))
		result = x.Make(e, step.Cond, option, x.Make(e, step.Has, step.BoolType, v, k), some, none)
	default:
		return nil, false
	}
	return x.Read(result), true
}

// SpillComplex puts a value aside unless reading it again is as cheap.
func SpillComplex(x *Checker, v *step.Expr) *step.Expr {
	if v == nil || v.Op == step.VarRef && !v.Var.Shared {
		return v
	}
	return x.Spill(v)
}

// MapElement is the map of a place m[k]; nil if the place is something else.
func MapElement(x *Checker, e *syntax.Expr) *step.Type {
	if e.Kind != syntax.EIndex {
		return nil
	}
	if t := x.Probe(e.Args[0]); t != nil && t.Kind == step.Map {
		return t
	}
	return nil
}
