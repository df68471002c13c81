package facts

import (
	"slices"

	"cdpor/lang"
	"cdpor/lang/slice"
	"cdpor/lang/step"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/term"
)

// Locks as facts: which mutexes a process holds whenever it stands at a step (lang/slice/parallel.go). A table knows of
// the word of such a mutex that it equals the process, so no condition says p.holds(m) where p always does, or that m
// is held.

// findHeld lists the mutexes that are held at each step, as conditions on the process there. Those whose indices are
// locals that the step does not mention are left out: what is known about these is not in its key.
func (k *Facts) findHeld(meet *slice.Parallel) {
	k.Held = map[*step.Step][]*step.Expr{}
	for _, t := range k.Prog.Templates {
		for _, s := range t.Steps {
			places := meet.Holds(s)
			if len(places) == 0 {
				continue
			}
			vars := Mentions(s)
			for _, place := range places {
				if !knownIndices(place, vars) {
					continue
				}
				me := &step.Expr{Op: step.Me, Type: step.MutexType, Of: step.P}
				k.Held[s] = append(k.Held[s], expr.New(step.Eq, step.BoolType, aboutP(place), me))
			}
		}
	}
}

// knownIndices reports whether the indices of a place are numbers, the number of the process, or locals among those
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
	c := e.With(aboutP)
	if c.Op == step.Self || c.Op == step.VarRef && !c.Var.Shared {
		c.Of = step.P
	}
	return c
}

// HeldKey is the key of the fact that the mutex with some number is held at a step.
func HeldKey(at *step.Step, number int) Key { return Key{At: at, Off: number} }

// relateHeld adds to what is known of a new symbol who holds it, if that is a mutex.
func (k *Assumption) relateHeld(id term.SymID) {
	t := k.t
	s := &t.Syms[id]
	if s.Kind != term.WordSym || s.Typ.Kind != step.Mutex || s.Mem.Slot != term.Shared || s.Mem.View != term.Direct ||
		t.Known == nil || !k.Assume {
		return
	}
	mem, idx := s.Mem, s.Idx
	for slot, a := range t.Actors {
		if a.At == nil || !term.Contiguous(a) && len(a.Procs) > 1 {
			continue
		}
		for i, cond := range k.Held[a.At] {
			if m, at, ok := k.heldPlace(slot, cond.Args[0]); !ok || m != mem || !term.EqualForms(at, idx) {
				continue
			}
			k.knownBy(id, HeldKey(a.At, i))
			me := t.Self(slot, term.MeSym)
			bounds := k.sure(me)
			s = &t.Syms[id]
			s.Lo, s.Hi = max(s.Lo, bounds.Lo), min(s.Hi, bounds.Hi)
			if !me.Constant() {
				t.Facts = append(t.Facts, t.Atom(term.One(id).Minus(me), term.EqRel))
			}
		}
	}
}

// heldPlace is the word of a mutex that is held by the process in a slot.
func (k *Assumption) heldPlace(slot int, e *step.Expr) (mem term.MemKey, idx []term.Form, ok bool) {
	switch e.Op {
	case step.VarRef:
		return term.MemKey{Slot: term.Shared, V: e.Var}, nil, true
	case step.Part:
		mem, idx, ok = k.heldPlace(slot, e.Args[0])
		mem.Off += e.Args[0].Type.FieldAt(e.Field)
		return mem, idx, ok
	case step.Index:
		if mem, idx, ok = k.heldPlace(slot, e.Args[0]); ok {
			var i term.Form
			i, ok = k.heldIndex(slot, e.Args[1])
			idx = append(idx, i)
		}
	}
	return mem, idx, ok
}

// heldIndex is the value of such an index in the unknown state, as a run reads it.
func (k *Assumption) heldIndex(slot int, e *step.Expr) (term.Form, bool) {
	switch e.Op {
	case step.Const:
		return term.Constant(e.Words[0]), true
	case step.Self:
		return k.t.Self(slot, term.SelfSym), true
	}
	return k.t.Initial(term.PlaceOf(slot, e.Var)), true
}

// heldText is the fact as it is listed, nil if it was not used.
func (k *Facts) heldText(at *step.Step) (parts []*step.Expr) {
	for i, cond := range k.Held[at] {
		if k.Used.Local[HeldKey(at, i)] {
			parts = append(parts, cond)
		}
	}
	return parts
}

// proves reports whether a condition is that some mutex is held at a step, as it always is there.
func (k *Facts) proves(at *step.Step, cond *step.Expr) bool {
	text := lang.FormatExpr(cond, at.Template, nil)
	return slices.ContainsFunc(k.Held[at],
		func(e *step.Expr) bool { return lang.FormatExpr(e, at.Template, nil) == text })
}
