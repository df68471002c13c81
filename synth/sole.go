package synth

import (
	"slices"
	"strings"

	"cdpor/lang/step"
)

// Shared variables that only one process writes. Where that process stands tells what they hold, as it does for locals:
// a flag that it has not raised yet, a channel that it has not closed. Ranges keep them from step to step (ranges.go),
// and what is known of one at a step of its writer is a fact about that step.

// The same is true of elements: where every process writes flag[self] only, each knows its own element.

// owners are, for a field that is in one array, the index at which each template writes it: self, a number, or a
// parameter. No two processes have the same.
type owners map[*step.Template]*step.Expr

// findOwners finds the fields of elements of which each has one writer.
func (a *ranges) findOwners() {
	a.own = map[field]owners{}
	spoilt := map[field]bool{}
	note := func(v *step.Var, from, to int, t *step.Template, index *step.Expr) {
		for _, x := range fieldsOf(v.Type) {
			at := field{v, x.off}
			if !x.array || x.off < from || x.off >= to {
				continue
			}
			if a.own[at] == nil {
				a.own[at] = owners{}
			}
			old := a.own[at][t]
			if index == nil || old != nil && (old.Op != index.Op || old.Var != index.Var ||
				!slices.Equal(old.Words, index.Words)) {
				spoilt[at] = true
			} else {
				a.own[at][t] = index
			}
		}
	}
	for _, t := range a.prog.Templates {
		if t.Pool != nil {
			for _, v := range append([]*step.Var{t.Pool.Life}, t.Pool.Fields...) {
				if v != nil {
					note(v, 0, v.Type.Words(), t, nil)
				}
			}
		}
		for _, n := range t.Nodes {
			for _, dst := range []*step.Expr{n.Dst, n.Counter} {
				if dst == nil {
					continue
				}
				if ref, off, _, ok := placeOf(dst); ok && ref.Var.Shared && n.Kind != step.Spawn {
					note(ref.Var, off, off+dst.Type.Words(), t, ownIndex(dst, t))
					continue
				}
				for v := range sharedOf(dst, nil) {
					note(v, 0, v.Type.Words(), t, nil)
				}
			}
		}
	}
	numbered := a.numbered()
	for at, of := range a.own {
		seen := map[int64]bool{}
		for _, p := range a.prog.Procs {
			if index := of[p.Template]; index != nil {
				k := indexOf(index, p)
				spoilt[at] = spoilt[at] || seen[k] || p.Template.Pool != nil || numbered[at.v] && index.Op != step.Const
				seen[k] = true
			}
		}
		if spoilt[at] {
			delete(a.own, at)
		}
	}
}

// numbered are the shared variables of which some step asks for an element by its number. Whose that is depends on who
// is who, so what is known of flag[self] would not be known of flag[0].
func (a *ranges) numbered() map[*step.Var]bool {
	vars := map[*step.Var]bool{}
	var visit func(e *step.Expr)
	visit = func(e *step.Expr) {
		if e == nil {
			return
		}
		if e.Op == step.Index && e.Args[1].Op == step.Const {
			sharedOf(e.Args[0], vars)
		}
		for _, x := range e.Args {
			visit(x)
		}
	}
	for _, t := range a.prog.Templates {
		for _, n := range t.Nodes {
			for _, e := range []*step.Expr{n.Dst, n.Src, n.Cond} {
				visit(e)
			}
		}
	}
	return vars
}

// ownIndex is the only index of a place, if each process always has the same one there; else nil.
func ownIndex(e *step.Expr, t *step.Template) (index *step.Expr) {
	for ; e.Op == step.Index || e.Op == step.Part; e = e.Args[0] {
		if e.Op != step.Index {
			continue
		}
		i := e.Args[1]
		if index != nil || i.Op != step.Self && i.Op != step.Const && !(i.Op == step.VarRef && !i.Var.Shared &&
			!assigns(t, i.Var)) {
			return nil
		}
		index = i
	}
	return index
}

// indexOf is the value of such an index for a process.
func indexOf(index *step.Expr, p *step.Proc) int64 {
	switch index.Op {
	case step.Const:
		return index.Words[0]
	case step.Self:
		return p.Self
	}
	return p.Init[index.Var.Offset]
}

// keeps tells whether what a process of a template knows about a field holds until it writes it again.
func (a *ranges) keeps(at field, t *step.Template) bool {
	return a.sole[at] == t && t != nil || a.own[at][t] != nil
}

// ownElement is the place in environments of an element that only the process itself writes.
func (f *frame) ownElement(e *step.Expr) (slot int, ok bool) { return f.ownField(e, 0) }

// ownField is that of a field of such an element.
func (f *frame) ownField(e *step.Expr, part int) (slot int, ok bool) {
	if f.proc == nil || e.Op != step.Index && e.Op != step.Part { // nobody in particular has no element
		return 0, false
	}
	ref, off, _, ok := placeOf(e)
	if !ok || !ref.Var.Shared {
		return 0, false
	}
	at := field{ref.Var, off + part}
	mine, index := f.a.own[at][f.proc.Template], ownIndex(e, f.proc.Template)
	if mine == nil || index == nil || indexOf(mine, f.proc) != indexOf(index, f.proc) {
		return 0, false
	}
	slot, ok = f.slot[at]
	return slot, ok
}

