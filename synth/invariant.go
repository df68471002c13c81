package synth

import (
	"context"
	"slices"

	"cdpor/constraints"
	"cdpor/lang/step"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/symbolic"
	"cdpor/synth/internal/term"
)

// Inductive proves the declared invariants of a program. A note that is Used is of one that holds in every reachable
// state; of others nothing is known.
func Inductive(ctx context.Context, prog *step.Program, opt Options) (notes []InvariantNote, err error) {
	s, err := NewSession(opt)
	if err != nil {
		return nil, err
	}
	defer internal(&err)
	e, err := s.engine(ctx, prog)
	if err != nil {
		return nil, err
	}
	return e.invariants(), nil
}

// claimed are the properties that a program declares for every state, those of check.always only if they are about
// shared variables alone.
func claimed(prog *step.Program) []*step.Property {
	list := slices.Clone(prog.Invariants)
	for _, p := range prog.Checks.Always {
		if p.Expr != nil && !p.Expr.Has(func(x *step.Expr) bool {
			return x.Var != nil && (!x.Var.Shared || x.Var.Life) || x.Op == step.Self || x.Op == step.Me
		}) {
			list = append(list, p)
		}
	}
	return list
}

// invariants finds the declared invariants that are inductive: they hold in the initial state, and every step preserves
// them, assuming those of them that remain (the greatest such set). Only these may be assumed. The notes are of the
// declared ones; what is to hold always is assumed in the same way, and nobody is told where it is not proved.
func (e *engine) invariants() []InvariantNote {
	list := claimed(e.Prog)
	notes := e.inductive(list)
	if slices.ContainsFunc(notes, func(n InvariantNote) bool { return !n.Used }) {
		notes = e.strengthen(list, notes)
	}
	return notes[:len(e.Prog.Invariants)]
}

// inductive finds the greatest set of properties that are inductive together, which are assumed from now on.
func (e *engine) inductive(list []*step.Property) []InvariantNote {
	notes := make([]InvariantNote, len(list))
	for i, inv := range list {
		notes[i].Text, notes[i].Used = inv.Text, e.holdsAtFirst(inv)
		if !notes[i].Used {
			notes[i].Why = "it does not hold in the initial state"
		}
	}
	for changed := true; changed; {
		changed = false
		e.Assumed = used(list, notes)
		for i, inv := range list {
			for _, s := range e.TakenSteps() {
				if notes[i].Used && !e.preserves(s, inv) {
					notes[i].Used, changed = false, true
					notes[i].Why = "it is not proved that " + s.Name() + " preserves it"
				}
			}
		}
	}
	return notes
}

// used are the properties that hold in every reachable state.
func used(list []*step.Property, notes []InvariantNote) (those []*step.Property) {
	for i, inv := range list {
		if notes[i].Used {
			those = append(those, inv)
		}
	}
	return those
}

// refuteInvariants looks for reachable states in which those invariants are false that are not proved.
func (e *engine) refuteInvariants(notes []InvariantNote, most int) {
	var g *reached
	for i := range notes {
		if notes[i].Used {
			continue
		}
		if g == nil {
			if g = reach(e.Ctx, e.Prog, most); g == nil {
				return
			}
		}
		inv := e.Prog.Invariants[i]
		f := &Finding{Fact: &constraints.Fact{That: inv.Expr, Pos: inv.Pos}, Claim: Always, Pos: inv.Pos}
		if at := g.broken(inv.Expr); at != nil && g.world(e, at).showFact(f) {
			f.Refuted, f.Reach, f.Looked, f.Schedule = true, Reachable, len(g.states), g.schedule(at.state)
			f.Third = g.lastStep(at.state)
			notes[i].Refuted = f
		}
	}
}

func (e *engine) holdsAtFirst(inv *step.Property) bool {
	holds := false
	failed := symbolic.Explore(term.NewTable(), e.Oracle, symbolic.MaxLeaves, func(r *symbolic.Run) {
		r.Concrete = func(_ int, v *step.Var, word int) int64 { return e.Prog.Init[v.Offset+word] }
		holds = r.Holds(inv.Expr, term.Shared, term.Shared)
	})
	return failed == "" && holds
}

func (e *engine) preserves(s *step.Step, inv *step.Property) bool {
	if !e.WritesAny(s, expr.Shared(inv.Expr, nil)) {
		return true
	}
	ok := true
	t := e.Table(s).Asking("the invariant "+inv.Text+" is preserved by", s)
	failed := symbolic.Explore(t, e.Oracle, symbolic.MaxLeaves, func(r *symbolic.Run) {
		r.AssumeInvariants(e.Assumed)
		if r.Enabled(0, s) {
			r.Exec(0, s)
			ok = r.Holds(inv.Expr, term.Shared, term.Shared) && ok
		}
	})
	return ok && failed == ""
}
