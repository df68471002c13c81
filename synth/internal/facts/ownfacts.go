package facts

import (
	"slices"
	"strings"

	"cdpor/lang/slice"
	"cdpor/lang/step"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/reachable"
	"cdpor/synth/internal/span"
	"cdpor/synth/internal/term"
)

// findStepFacts finds what is known at each step about shared variables beside what is always known.
func (k *Facts) findStepFacts(meet *slice.Parallel) {
	a := k.together
	for _, t := range k.Prog.Templates {
		for at := range a.Kept(t) {
			if listable(Key{V: at.V, Off: at.Off}) {
				k.stepFact(at, t)
			}
		}
	}
	k.findBoth(meet)
	for at, of := range a.Own {
		for t := range of {
			if !strings.HasPrefix(at.V.Name, "$") {
				k.stepFact(at, t)
			}
		}
	}
}

// stepFact finds the range of a field, or of that of the element of the process, at the steps of a template.
func (k *Facts) stepFact(at reachable.Field, t *step.Template) {
	key := Key{V: at.V, Off: at.Off}
	always, known := k.Wide[key]
	if !known {
		always = reachable.Leaf(key.typ())
	}
	for _, s := range t.Steps {
		all := span.None
		for _, fr := range k.frames {
			if fr.Process.Template != t || !fr.Reaches(s.Entry) {
				continue
			}
			one := always
			if now, followed := fr.Before(s.Entry, at); followed {
				one = small(key.typ(), now).Meet(always)
			}
			all = all.Join(one)
		}
		if !all.Empty() && all != always {
			k.Wide[Key{At: s, V: at.V, Off: at.Off}] = all
		}
	}
}

// AtBoth is the key of a fact about a shared variable where one process stands at the step of a key and another one at
// some step, in whatever order.
func AtBoth(key Key, with *step.Step) Key {
	if a := key.At; with.Template == a.Template && with.Entry < a.Entry || with.Template.Name < a.Template.Name {
		key.At, with = with, a
	}
	key.With = with
	return key
}

// findBoth finds what is known of counts where two processes stand at two steps, each of which has added its own.
func (k *Facts) findBoth(meet *slice.Parallel) {
	var counts []Key
	for _, v := range k.Prog.Shared {
		for _, f := range reachable.Fields(v.Type) {
			if key := (Key{V: v, Off: f.Off}); k.together.Counted(reachable.Field{V: v, Off: f.Off}) && listable(key) {
				counts = append(counts, key)
			}
		}
	}
	var steps []*step.Step
	for _, t := range k.Prog.Templates {
		for _, s := range t.Steps {
			steps = append(steps, s)
			for _, other := range steps {
				for _, key := range counts {
					if key.At = other; meet.Possible(other, s) {
						k.findCount(key, s)
					}
				}
			}
		}
	}
}

// findCount is findBoth for a field and two steps.
func (k *Facts) findCount(key Key, with *step.Step) {
	at := reachable.Field{V: key.V, Off: key.Off}
	if !k.together.AddBoth(at, key.At, with) {
		return
	}
	known := reachable.Leaf(key.typ())
	for _, s := range []*step.Step{nil, key.At, with} {
		if one, is := k.Wide[Key{At: s, V: key.V, Off: key.Off}]; is {
			known = known.Meet(one)
		}
	}
	if now := k.together.Beside(at, key.At, with).Meet(known); !now.Empty() && now != known {
		key = AtBoth(key, with)
		k.Wide[key], k.Both = now, append(k.Both, key)
	}
}

// BothKnown reports whether there is a fact about two steps together.
func (k *Facts) BothKnown(a, b *step.Step) bool {
	return slices.ContainsFunc(k.Both, func(key Key) bool {
		return key.At == a && key.With == b || key.At == b && key.With == a
	})
}

// Together does some work with the facts about two steps together. Elsewhere these are left out: with them a condition
// speaks of numbers that nobody finds in the program.
func (k *Facts) Together(work func()) {
	k.asTwo = true
	work()
	k.asTwo = false
}

