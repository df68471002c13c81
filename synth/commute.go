package synth

import (
	"cdpor/lang/step"
	"cdpor/synth/internal/term"
)

// A run executes steps symbolically on one path.
type run struct {
	interpreter
	started []processName // of processes that have been started, in any order of the steps
}

// newRun begins a run in the unknown state.
func newRun(x *path) *run {
	r := &run{interpreter: interpreter{state: state{path: x, st: &store{}}, own: term.Shared, pq: [2]int{0, 1}}}
	r.running()
	return r
}

// assumeInvariants restricts the unknown state.
func (x *run) assumeInvariants(list []*step.Property) {
	for _, inv := range list {
		x.own, x.fault = term.Shared, step.NoFault
		x.assume(x.truth(inv.Expr) && x.fault == step.NoFault)
	}
}

// commute decides whether the two steps commute in the initial state of the run: soundness.md calls it C.
func (x *run) commute(a, b *step.Step) bool {
	return x.bothOrders(a, b).commute
}

// orders is what both orders of two steps lead to.
type orders struct {
	commute        bool
	enA, enB       bool
	stAB, stBA     *store // after a;b and b;a, or as far as they go
	ab, ba         [2]outcome
	ranAB, ranBA   bool
	afterA, afterB bool // b is enabled after a, a after b
}

func (x *run) bothOrders(a, b *step.Step) (r orders) {
	start := x.st
	r.enA, r.enB = x.enabled(0, a), x.enabled(1, b)
	r.stAB, r.stBA = start.clone(), start.clone()
	if r.enA {
		x.st = r.stAB
		r.ab[0] = x.exec(0, a)
		r.afterA = x.enabled(1, b)
	}
	if r.enB {
		x.st = r.stBA
		r.ba[1] = x.exec(1, b)
		r.afterB = x.enabled(0, a)
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
	r.ranAB, r.ranBA = true, true
	x.st = r.stAB
	r.ab[1] = x.exec(1, b)
	x.st = r.stBA
	r.ba[0] = x.exec(0, a)
	r.commute = r.ab == r.ba && x.sameStarts(r.stAB, r.stBA) && x.sameShared(r.stAB, r.stBA) &&
		x.sameLocals(r.stAB, r.stBA, 0, a, r.ab[0]) && x.sameLocals(r.stAB, r.stBA, 1, b, r.ab[1])
	return
}

// sameLocals decides whether two stores agree on the locals that matter to a process after its step.
func (x *run) sameLocals(u, v *store, slot int, s *step.Step, end outcome) bool {
	if end.kind != stopped {
		return true
	}
	live := s.Template.LiveIn(end.node)
	return x.sameMemory(u, v, func(m memory) bool { return m.key.Slot == slot && m.key.V.IsLive(live) })
}
