package symbolic

import (
	"cdpor/lang/step"
	"cdpor/synth/internal/term"
)

// AssumeInvariants restricts the unknown state. As all steps preserve invariants, those that check one find it true.
func (x *Run) AssumeInvariants(list []*step.Property) {
	x.assumed = list
	for _, inv := range list {
		x.Own, x.Fault = term.Shared, step.NoFault
		x.assume(x.truth(inv.Expr) && x.Fault == step.NoFault)
	}
}

// Commute decides whether the two steps commute in the initial state of the run.
func (x *Run) Commute(a, b *step.Step) bool {
	return x.bothOrders(a, b).commute
}

// Orderless decides whether the two steps commute and whether nothing can tell their order later: what one of them
// starts happens after it, so where it depends on the order which of them starts a process, the order can be told.
// fails says that they commute because one of them fails in any case.
func (x *Run) Orderless(a, b *step.Step) (commute, orderless, fails bool) {
	r := x.bothOrders(a, b)
	fails = r.commute && (r.ab[0].Kind == Failed || r.ab[1].Kind == Failed)
	return r.commute, r.commute && !exchanged(r.stAB, r.stBA), fails
}

// orders is what both orders of two steps lead to.
type orders struct {
	commute        bool
	enA, enB       bool
	stAB, stBA     *Store // after a;b and b;a, or as far as they go
	ab, ba         [2]Outcome
	afterA, afterB bool // b is enabled after a, a after b
}

func (x *Run) bothOrders(a, b *step.Step) (r orders) {
	start := x.Store
	r.enA, r.enB = x.Enabled(0, a), x.Enabled(1, b)
	r.stAB, r.stBA = start.Clone(), start.Clone()
	if r.enA {
		x.Store = r.stAB
		r.ab[0] = x.Exec(0, a)
		r.afterA = x.Enabled(1, b)
	}
	if r.enB {
		x.Store = r.stBA
		r.ba[1] = x.Exec(1, b)
		r.afterB = x.Enabled(0, a)
	}
	switch {
	case !r.enA && !r.enB:
		r.commute = true
		return
	case !r.enB:
		r.commute = !r.afterA
		return
	case !r.enA:
		r.commute = !r.afterB
		return
	case !r.afterA || !r.afterB:
		return
	}
	x.Store = r.stAB
	r.ab[1] = x.Exec(1, b)
	x.Store = r.stBA
	r.ba[0] = x.Exec(0, a)
	r.commute = r.ab == r.ba && x.sameStarts(r.stAB, r.stBA) && x.sameShared(r.stAB, r.stBA) &&
		x.sameLocals(r.stAB, r.stBA, 0, a, r.ab[0]) && x.sameLocals(r.stAB, r.stBA, 1, b, r.ab[1])
	return
}

// sameLocals decides whether two stores agree on the locals that matter to a process after its step.
func (x *Run) sameLocals(u, v *Store, slot int, s *step.Step, end Outcome) bool {
	if end.Kind != Stopped {
		return true
	}
	live := s.Template.LiveIn(end.Node)
	return x.sameMemory(u, v, func(m memory) bool { return m.key.Slot == slot && m.key.V.IsLive(live) })
}
