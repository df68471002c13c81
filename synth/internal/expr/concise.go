package expr

import (
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/span"
)

// Concise says the same as a condition, failures included, without what the order of evaluation tells: behind a, in
// a || !a && b, nobody need ask for a again, and o == null || o! != v is o != v. The numbers of processes lie in
// intervals.
func Concise(e *step.Expr, selves map[int]span.Span) *step.Expr {
	if e.Op != step.And && e.Op != step.Or {
		return e
	}
	parts := slices.Clone(Operands(e.Op, e))
	if len(parts) < 2 {
		return e
	}
	for i, part := range parts {
		parts[i] = Concise(behind(e.Op, part, parts[:i]), selves)
	}
	for i := 0; i+1 < len(parts); i++ {
		if one := optional(e.Op, parts[i], parts[i+1], selves); one != nil {
			parts = slices.Replace(parts, i, i+2, one)
		}
	}
	return Join(e.Op, sameOptions(e.Op, otherValue(e.Op, parts, selves)))
}

// otherValue compares an option, where a chain of parts has told that it is not null, with a value that it does not
// have: o != null && o! != v is o != null && o != v.
func otherValue(op step.Op, parts []*step.Expr, selves map[int]span.Span) []*step.Expr {
	for i, there := range parts {
		if op != step.And || there.Op != step.Present {
			continue
		}
		var other func(x *step.Expr) *step.Expr
		other = func(x *step.Expr) *step.Expr {
			switch x.Op {
			case step.And, step.Or:
				return x.With(other)
			case step.Ne:
				if same := optional(step.And, there, New(step.Eq, x.Type, x.Args...), selves); same != nil {
					return Negation(same)
				}
			}
			return x
		}
		for j := i + 1; j < len(parts); j++ {
			parts[j] = other(parts[j])
		}
	}
	return parts
}

// sameOptions compares two options, where a chain of parts compares their values and tells of the case that one of them
// is null: a == null || a! == b! is a == null || a == b, and so is a != null && b != null && a! == b! but for the b.
func sameOptions(op step.Op, parts []*step.Expr) []*step.Expr {
	last := len(parts) - 1
	value := parts[last]
	if last == 0 || value.Op != step.Eq || value.Args[0].Op != step.Unwrap || value.Args[1].Op != step.Unwrap {
		return parts
	}
	a, b := value.Args[0].Args[0], value.Args[1].Args[0]
	if a.Type.Elem.Kind != b.Type.Elem.Kind || MayFail(a) || MayFail(b) {
		return parts
	}
	there := func(o *step.Expr) *step.Expr { return New(step.Present, step.BoolType, o) }
	says := func(part *step.Expr) int {
		return slices.IndexFunc(parts[:last], func(x *step.Expr) bool { return step.Equal(x, part) })
	}
	same := New(step.Eq, step.BoolType, a, b)
	hasA, hasB := there(a), there(b)
	if op == step.And {
		if says(hasA) < 0 || says(hasB) < 0 {
			return parts
		}
		return append(slices.Delete(parts[:last], says(hasB), says(hasB)+1), same)
	}
	noA, noB := Negation(hasA), Negation(hasB)
	none := max(says(New(step.And, step.BoolType, noA, noB)), says(New(step.And, step.BoolType, noB, noA)))
	switch {
	case none >= 0:
		return append(slices.Delete(parts[:last], none, none+1), same)
	case says(noA) >= 0, says(noB) >= 0:
		return append(parts[:last:last], same)
	}
	return parts
}

// behind leaves out of a part of a chain what the parts before it decide.
func behind(op step.Op, part *step.Expr, before []*step.Expr) *step.Expr {
	inner := step.And + step.Or - op
	if part.Op != inner {
		return part
	}
	parts := slices.DeleteFunc(slices.Clone(Operands(inner, part)), func(x *step.Expr) bool {
		return slices.ContainsFunc(before, func(y *step.Expr) bool {
			return step.Equal(Negation(x), y) ||
				step.Equal(x, Negation(y))
		})
	})
	if len(parts) == 0 { // it says no more than the others
		return part
	}
	return Join(inner, parts)
}

// optional is what two parts side by side say of the value of an option, in one comparison; nil if they do not.
func optional(op step.Op, null, value *step.Expr, selves map[int]span.Span) *step.Expr {
	compare := step.Eq
	if op == step.Or {
		compare, null = step.Ne, Negation(null)
	}
	if null.Op != step.Present || value.Op != compare {
		return nil
	}
	for i, side := range value.Args {
		of, v := null.Args[0], value.Args[1-i]
		if side.Op == step.Unwrap && step.Equal(side.Args[0], of) && !MayFail(v) && fits(of.Type.Elem, v, selves) {
			some := New(step.Some, of.Type, v)
			return New(compare, step.BoolType, of, some)
		}
	}
	return nil
}

// Unfailing holds where a condition holds, which is not where that fails, and compares options rather than their values
// where that is the last thing to be asked: o! == v is o == v.
func Unfailing(e *step.Expr) *step.Expr {
	switch parts := slices.Clone(Operands(e.Op, e)); {
	case len(parts) > 1 && e.Op == step.And:
		for i, part := range parts {
			parts[i] = Unfailing(part)
		}
		return Join(e.Op, parts)
	case len(parts) > 1 && e.Op == step.Or: // where another part fails, those behind it are not asked
		parts[len(parts)-1] = Unfailing(parts[len(parts)-1])
		return Join(e.Op, parts)
	case e.Op == step.Eq:
		for _, side := range e.Args {
			if side.Op == step.Unwrap {
				there := New(step.Present, step.BoolType, side.Args[0])
				if one := optional(step.And, there, e, nil); one != nil {
					return one
				}
			}
		}
	}
	return e
}

// fits reports whether a value can be stored as a type, whatever it is.
func fits(t *step.Type, v *step.Expr, selves map[int]span.Span) bool {
	switch t.Kind {
	case step.Int:
		return v.Type.Numeric()
	case step.Range:
		if self, known := selves[v.Of]; v.Op == step.Self && known {
			return self.Lo >= t.Lo && self.Hi <= t.Hi
		}
		return v.Type.Kind == step.Range && v.Type.Lo >= t.Lo && v.Type.Hi <= t.Hi
	}
	return t == v.Type
}
