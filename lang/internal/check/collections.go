package check

import (
	"cmp"
	"slices"
	"strings"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/primitive"
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
		left = x.SpillFor(b, left)
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
	key := func() *step.Expr { return x.Assignable(args[0], t.Key()) }
	is = true
	switch {
	case t.Kind == step.List && len(args) == 0 && e.Name == "sort":
		result = x.Make(e, step.Sort, t, v)
	case t.Kind == step.List && len(args) == 0 && e.Name == "reverse":
		result = x.Make(e, step.Reverse, t, v)
	case !t.Sorted():
		return nil, false
	case len(args) == 1 && (e.Name == "has" || e.Name == "contains"):
		result = x.Make(e, step.Has, step.BoolType, v, key())
	case len(args) == 1 && e.Name == "at":
		result = x.Make(e, step.Index, t.Elem, v, x.Index(args[0]))
	case len(args) == 0 && e.Name == "min" && t.Kind != step.Map:
		result = x.Make(e, step.Index, t.Elem, v, IntConst(e, 0))
	case len(args) == 0 && e.Name == "max" && t.Kind != step.Map:
		result = x.Make(e, step.Index, t.Elem, v, x.Make(e, step.Sub, step.IntType, SizeOf(x, e, v), IntConst(e, 1)))
	case len(args) == 1 && e.Name == "without":
		result = x.Make(e, step.Drop, t, v, key())
	case len(args) == 1 && e.Name == "including" && t.Kind != step.Map:
		result = x.Make(e, step.Put, t, v, x.Element(args[0], key(), t.Elem))
	case len(args) == 2 && e.Name == "including" && t.Kind == step.Map:
		result = x.Make(e, step.Put, t, v, Assemble(x, e, t.Elem, args))
	case len(args) == 1 && e.Name == "get" && t.Kind == step.Map:
		value := t.Elem.Fields[1].Type
		option, k := &step.Type{Kind: step.Option, Elem: value}, key()
		some := x.Make(e, step.Some, option, x.Make(e, step.Lookup, value, v, k))
		result = x.Make(e, step.Cond, option, x.Make(e, step.Has, step.BoolType, v, k), some, nullOf(e, option))
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

// checkRecord elaborates {a: 1, b: 2}: a record, or a map where a map is wanted.
func checkRecord(x *Checker, e *syntax.Expr, want *step.Type) *step.Expr {
	if e.Name != "" {
		if want = recordNamed(x.Table, e.Name, want); want == nil {
			return nil // faulty, which has been reported
		}
		x.mentionType(x.Reporter, e.Pos, e.Name)
	}
	if want != nil && want.Kind == step.Option {
		want = want.Elem
	}
	switch {
	case want == nil:
		return x.Fail(e, "write the name of the type in front: T{...}", "the type of {...} is not known here")
	case want.Kind == step.Map:
		return mapLiteral(x, e, want)
	case want.Kind != step.Record || want.Sync != "":
		return x.Fail(e, "", "a record stands where %s is needed", types.String(want))
	}
	parts := make([]*syntax.Expr, len(want.Fields))
	for i, k := range e.Keys {
		f := slices.IndexFunc(want.Fields,
			func(f step.Field) bool { return k.Kind == syntax.EName && f.Name == k.Name })
		switch {
		case f < 0:
			return x.Fail(k, syntax.DidYouMean(describe(k), fieldNames(want)), "%s has no field %s",
				types.String(want), describe(k))
		case parts[f] != nil:
			return x.Fail(k, "", "field %s is given twice", k.Name)
		}
		parts[f] = e.Args[i]
	}
	return Assemble(x, e, want, parts)
}

// recordNamed is the type that a record with the name of its type gets: one without bounds where it is only compared.
func recordNamed(tab *Table, name string, want *step.Type) *step.Type {
	if want != nil && want.Kind == step.Option {
		want = want.Elem
	}
	if want != nil && want.Kind == step.Record && want.Name == name {
		return want
	}
	return tab.Types[name]
}

// checkConstruct elaborates T(1, 2), all fields of a record in order.
func checkConstruct(x *Checker, e *syntax.Expr, t *step.Type) *step.Expr {
	if t.Kind != step.Record {
		return x.Fail(e, "", "%s is not a record", e.Name)
	}
	if len(e.Args) != len(t.Fields) {
		return x.Fail(e, "", "%s has %s, not %d", e.Name, syntax.Plural(len(t.Fields), "field"), len(e.Args))
	}
	x.mentionType(x.Reporter, e.Pos, e.Name)
	return Assemble(x, e, t, e.Args)
}

// Assemble makes a record or array of its parts; missing ones have their default value.
func Assemble(x *Checker, e *syntax.Expr, t *step.Type, parts []*syntax.Expr) *step.Expr {
	if types.Pinned(t) {
		return x.Fail(e, "assign the fields one by one", "a value with a %s in it cannot be made or copied",
			types.PinnedWord(t))
	}
	values := make([]*step.Expr, len(parts))
	fixed := true
	words := make([]int64, 0, t.Words())
	for i, part := range parts {
		pt := t.Elem
		if t.Kind == step.Record {
			pt = t.Fields[i].Type
		}
		if part == nil {
			values[i] = Constant(e, pt, primitive.Initial(pt)...)
		} else {
			values[i] = x.Element(part, x.Assignable(part, pt), pt)
			if slices.ContainsFunc(parts[i+1:], func(e *syntax.Expr) bool { return e != nil && x.Emits(e) }) {
				values[i] = x.Spill(values[i])
			}
		}
		if values[i] == nil {
			return nil
		}
		if fixed = fixed && values[i].Op == step.Const; fixed {
			words = append(words, values[i].Words...)
		}
	}
	if fixed {
		return Constant(e, t, words...)
	}
	return x.Make(e, step.Make, t, values...)
}

// checkField elaborates a.name of a value.
func checkField(x *Checker, e *syntax.Expr) *step.Expr {
	bound := func(name string) bool {
		return slices.ContainsFunc(x.Bound, func(b Binding) bool { return b.Name == name })
	}
	if a := e.Args[0]; a.Kind == syntax.EName && x.Threads[a.Name] && !bound(a.Name) {
		return x.Fail(a, "only observe and check can ask for the variables of a thread",
			"%s has no part %s", a.Name, e.Name)
	} else if a.Kind == syntax.EName && x.Types[a.Name] != nil && x.Types[a.Name].Kind == step.Enum && !bound(a.Name) &&
		x.SharedVars[a.Name] == nil && slices.Contains(x.Types[a.Name].Names, e.Name) {
		return x.Fail(e, "members of an enum stand alone: write "+e.Name, "%s is a type, not a value", a.Name)
	}
	v := x.Base(e.Args[0], nil)
	if v == nil {
		return nil
	}
	if types.IsActor(v.Type) {
		return x.Fail(e, "send it a message", "the fields of an actor are its own")
	}
	if v.Type.Kind != step.Record {
		hint := syntax.ForeignFunction(e.Name)
		if !v.Type.Counted() && v.Type.Kind != step.Array {
			hint = ""
		}
		if v.Type.Kind == step.Option && v.Type.Elem.Kind == step.Record {
			hint = "it may be null: write " + describe(e.Args[0]) + "!." + e.Name
		} else if v.Type.Kind == step.Option {
			hint = "write " + describe(e.Args[0]) + "! for its value, which must not be null then"
		}
		x.Report(e.NameAt, e.End, hint, "%s has no part %s", describe(e.Args[0]), e.Name)
		return nil
	}
	i := slices.IndexFunc(v.Type.Fields, func(f step.Field) bool { return f.Name == e.Name })
	if i < 0 {
		hint := "its fields are " + strings.Join(fieldNames(v.Type), ", ")
		x.Report(e.NameAt, e.End, cmp.Or(syntax.DidYouMean(e.Name, fieldNames(v.Type)), hint), "%s has no field %s",
			types.String(v.Type), e.Name)
		return nil
	}
	x.Mention(syntax.Mention{Pos: e.NameAt, What: "field", Name: e.Name}, v.Type.Fields[i].Type)
	return partOf(x, e, v, i)
}

func partOf(x *Checker, e *syntax.Expr, v *step.Expr, i int) *step.Expr {
	if v == nil {
		return nil
	}
	p := x.Make(e, step.Part, v.Type.Fields[i].Type, v)
	if p != nil {
		p.Field = i
	}
	return p
}

func fieldNames(t *step.Type) []string {
	var names []string
	for _, f := range t.Fields {
		names = append(names, f.Name)
	}
	return names
}
