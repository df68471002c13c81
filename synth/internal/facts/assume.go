package facts

import (
	"math"
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/reachable"
	"cdpor/synth/internal/span"
	"cdpor/synth/internal/term"
)

// An Assumption is what is known of the words of one question.
type Assumption struct {
	*Facts
	t     *term.Table
	about map[term.SymID][]Key // facts about the steps of the question that say something about shared variables
}

// Apply gives a table what is known of its words.
func (k *Facts) Apply(t *term.Table) {
	t.Known = &Assumption{Facts: k, t: t, about: map[term.SymID][]Key{}}
}

// Assumed reports whether questions are about reachable states only.
func (k *Assumption) Assumed() bool { return k.Assume }

// Named adds literals that are about words which facts of the steps are about, and say what is known of them anyway.
// Tables know of flag[p.self] what p knows about its own flag, and so of flag[p.k] where p.k was found to be p.self
// before it was read, but not the other way round.
func (k *Assumption) Named(lits []term.Literal) []term.Literal {
	t := k.t
	lits = slices.Clone(lits)
	for slot, p := range t.Actors {
		if p.At == nil {
			continue
		}
		for _, v := range k.Prog.Shared {
			for _, f := range reachable.Fields(v.Type) {
				index := k.together.OwnIndex(v, f.Off, p.Tmpl)
				if _, known := k.Wide[Key{At: p.At, V: v, Off: f.Off}]; !known || index == nil {
					continue
				}
				if i, ok := k.heldIndex(slot, index); ok {
					lits = k.named(lits, t.Word(term.MemKey{Slot: term.Shared, V: v, Off: f.Off}, []term.Form{i},
						reachable.FieldAt(v.Type, f.Off)))
				}
			}
		}
		for _, cond := range k.Held[p.At] {
			if mem, idx, ok := k.heldPlace(slot, cond.Args[0]); ok {
				lits = k.named(lits, t.Word(mem, idx, step.MutexType))
			}
		}
	}
	return lits
}

// Written is the range of a word that a step has written, which it lies in because what the step leads to from a
// reachable state is reachable. It reports false where there is none, or the value is a number in it.
func (k *Assumption) Written(m term.MemKey, v term.Form) (span.Span, bool) {
	if !k.Assume || m.Slot != term.Shared || m.View != term.Direct || reachable.FieldAt(m.V.Type, m.Off) == nil ||
		reachable.Optional(m.V.Type, m.Off) {
		return span.Any, false
	}
	within, known := span.Any, false
	for slot := range len(k.t.Actors) + 1 {
		key := Key{V: m.V, Off: m.Off}
		if slot > 0 {
			at := k.t.Actors[slot-1].At
			if at == nil || slot > 2 || k.together.OwnIndex(m.V, m.Off, at.Template) != nil {
				continue
			}
			key.At = at // the processes of the pair still stand there, and the third one does not
		}
		k.Asked[key] = true
		if r, is := k.Wide[key]; is {
			within, known = within.Meet(r), true
			k.Used.Wide[key] = true
		}
	}
	if !known || v.Constant() && v.K >= within.Lo && v.K <= within.Hi {
		return span.Any, false
	}
	return within, true
}

// Keys is the range of the keys that a collection has.
func (k *Assumption) Keys(p term.Place) span.Span {
	typ := p.Typ.Key()
	if key := (Key{V: p.V, Off: p.Off + 1}); k.Assume && p.Slot == term.Shared && p.Typ.Kind != step.Bag {
		k.Asked[key] = true
		if r, known := k.Wide[key]; known {
			k.Used.Wide[key] = true
			return r.Meet(reachable.Leaf(typ))
		}
	}
	return reachable.Leaf(typ)
}

// factKey is what facts know a symbol by.
func (k *Assumption) factKey(s *term.Symbol) (Key, bool) {
	t := k.t
	if s.Kind != term.WordSym || reachable.FieldAt(s.Mem.V.Type, s.Mem.Off) == nil ||
		s.Mem.View == term.Keyed && s.Mem.Off == s.Mem.Collection(s.Idx).Off { // how often a key is there
		return Key{}, false
	}
	if s.Mem.Slot == term.Shared {
		return Key{V: s.Mem.V, Off: s.Mem.Off}, true
	}
	at := t.Actors[s.Mem.Slot].At
	return Key{At: at, V: s.Mem.V, Off: s.Mem.Off}, at != nil
}

