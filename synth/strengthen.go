package synth

import (
	"maps"
	"slices"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/facts"
	"cdpor/synth/internal/span"
)

// What a program says to hold always need not be inductive: depth >= 0 is only together with
// owner == NOBODY || depth >= 1. So where one is not, its parts are tried by themselves, and with them what the first
// reachable states show of its variables beside one value of another one. All that is not inductive together falls away
// (Houdini, Flanagan and Leino 2001); of what remains only what is needed is assumed.

const (
	// maxLemmas bounds what is tried.
	maxLemmas = 32
	// fewValues is how many values a variable may have of which lemmas speak one by one.
	fewValues = 4
)

// strengthen proves more of the properties than those that are inductive by themselves, if it can.
func (e *engine) strengthen(list []*step.Property, notes []InvariantNote) []InvariantNote {
	alone := e.Assumed
	g := reach(e.Ctx, e.Prog, fewReached)
	if g == nil {
		return notes
	}
	var all, open []*step.Property
	for i, inv := range list {
		if !notes[i].Used && g.broken(inv.Expr) == nil {
			open = append(open, inv)
		}
	}
	all = append(all, list...)
	for _, inv := range open {
		if parts := claims(inv.Expr); len(parts) > 1 {
			for _, part := range parts {
				all = append(all, property(part))
			}
		}
	}
	stated := len(all)
	if len(open) > 0 {
		all = append(all, e.lemmas(open, g)...)
	}
	if len(all) == len(list) {
		return notes
	}
	proved := func(notes []InvariantNote) []*step.Property { return used(all[:stated], notes) }
	stronger := e.inductive(all)
	most := len(proved(stronger))
	if most == len(used(list, notes)) {
		e.Assumed = alone
		return notes
	}
	all = slices.Concat(all[:stated], used(all[stated:], stronger[stated:]))
	for i := len(all) - 1; i >= stated; i-- {
		without := slices.Delete(slices.Clone(all), i, i+1)
		if less := e.inductive(without); len(used(without[:stated], less)) == most {
			all = without
		}
	}
	notes = e.inductive(all)
	e.lemma = used(all[stated:], notes[stated:])
	return notes
}

// claims are what a property says, one by one; a range says two things.
func claims(e *step.Expr) []*step.Expr {
	if e.Op == step.And {
		return append(claims(e.Args[0]), claims(e.Args[1])...)
	}
	return []*step.Expr{e}
}

// property is one that has no text in the program.
func property(e *step.Expr) *step.Property {
	return &step.Property{Text: lang.FormatExpr(e, nil, nil), Expr: e}
}

// lemmas are what the reached states show of the numbers in some properties where another variable, which the steps
// that write them mention, has one of a few values, or has not.
func (e *engine) lemmas(open []*step.Property, g *reached) (list []*step.Property) {
	for _, v := range e.Prog.Shared {
		if !v.Type.Scalar() || !v.Type.Numeric() ||
			!slices.ContainsFunc(open, func(inv *step.Property) bool { return inv.Expr.Mentions(v) }) {
			continue
		}
		for _, u := range e.Prog.Shared {
			if u != v && u.Type.Scalar() && u.Type.Kind != step.Mutex && u.Type.Ref == "" &&
				beside(e.TakenSteps(), u, v) {
				list = append(list, implications(e.Facts, u, v, g.states)...)
			}
		}
	}
	return list[:min(len(list), maxLemmas)]
}

// beside reports whether some step that writes a variable mentions another one.
func beside(steps []*step.Step, other, v *step.Var) bool {
	return slices.ContainsFunc(steps, func(s *step.Step) bool {
		return slices.Contains(constraints.Writes(s), v) && facts.Mentions(s)[other]
	})
}

// implications are bounds of a variable where another one has one of its values, or another value, that are narrower
// than those that it has anyway.
func implications(k *facts.Facts, u, v *step.Var, states []step.State) (list []*step.Property) {
	here, elsewhere, all := map[int64]span.Span{}, map[int64]span.Span{}, span.None
	for _, s := range states {
		here[s[u.Offset]] = span.None
	}
	if len(here) < 2 || len(here) > fewValues {
		return nil
	}
	values := slices.Sorted(maps.Keys(here))
	for _, n := range values {
		elsewhere[n] = span.None
	}
	for _, s := range states {
		for _, n := range values {
			if at := span.Only(s[v.Offset]); s[u.Offset] == n {
				here[n] = here[n].Join(at)
				all = all.Join(at)
			} else {
				elsewhere[n] = elsewhere[n].Join(at)
			}
		}
	}
	ref := func(v *step.Var) *step.Expr { return &step.Expr{Op: step.VarRef, Type: v.Type, Of: step.Own, Var: v} }
	for _, n := range values {
		is := expr.When(ref(u), n != 0)
		if u.Type.Kind != step.Bool {
			is = expr.New(step.Eq, step.BoolType, ref(u), k.Value(u, n))
		}
		for _, not := range []bool{true, false} { // where it has the value not, and where it has
			within := here[n]
			if not {
				within = elsewhere[n]
			}
			add := func(op step.Op, bound int64) {
				list = append(list, property(expr.New(step.Or, step.BoolType, expr.When(is, not),
					expr.New(op, step.BoolType, ref(v), k.Value(v, bound)))))
			}
			if within.Lo > all.Lo {
				add(step.Ge, within.Lo)
			}
			if within.Hi < all.Hi {
				add(step.Le, within.Hi)
			}
		}
	}
	return list
}
