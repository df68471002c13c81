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
