package synth

import (
	"math"
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/reachable"
	"cdpor/synth/internal/span"
)

// An assumption is what is known of the words of one question.
type assumption struct {
	*facts
	t     *table
	about map[symID][]factKey // facts about the steps of the question that say something about shared variables
}

// assume gives a table what is known of its words.
func (k *facts) assumeFor(t *table) {
	t.known = &assumption{facts: k, t: t, about: map[symID][]factKey{}}
}

// Assumed reports whether questions are about reachable states only.
func (k *assumption) Assumed() bool { return k.assume }

// Named adds literals that are about words which facts of the steps are about, and say what is known of them anyway.
// Tables know of flag[p.self] what p knows about its own flag, and so of flag[p.k] where p.k was found to be p.self
// before it was read, but not the other way round.
func (k *assumption) Named(lits []literal) []literal {
	t := k.t
	lits = slices.Clone(lits)
	for slot, p := range t.actors {
		if p.at == nil {
			continue
		}
		for _, v := range k.prog.Shared {
			for _, f := range reachable.Fields(v.Type) {
				index := k.together.OwnIndex(v, f.Off, p.tmpl)
				if _, known := k.wide[factKey{p.at, v, f.Off}]; !known || index == nil {
					continue
				}
				if i, ok := k.heldIndex(slot, index); ok {
					lits = k.named(lits, t.word(memKey{slot: shared, v: v, off: f.Off}, []form{i},
						reachable.FieldAt(v.Type, f.Off)))
				}
			}
		}
		for _, cond := range k.held[p.at] {
			if mem, idx, ok := k.heldPlace(slot, cond.Args[0]); ok {
				lits = k.named(lits, t.word(mem, idx, step.MutexType))
			}
		}
	}
	return lits
}

// Written is the range of a word that a step has written, which it lies in because what the step leads to from a
// reachable state is reachable. It reports false where there is none, or the value is a number in it.
func (k *assumption) Written(m memKey, v form) (span.Span, bool) {
	key := factKey{nil, m.v, m.off}
	if !k.assume || m.slot != shared || m.view != direct || reachable.FieldAt(m.v.Type, m.off) == nil {
		return span.Any, false
	}
	k.asked[key] = true
	r, known := k.wide[key]
	if !known || v.constant() && v.k >= r.Lo && v.k <= r.Hi {
		return span.Any, false
	}
	k.usedWide[key] = true
	return r, true
}

// factKey is what facts know a symbol by.
func (k *assumption) factKey(s *symbol) (factKey, bool) {
	t := k.t
	if s.kind != wordSym || s.mem.view != direct || reachable.FieldAt(s.mem.v.Type, s.mem.off) == nil {
		return factKey{}, false
	}
	if s.mem.slot == shared {
		return factKey{nil, s.mem.v, s.mem.off}, true
	}
	at := t.actors[s.mem.slot].at
	return factKey{at, s.mem.v, s.mem.off}, at != nil
}

// Confine narrows the bounds of a new symbol to what is known.
func (k *assumption) Confine(s *symbol) {
	key, ok := k.factKey(s)
	if !ok {
		return
	}
	b := span.Between(s.lo, s.hi)
	if local, known := k.bounds(key); known {
		b = b.Meet(local)
	}
	k.asked[key] = true
	if wide, known := k.wide[key]; known && k.assume && b.Meet(wide) != b {
		b, s.wide = b.Meet(wide), true
	}
	b = k.confineSole(s, b)
	s.lo, s.hi = b.Lo, b.Hi
}

// instanceValues is the value of a symbol in each instance of its actor, nil unless all are known.
func (k *assumption) instanceValues(s *symbol) []int64 {
	t := k.t
	if s.kind == selfSym {
		var list []int64
		for _, p := range t.actors[s.mem.slot].procs {
			list = append(list, p.Self)
		}
		return list
	}
	if key, ok := k.factKey(s); ok && s.mem.slot != shared {
		return k.values(key)
	}
	return nil
}