// Confine narrows the bounds of a new symbol to what is known.
func (k *Assumption) Confine(s *term.Symbol) {
	key, ok := k.factKey(s)
	if !ok {
		return
	}
	b := span.Between(s.Lo, s.Hi)
	if local, known := k.bounds(key); known {
		b = b.Meet(local)
	}
	k.Asked[key] = true
	if wide, known := k.Wide[key]; known && k.Assume && b.Meet(wide) != b {
		b, s.Wide = b.Meet(wide), true
	}
	b = k.confineSole(s, b)
	s.Lo, s.Hi = b.Lo, b.Hi
}

// instanceValues is the value of a symbol in each instance of its actor, nil unless all are known.
func (k *Assumption) instanceValues(s *term.Symbol) []int64 {
	t := k.t
	if s.Kind == term.SelfSym {
		var list []int64
		for _, p := range t.Actors[s.Mem.Slot].Procs {
			list = append(list, p.Self)
		}
		return list
	}
	if key, ok := k.factKey(s); ok && s.Mem.Slot != term.Shared {
		return k.values(key)
	}
	return nil
}

// Relate adds how a new symbol differs from others: never the same value in two processes, or always the same
// distance.
func (k *Assumption) Relate(id term.SymID) {
	t := k.t
	k.relateHeld(id)
	for other := range t.Syms[:id] {
		k.relateStarted(id, term.SymID(other))
		k.relateStarted(term.SymID(other), id)
	}
	mine := k.instanceValues(&t.Syms[id])
	if mine == nil || t.Syms[id].Lo == t.Syms[id].Hi {
		return
	}
	self := t.Syms[id].Mem.Slot
	for other := range t.Syms[:id] {
		y := &t.Syms[other]
		theirs := k.instanceValues(y)
		if theirs == nil || y.Lo == y.Hi || y.Kind == term.SelfSym && t.Syms[id].Kind == term.SelfSym {
			continue
		}
		distance := span.None
		apart, a, b := true, t.Actors[self], t.Actors[y.Mem.Slot]
		for i, p := range a.Procs {
			for j, q := range b.Procs {
				if (p == q) == (y.Mem.Slot == self) { // the same process, or two different ones
					distance = distance.Join(span.Only(mine[i] - theirs[j]))
					apart = apart && mine[i] != theirs[j]
				}
			}
		}
		d := term.One(id).Minus(term.One(term.SymID(other)))
		switch {
		case distance.Single():
			t.Facts = append(t.Facts, t.Atom(d.Minus(term.Constant(distance.Lo)), term.EqRel))
		case apart:
			t.Facts = append(t.Facts, t.Atom(d, term.EqRel).Not())
		}
	}
}

// relateStarted adds that a process is none of those that it has started, if one symbol is its number and the other one
// a local that refers to one of these.
func (k *Assumption) relateStarted(self, started term.SymID) {
	me, s := &k.t.Syms[self], &k.t.Syms[started]
	if me.Kind != term.SelfSym || s.Kind != term.WordSym || s.Mem.Slot != me.Mem.Slot || s.Typ.Ref == "" ||
		s.Mem.V.Type != s.Typ {
		return
	}
	tmpl := k.t.Actors[me.Mem.Slot].Tmpl
	if tmpl.Pool == nil || !k.onlyStarts(tmpl, s.Mem.V) {
		return
	}
	d := term.One(started).Minus(term.One(self)).Minus(term.Constant(int64(tmpl.Pool.First)))
	k.t.Facts = append(k.t.Facts, k.t.Atom(d, term.EqRel).Not())
}

// onlyStarts reports whether a local of a template gets its values from starts in its code only, or is null.
func (k *Facts) onlyStarts(tmpl *step.Template, v *step.Var) bool {
	started := func(n *step.Node) bool {
		switch {
		case n.Dst.Op != step.VarRef:
			return false
		case n.Kind == step.Spawn:
			return true
		case n.Kind != step.Assign:
			return false
		case n.Src.Op == step.Const:
			return n.Src.Words[0] == 0
		}
		return n.Src.Op == step.VarRef && n.Src.Var.Temp && !n.Src.Var.Shared && !v.Temp &&
			k.onlyStarts(tmpl, n.Src.Var)
	}
	for _, t := range k.Prog.Templates {
		for _, n := range t.Nodes {
			if t == tmpl && n.Dst != nil && n.Dst.Root() == v && !started(n) {
				return false
			}
			for i := range n.Args {
				if n.Kind == step.Spawn && n.Target == tmpl && tmpl.Parameter(i) == v {
					return false
				}
			}
		}
	}
	return true
}