// keysOf are those of what the step of a slot says about a field of a shared variable: with those of the slots behind
// it, and by itself.
func (k *Assumption) keysOf(slot int, v *step.Var, off int) (list []Key) {
	key := Key{At: k.t.Actors[slot].At, V: v, Off: off}
	if key.At == nil {
		return nil
	}
	for _, b := range k.t.Actors[slot+1:] {
		if k.asTwo && b.At != nil {
			list = append(list, AtBoth(key, b.At))
		}
	}
	return append(list, key)
}

// confineSole narrows the bounds of a new symbol to what the steps of the question say about it.
func (k *Assumption) confineSole(s *term.Symbol, b span.Span) span.Span {
	t := k.t
	if s.Mem.Slot != term.Shared || len(s.Idx) > 1 {
		return b
	}
	var found []Key
	for slot := range t.Actors {
		for _, key := range k.keysOf(slot, s.Mem.V, s.Mem.Off) {
			one, known := k.Wide[key]
			if !known || !k.Assume || b.Meet(one) == b || len(s.Idx) == 1 && (key.With != nil || !k.owns(slot, s)) {
				continue
			}
			b, s.Wide = b.Meet(one), true
			found = append(found, key)
		}
	}
	for _, key := range found { // owns may have added symbols
		k.knownBy(term.SymID(len(t.Syms)), key)
	}
	return b
}

// owns reports whether an element is for certain that of the process in a slot.
func (k *Assumption) owns(slot int, s *term.Symbol) bool {
	t := k.t
	a := t.Actors[slot]
	index := k.together.OwnIndex(s.Mem.V, s.Mem.Off, a.Tmpl)
	if index == nil {
		return false
	}
	i := s.Idx[0]
	if mine, ok := k.heldIndex(slot, index); ok && mine.Equal(i) {
		return true
	}
	var of int // the slot that the index belongs to
	var values []int64
	switch {
	case i.Constant():
		of, values = slot, make([]int64, len(a.Procs))
		for j := range values {
			values[j] = i.K
		}
	case len(i.Terms) == 1:
		y := &t.Syms[i.Terms[0].S]
		if values = slices.Clone(k.instanceValues(y)); values == nil {
			return false
		}
		of = y.Mem.Slot
		for j := range values {
			values[j] = values[j]*i.Terms[0].C + i.K
		}
	default:
		return false
	}
	for _, p := range a.Procs {
		for j, q := range t.Actors[of].Procs {
			if (p == q) == (of == slot) && reachable.IndexOf(index, p) != values[j] {
				return false
			}
		}
	}
	if !i.Constant() {
		t.Use(i)
	}
	return true
}

// knownBy notes which fact about a step says something about a symbol.
func (k *Assumption) knownBy(id term.SymID, key Key) {
	k.about[id] = append(k.about[id], key)
}

// useStepFacts notes that these have been used.
func (k *Assumption) useStepFacts(id term.SymID) {
	for _, key := range k.about[id] {
		if key.V == nil {
			k.Used.Local[key] = true
		} else {
			k.Used.Wide[key] = true
		}
	}
}

// ownWord is the word of a field in the element with an index.
func ownWord(e *step.Expr, off int, index *step.Expr) *step.Expr {
	switch t := e.Type; t.Kind {
	case step.Array:
		return ownWord(expr.New(step.Index, t.Elem, e, index), off, index)
	case step.Record:
		i := reachable.FieldBefore(t, off)
		x := expr.New(step.Part, t.Fields[i].Type, e)
		x.Field = i
		return ownWord(x, off-t.FieldAt(i), index)
	case step.Option:
		if off == 0 {
			return expr.New(step.Present, step.BoolType, e)
		}
		return ownWord(expr.New(step.Unwrap, t.Elem, e), off-1, index)
	case step.List, step.Queue, step.Set, step.Map:
		return expr.New(step.Size, step.IntType, e)
	}
	return e
}