// Relate adds how a new symbol differs from others: never the same value in two processes, or always the same
// distance.
func (k *assumption) Relate(id symID) {
	t := k.t
	k.relateHeld(id)
	mine := k.instanceValues(&t.syms[id])
	if mine == nil || t.syms[id].lo == t.syms[id].hi {
		return
	}
	self := t.syms[id].mem.slot
	for other := range t.syms[:id] {
		y := &t.syms[other]
		theirs := k.instanceValues(y)
		if theirs == nil || y.lo == y.hi || y.kind == selfSym && t.syms[id].kind == selfSym {
			continue
		}
		distance := span.None
		apart, a, b := true, t.actors[self], t.actors[y.mem.slot]
		for i, p := range a.procs {
			for j, q := range b.procs {
				if (p == q) == (y.mem.slot == self) { // the same process, or two different ones
					distance = distance.Join(span.Only(mine[i] - theirs[j]))
					apart = apart && mine[i] != theirs[j]
				}
			}
		}
		d := one(id).minus(one(symID(other)))
		switch {
		case distance.Single():
			t.facts = append(t.facts, t.atom(d.minus(constant(distance.Lo)), eqRel))
		case apart:
			t.facts = append(t.facts, t.atom(d, eqRel).not())
		}
	}
}

// named adds to literals one that is about a word and says what is known of it anyway.
func (k *assumption) named(lits []literal, word form) []literal {
	t := k.t
	switch s := &t.syms[word.terms[0].s]; {
	case s.hi != math.MaxInt64:
		return append(lits, t.atom(word.minus(constant(s.hi)), leRel))
	case s.lo != math.MinInt64:
		return append(lits, t.atom(constant(s.lo).minus(word), leRel))
	}
	return lits
}

// Use notes that what is known about the symbols of a form has settled something.
func (k *assumption) Use(f form) {
	t := k.t
	for _, x := range f.terms {
		if key, ok := k.factKey(&t.syms[x.s]); ok {
			if len(k.local[key]) > 0 {
				k.used[key] = true
			}
			if t.syms[x.s].wide {
				k.usedWide[key] = true
			}
		}
		k.useStepFacts(x.s)
	}
}

// sure is the range of a form, as far as facts and types tell; use says that the answer is relied on.
func (k *assumption) sure(f form) span.Span {
	t := k.t
	sum := span.Only(f.k)
	for _, x := range f.terms {
		sum = sum.Plus(k.sureSymbol(&t.syms[x.s]).Times(span.Only(x.c)))
	}
	return sum
}

func (k *assumption) sureSymbol(s *symbol) span.Span {
	b := span.Between(s.lo, s.hi)
	switch s.kind {
	case mulSym:
		return b.Meet(k.sure(s.idx[0]).Times(k.sure(s.idx[1])))
	case divSym, modSym:
		return b.Meet(k.sure(s.idx[0]).Over(k.sure(s.idx[1]), s.kind == modSym))
	}
	if key, ok := k.factKey(s); ok {
		k.asked[key] = true
		if w, known := k.wide[key]; known {
			b = b.Meet(w)
		}
	}
	return b
}

// Within reports whether a form lies in a range in every reachable state.
func (k *assumption) Within(f form, r span.Span) bool {
	if s := k.sure(f); s.Empty() || s.Lo < r.Lo || s.Hi > r.Hi {
		return false
	}
	k.rely(f)
	return true
}

// rely notes that the ranges of everything in a form have been used.
func (k *assumption) rely(f form) {
	t := k.t
	for _, x := range f.terms {
		s := &t.syms[x.s]
		if key, ok := k.factKey(s); ok {
			if _, known := k.wide[key]; known {
				k.usedWide[key] = true
			}
		}
		k.useStepFacts(x.s)
		if s.kind != wordSym {
			for _, i := range s.idx {
				k.rely(i)
			}
		}
	}
}

// UseAround notes the same for everything that the literals of a path connect with a direction.
func (k *assumption) UseAround(lits []literal, dir int) {
	t := k.t
	reached := map[symID]bool{}
	var reach func(terms []term)
	reach = func(terms []term) {
		for _, x := range terms {
			if !reached[x.s] {
				reached[x.s] = true
				t.use(form{terms: []term{x}})
				for _, f := range t.syms[x.s].idx {
					reach(f.terms)
				}
			}
		}
	}
	reach(t.dirs[dir].terms)
	for before := 0; before != len(reached); {
		before = len(reached)
		for _, list := range [][]literal{lits, t.facts} {
			for _, l := range list {
				terms := t.dirs[l.dir].terms
				if slices.ContainsFunc(terms, func(x term) bool { return reached[x.s] }) {
					reach(terms)
				}
			}
		}
	}
}