// findSole finds the only writer of each shared scalar, or size of a list, that is in no array. Processes that are
// started may be many, and what starting one writes is not followed.
func (a *ranges) findSole() {
	a.sole = map[field]*step.Template{}
	writers := func(v *step.Var, from, to int, t *step.Template) {
		for _, x := range fieldsOf(v.Type) {
			if x.off < from || x.off >= to {
				continue
			}
			at := field{v, x.off}
			if old, written := a.sole[at]; written && old != t ||
				t != nil && (t.Pool != nil || t.Count != 1) || x.array {
				a.sole[at] = nil
			} else {
				a.sole[at] = t
			}
		}
	}
	for _, t := range a.prog.Templates {
		if t.Pool != nil {
			for _, v := range append([]*step.Var{t.Pool.Life}, t.Pool.Fields...) {
				if v != nil {
					writers(v, 0, v.Type.Words(), nil)
				}
			}
		}
		for _, n := range t.Nodes {
			for _, dst := range []*step.Expr{n.Dst, n.Counter} {
				if dst == nil {
					continue
				}
				ref, off, _, ok := placeOf(dst)
				switch {
				case ok && ref.Var.Shared && n.Kind != step.Spawn:
					writers(ref.Var, off, off+dst.Type.Words(), t)
				default:
					for v := range sharedOf(dst, nil) {
						writers(v, 0, v.Type.Words(), nil)
					}
				}
			}
		}
	}
}

// findSoleFacts finds what is known at each step about what only its process writes.
func (k *facts) findSoleFacts() {
	a := k.together
	for at, t := range a.sole {
		if t != nil && listable(factKey{nil, at.v, at.off}) {
			k.soleFact(at, t)
		}
	}
	for at, of := range a.own {
		for t := range of {
			if !strings.HasPrefix(at.v.Name, "$") {
				k.soleFact(at, t)
			}
		}
	}
}

// soleFact finds the range of a field, or of that of the element of the process, at the steps of a template.
func (k *facts) soleFact(at field, t *step.Template) {
	always, known := k.wide[factKey{nil, at.v, at.off}]
	if !known {
		always = leafSpan(fieldAt(at.v.Type, at.off))
	}
	for _, s := range t.Steps {
		all := nothing
		for _, fr := range k.frames {
			if fr.proc.Template != t || fr.at[s.Entry] == nil {
				continue
			}
			one := always
			if i, there := fr.slot[at]; there {
				one = fr.at[s.Entry][i].meet(always)
			}
			all = all.join(one)
		}
		if !all.empty() && all != always {
			k.wide[factKey{s, at.v, at.off}] = all
		}
	}
}

// confineSole narrows the bounds of a new symbol to what the steps of the question say about it.
func (t *table) confineSole(s *symbol, b span) span {
	if s.mem.slot != shared || len(s.idx) > 1 {
		return b
	}
	var found []factKey
	for slot, a := range t.actors {
		if a.at == nil {
			continue
		}
		key := factKey{a.at, s.mem.v, s.mem.off}
		one, known := t.known.wide[key]
		if !known || !t.known.assume || b.meet(one) == b || len(s.idx) == 1 && !t.owns(slot, s) {
			continue
		}
		b, s.wide = b.meet(one), true
		found = append(found, key)
	}
	for _, key := range found { // owns may have added symbols
		t.knownBy(symID(len(t.syms)), key)
	}
	return b
}

// owns tells whether an element is for certain that of the process in a slot.
func (t *table) owns(slot int, s *symbol) bool {
	a := t.actors[slot]
	index := t.known.together.own[field{s.mem.v, s.mem.off}][a.tmpl]
	if index == nil {
		return false
	}
	i := s.idx[0]
	if mine, ok := t.heldIndex(slot, index); ok && mine.equal(i) {
		return true
	}
	var of int // the slot that the index belongs to
	var values []int64
	switch {
	case i.constant():
		of, values = slot, make([]int64, len(a.procs))
		for j := range values {
			values[j] = i.k
		}
	case len(i.terms) == 1:
		y := &t.syms[i.terms[0].s]
		if values = slices.Clone(t.instanceValues(y)); values == nil {
			return false
		}
		of = y.mem.slot
		for j := range values {
			values[j] = values[j]*i.terms[0].c + i.k
		}
	default:
		return false
	}
	for _, p := range a.procs {
		for j, q := range t.actors[of].procs {
			if (p == q) == (of == slot) && indexOf(index, p) != values[j] {
				return false
			}
		}
	}
	if !i.constant() {
		t.use(i)
	}
	return true
}

// knownBy notes which fact about a step says something about a symbol.
func (t *table) knownBy(id symID, key factKey) {
	if t.stepFacts == nil {
		t.stepFacts = map[symID][]factKey{}
	}
	t.stepFacts[id] = append(t.stepFacts[id], key)
}

// useStepFacts notes that these have been used.
func (t *table) useStepFacts(id symID) {
	for _, key := range t.stepFacts[id] {
		if key.v == nil {
			t.known.used[key] = true
		} else {
			t.known.usedWide[key] = true
		}
	}
}

// ownWord is the word of a field in the element with an index.
func ownWord(e *step.Expr, off int, index *step.Expr) *step.Expr {
	switch t := e.Type; t.Kind {
	case step.Array:
		return ownWord(node(step.Index, t.Elem, e, index), off, index)
	case step.Record:
		i := fieldBefore(t, off)
		x := node(step.Part, t.Fields[i].Type, e)
		x.Field = i
		return ownWord(x, off-t.FieldAt(i), index)
	case step.List, step.Queue:
		return node(step.Size, step.IntType, e)
	}
	return e
}
