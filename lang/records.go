package lang

import (
	"slices"

	"cdpor/lang/step"
)

// record elaborates {a: 1, b: 2}: a record, or a map where a map is wanted.
func (x *elab) record(e *expr, want *step.Type) *step.Expr {
	if e.name != "" {
		if want = x.types[e.name]; want == nil {
			return nil // faulty, which has been reported
		}
		x.mentionType(x.reporter, e.pos, e.name)
	}
	if want != nil && want.Kind == step.Option {
		want = want.Elem
	}
	switch {
	case want == nil:
		return x.errorf(e, "write the name of the type in front: T{...}", "the type of {...} is not known here")
	case want.Kind == step.Map:
		return x.mapLiteral(e, want)
	case want.Kind != step.Record || want.Sync != "":
		return x.errorf(e, "", "a record stands where %s is needed", typeString(want))
	}
	parts := make([]*expr, len(want.Fields))
	for i, k := range e.keys {
		f := slices.IndexFunc(want.Fields, func(f step.Field) bool { return k.kind == eName && f.Name == k.name })
		switch {
		case f < 0:
			return x.errorf(k, didYouMean(describe(k), fieldNames(want)), "%s has no field %s", typeString(want), describe(k))
		case parts[f] != nil:
			return x.errorf(k, "", "field %s is given twice", k.name)
		}
		parts[f] = e.args[i]
	}
	return x.assemble(e, want, parts)
}

// construct elaborates T(1, 2), all fields of a record in order.
func (x *elab) construct(e *expr, t *step.Type) *step.Expr {
	if t.Kind != step.Record {
		return x.errorf(e, "", "%s is not a record", e.name)
	}
	if len(e.args) != len(t.Fields) {
		return x.errorf(e, "", "%s has %s, not %d", e.name, plural(len(t.Fields), "field"), len(e.args))
	}
	x.mentionType(x.reporter, e.pos, e.name)
	return x.assemble(e, t, e.args)
}

// assemble makes a record or array of its parts; missing ones have their default value.
func (x *elab) assemble(e *expr, t *step.Type, parts []*expr) *step.Expr {
	if pinned(t) {
		return x.errorf(e, "assign the fields one by one", "a value with a %s in it cannot be made or copied", pinnedWord(t))
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
			values[i] = constant(e, pt, defaultWords(pt)...)
		} else {
			values[i] = x.element(part, x.assignable(part, pt), pt)
			if slices.ContainsFunc(parts[i+1:], func(e *expr) bool { return e != nil && x.emits(e) }) {
				values[i] = x.spill(values[i])
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
		return constant(e, t, words...)
	}
	return x.make(e, step.Make, t, values...)
}

// field elaborates a.name of a value.
func (x *elab) field(e *expr) *step.Expr {
	bound := func(name string) bool {
		return slices.ContainsFunc(x.bound, func(b binding) bool { return b.name == name })
	}
	if a := e.args[0]; a.kind == eName && x.threads[a.name] && !bound(a.name) {
		return x.errorf(a, "only observe and check can ask for the variables of a thread", "%s has no part %s", a.name, e.name)
	}
	v := x.base(e.args[0], nil)
	if v == nil {
		return nil
	}
	if isActor(v.Type) {
		return x.errorf(e, "send it a message", "the fields of an actor are its own")
	}
	if v.Type.Kind != step.Record {
		hint := foreignFunctions[e.name]
		if !v.Type.Counted() && v.Type.Kind != step.Array {
			hint = ""
		}
		if v.Type.Kind == step.Option && v.Type.Elem.Kind == step.Record {
			hint = "it may be null: write " + describe(e.args[0]) + "!." + e.name
		}
		x.report(e.nameAt, e.end, hint, "%s has no part %s", describe(e.args[0]), e.name)
		return nil
	}
	i := slices.IndexFunc(v.Type.Fields, func(f step.Field) bool { return f.Name == e.name })
	if i < 0 {
		x.report(e.nameAt, e.end, didYouMean(e.name, fieldNames(v.Type)), "%s has no field %s", typeString(v.Type), e.name)
		return nil
	}
	x.mention(Mention{Pos: e.nameAt, What: "field", Name: e.name}, v.Type.Fields[i].Type)
	return x.part(e, v, i)
}

func (x *elab) part(e *expr, v *step.Expr, i int) *step.Expr {
	if v == nil {
		return nil
	}
	p := x.make(e, step.Part, v.Type.Fields[i].Type, v)
	if p != nil {
		p.Field = i
	}
	return p
}

// partNamed is a field of a primitive.
func (x *elab) partNamed(e *expr, v *step.Expr, name string) *step.Expr {
	return x.part(e, v, slices.Index(fieldNames(v.Type), name))
}

func fieldNames(t *step.Type) []string {
	var names []string
	for _, f := range t.Fields {
		names = append(names, f.Name)
	}
	return names
}
