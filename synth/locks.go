package synth

import (
	"slices"

	"cdpor/lang"
	"cdpor/lang/slice"
	"cdpor/lang/step"
	"cdpor/synth/internal/expr"
)

// Locks as facts: which mutexes a process holds whenever it stands at a step (lang/slice/locks.go). A table knows of
// the word of such a mutex that it equals the process, so no condition says p.holds(m) where p always does, or that m
// is held.

// findHeld lists the mutexes that are held at each step, as conditions on the process there. Those whose indices are
// locals that the step does not mention are left out: what is known about these is not in its key.
func (k *facts) findHeld(meet *slice.Parallel) {
	k.held = map[*step.Step][]*step.Expr{}
	for _, t := range k.prog.Templates {
		for _, s := range t.Steps {
			places := meet.Holds(s)
			if len(places) == 0 {
				continue
			}
			vars := mentions(s)
			for _, place := range places {
				if !knownIndices(place, vars) {
					continue
				}
				me := &step.Expr{Op: step.Me, Type: step.MutexType, Of: step.P}
				k.held[s] = append(k.held[s], expr.New(step.Eq, step.BoolType, aboutP(place), me))
			}
		}
	}
}

// knownIndices tells whether the indices of a place are numbers, the number of the process, or locals among those
// given.
func knownIndices(e *step.Expr, vars map[*step.Var]bool) bool {
	switch e.Op {
	case step.Part:
		return knownIndices(e.Args[0], vars)
	case step.Index:
		i := e.Args[1]
		return (i.Op == step.Const || i.Op == step.Self || i.Op == step.VarRef && vars[i.Var]) &&
			knownIndices(e.Args[0], vars)
	}
	return e.Op == step.VarRef
}

// aboutP is an expression of a program as one about the process P.
func aboutP(e *step.Expr) *step.Expr {
	c := *e
	if c.Op == step.Self || c.Op == step.VarRef && !c.Var.Shared {
		c.Of = step.P
	}
	c.Args = nil
	for _, a := range e.Args {
		c.Args = append(c.Args, aboutP(a))
	}
	return &c
}

// heldKey is the key of the fact that the mutex with some number is held at a step.
func heldKey(at *step.Step, number int) factKey { return factKey{at: at, off: number} }

// relateHeld adds to what is known of a new symbol who holds it, if that is a mutex.
func (k *assumption) relateHeld(id symID) {
	t := k.t
	s := &t.syms[id]
	if s.kind != wordSym || s.typ.Kind != step.Mutex || s.mem.slot != shared || s.mem.view != direct ||
		t.known == nil || !k.assume {
		return
	}
	mem, idx := s.mem, s.idx
	for slot, a := range t.actors {
		if a.at == nil || !contiguous(a) && len(a.procs) > 1 {
			continue
		}
		for i, cond := range k.held[a.at] {
			if m, at, ok := k.heldPlace(slot, cond.Args[0]); !ok || m != mem || !equalForms(at, idx) {
				continue
			}
			k.knownBy(id, heldKey(a.at, i))
			me := t.self(slot, meSym)
			bounds := k.sure(me)
			s = &t.syms[id]
			s.lo, s.hi = max(s.lo, bounds.Lo), min(s.hi, bounds.Hi)
			if !me.constant() {
				t.facts = append(t.facts, t.atom(one(id).minus(me), eqRel))
			}
		}
	}
}

// heldPlace is the word of a mutex that is held by the process in a slot.
func (k *assumption) heldPlace(slot int, e *step.Expr) (mem memKey, idx []form, ok bool) {
	switch e.Op {
	case step.VarRef:
		return memKey{slot: shared, v: e.Var}, nil, true
	case step.Part:
		mem, idx, ok = k.heldPlace(slot, e.Args[0])
		mem.off += e.Args[0].Type.FieldAt(e.Field)
		return mem, idx, ok
	case step.Index:
		if mem, idx, ok = k.heldPlace(slot, e.Args[0]); ok {
			var i form
			i, ok = k.heldIndex(slot, e.Args[1])
			idx = append(idx, i)
		}
	}
	return mem, idx, ok
}

// heldIndex is the value of such an index in the unknown state, as a run reads it.
func (k *assumption) heldIndex(slot int, e *step.Expr) (form, bool) {
	switch e.Op {
	case step.Const:
		return constant(e.Words[0]), true
	case step.Self:
		return k.t.self(slot, selfSym), true
	}
	return k.t.initial(place{slot: slot, v: e.Var, typ: e.Var.Type}), true
}

// heldText is the fact as it is listed, nil if it was not used.
func (k *facts) heldText(at *step.Step) (parts []*step.Expr) {
	for i, cond := range k.held[at] {
		if k.used[heldKey(at, i)] {
			parts = append(parts, cond)
		}
	}
	return parts
}

// proves tells whether a condition is that some mutex is held at a step, as it always is there.
func (k *facts) proves(at *step.Step, cond *step.Expr) bool {
	text := lang.FormatExpr(cond, at.Template, nil)
	return slices.ContainsFunc(k.held[at],
		func(e *step.Expr) bool { return lang.FormatExpr(e, at.Template, nil) == text })
}