// named adds to literals one that is about a word and says what is known of it anyway.
func (k *Assumption) named(lits []term.Literal, word term.Form) []term.Literal {
	t := k.t
	switch s := &t.Syms[word.Terms[0].S]; {
	case s.Hi != math.MaxInt64:
		return append(lits, t.Atom(word.Minus(term.Constant(s.Hi)), term.LeRel))
	case s.Lo != math.MinInt64:
		return append(lits, t.Atom(term.Constant(s.Lo).Minus(word), term.LeRel))
	}
	return lits
}

// Use notes that what is known about the symbols of a form has settled something.
func (k *Assumption) Use(f term.Form) {
	t := k.t
	for _, x := range f.Terms {
		if key, ok := k.factKey(&t.Syms[x.S]); ok {
			if len(k.Local[key]) > 0 {
				k.Used.Local[key] = true
			}
			if t.Syms[x.S].Wide {
				k.Used.Wide[key] = true
			}
		}
		k.useStepFacts(x.S)
	}
}

// sure is the range of a form, as far as facts and types tell; use says that the answer is relied on.
func (k *Assumption) sure(f term.Form) span.Span {
	t := k.t
	sum := span.Only(f.K)
	for _, x := range f.Terms {
		sum = sum.Plus(k.sureSymbol(&t.Syms[x.S]).Times(span.Only(x.C)))
	}
	return sum
}

func (k *Assumption) sureSymbol(s *term.Symbol) span.Span {
	b := span.Between(s.Lo, s.Hi)
	switch s.Kind {
	case term.MulSym:
		return b.Meet(k.sure(s.Idx[0]).Times(k.sure(s.Idx[1])))
	case term.DivSym, term.ModSym:
		return b.Meet(k.sure(s.Idx[0]).Over(k.sure(s.Idx[1]), s.Kind == term.ModSym))
	}
	if key, ok := k.factKey(s); ok {
		k.Asked[key] = true
		if w, known := k.Wide[key]; known {
			b = b.Meet(w)
		}
	}
	return b
}

// Within reports whether a form lies in a range in every reachable state.
func (k *Assumption) Within(f term.Form, r span.Span) bool {
	if s := k.sure(f); s.Empty() || s.Lo < r.Lo || s.Hi > r.Hi {
		return false
	}
	k.rely(f)
	return true
}

// rely notes that the ranges of everything in a form have been used.
func (k *Assumption) rely(f term.Form) {
	t := k.t
	for _, x := range f.Terms {
		s := &t.Syms[x.S]
		if key, ok := k.factKey(s); ok {
			if _, known := k.Wide[key]; known {
				k.Used.Wide[key] = true
			}
		}
		k.useStepFacts(x.S)
		if s.Kind != term.WordSym {
			for _, i := range s.Idx {
				k.rely(i)
			}
		}
	}
}

// UseAround notes the same for everything that the literals of a path connect with a direction.
func (k *Assumption) UseAround(lits []term.Literal, dir int) {
	t := k.t
	reached := map[term.SymID]bool{}
	var reach func(terms []term.Term)
	reach = func(terms []term.Term) {
		for _, x := range terms {
			if !reached[x.S] {
				reached[x.S] = true
				t.Use(term.Form{Terms: []term.Term{x}})
				for _, f := range t.Syms[x.S].Idx {
					reach(f.Terms)
				}
			}
		}
	}
	reach(t.Dirs[dir].Terms)
	for before := 0; before != len(reached); {
		before = len(reached)
		for _, list := range [][]term.Literal{lits, t.Facts} {
			for _, l := range list {
				terms := t.Dirs[l.Dir].Terms
				if slices.ContainsFunc(terms, func(x term.Term) bool { return reached[x.S] }) {
					reach(terms)
				}
			}
		}
	}
}
