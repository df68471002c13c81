package symbolic

import (
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/term"
	"cdpor/synth/internal/unsupported"
)

// A Store is the memory of a run: what has been written since the unknown initial state, oldest first.
type Store struct {
	mems    []memory
	changes []change
	starts  []start // processes that have been started
}

// A state is the state of a run: an unknown one that it began in, and what has been written since.
type state struct {
	*Path
	Store    *Store
	Concrete func(slot int, v *step.Var, word int) int64 // the initial state, when it is a known one
	seen     *[]term.Place                               // what is read, if somebody wants to know
}

type memory struct {
	key term.MemKey
	typ *step.Type
	log []write
}

type write struct {
	idx   []term.Form
	value term.Form
}

func (s *Store) Clone() *Store {
	c := &Store{append([]memory(nil), s.mems...), slices.Clip(s.changes), slices.Clip(s.starts)}
	for i := range c.mems { // appending to a shared log copies it
		l := c.mems[i].log
		c.mems[i].log = l[:len(l):len(l)]
	}
	return c
}

func (s *Store) find(key term.MemKey) *memory {
	for i := range s.mems {
		if s.mems[i].key == key {
			return &s.mems[i]
		}
	}
	return nil
}

// frames is the first slot of a call (call.go).
const frames = 3

// maxWords bounds how many words of one value are handled one by one.
const maxWords = 256

func (x *state) Read(p term.Place) term.Form {
	if x.seen != nil && p.Slot == term.Shared {
		*x.seen = append(*x.seen, p)
	}
	x.oneView(p, false)
	if m := x.Store.find(p.Key()); m != nil {
		return x.at(m.log, p)
	}
	return x.unwritten(p)
}

// all are the words of a place.
func (x *state) all(p term.Place) (words []term.Form) {
	p.WordsOf(func(w term.Place) { words = append(words, x.Read(w)) })
	return words
}

// at is the value of a word after what has been written to its family.
func (x *state) at(log []write, p term.Place) term.Form {
	x.Oracle.Spend(len(log) / 8)
	for i := len(log) - 1; i >= 0; i-- {
		if x.sameIndex(log[i].idx, p.Idx) {
			return log[i].value
		}
	}
	return x.unwritten(p)
}

// sameIndex decides whether two index vectors are equal.
func (x *state) sameIndex(a, b []term.Form) bool {
	for i := range a {
		if a[i].Constant() && b[i].Constant() {
			if a[i].K != b[i].K {
				return false
			}
		} else if d := a[i].Minus(b[i]); d.Constant() && d.K != 0 {
			return false
		}
	}
	for i := range a {
		if a[i].Constant() && b[i].Constant() {
			continue
		}
		x.compareIndices(a[i], b[i])
		x.compareIndices(b[i], a[i])
		if !x.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

// compareIndices notes that an index that is known by now has been compared with another one.
func (x *state) compareIndices(a, b term.Form) {
	if !a.Constant() || b.Constant() || x.Names == nil || !x.Table.Assumed() {
		return
	}
	for _, f := range x.settled {
		if r := x.Path.Reduce(f); r.K != a.K {
			continue
		}
		if d := f.Minus(b); !d.Constant() && len(d.Terms) == 2 {
			if !d.NoZero() {
				if l := x.Table.Atom(d, term.EqRel); !slices.Contains(x.Also, l) {
					x.Also = append(x.Also, l)
				}
			}
		}
	}
}

// initial is the value of a word in the unknown state.
func (x *state) initial(p term.Place) term.Form {
	// everything is written when the call begins: only an index out of range, which has been raised
	if p.Slot >= frames {
		return term.Form{}
	}
	idx := p.Idx
	for i, f := range idx {
		if r := x.Reduce(f); len(r.Terms) != len(f.Terms) {
			idx = append([]term.Form(nil), idx...)
			idx[i] = r
		}
	}
	if x.Concrete != nil {
		word := p.Off
		t, off := p.V.Type, p.Off
		for _, f := range idx {
			if !f.Constant() {
				panic(unsupported.Reason("an index of a concrete state is symbolic"))
			}
			t, off, _ = term.Indexed(t, off)
			word += int(f.K) * t.Words()
		}
		return term.Constant(x.Concrete(p.Slot, p.V, word))
	}
	if x.absent(p, idx) {
		return term.Constant(0)
	}
	p.Idx = idx
	return x.Table.Initial(p)
}

// absent reports whether a word of the unknown state is known to be unused, hence zero: an element beyond the size of
// its list, or the value of an option that is null. Of a word that cannot be zero where it is used this is decided, as
// values are compared and copied word by word, also where both are null.
func (x *state) absent(p term.Place, idx []term.Form) bool {
	at, never := term.PlaceOf(p.Slot, p.V), p.Typ.Kind == step.Range && (p.Typ.Lo > 0 || p.Typ.Hi < 0)
	for {
		switch at.Typ.Kind {
		case step.Array:
			at = at.Sub(0, at.Typ.Elem, idx[len(at.Idx)])
		case step.Record:
			f := term.FieldWith(at.Typ, p.Off-at.Off)
			at = at.Sub(at.Typ.FieldAt(f), at.Typ.Fields[f].Type)
		case step.List, step.Queue, step.Set, step.Bag, step.Map:
			if at.Off == p.Off && len(at.Idx) == len(idx) {
				return false // the size itself
			}
			if p.View == term.Keyed {
				if at.Off == p.Off {
					return false // how often a key is there
				}
				at = at.ValueAt(idx[len(at.Idx):])
				continue
			}
			i := idx[len(at.Idx)]
			if size := x.initial(at); x.upper(size.Minus(i)) <= 0 ||
				(never || x.nonzero(p, idx)) && x.AtMost(size, i) {
				return true
			}
			at = at.Sub(1, at.Typ.Elem, i)
		case step.Option:
			if at.Off == p.Off && len(at.Idx) == len(idx) {
				return false // the presence itself
			}
			if there := x.initial(at.Sub(0, step.BoolType)); x.upper(there) == 0 ||
				(never || x.nonzero(p, idx)) && x.zero(there) {
				return true
			}
			at = at.Sub(1, at.Typ.Elem)
		default:
			return false
		}
	}
}

// nonzero reports whether facts say that a word is not zero where it is used.
func (x *state) nonzero(p term.Place, idx []term.Form) bool {
	s := &x.Table.Syms[x.Table.Word(p.Key(), idx, p.Typ).Terms[0].S]
	return s.Lo > 0 || s.Hi < 0
}

func (x *state) write(p term.Place, value term.Form) {
	x.oneView(p, true)
	m := x.Store.find(p.Key())
	if m == nil {
		x.Store.mems = append(x.Store.mems, memory{key: p.Key(), typ: p.Typ})
		m = &x.Store.mems[len(x.Store.mems)-1]
	}
	if len(p.Idx) == 0 {
		m.log = []write{{nil, value}}
		return
	}
	m.log = append(m.log, write{p.Idx, value})
}

// sameShared decides whether two stores agree on all shared variables.
func (x *state) sameShared(a, b *Store) bool {
	return x.sameMemory(a, b, func(m memory) bool { return m.key.Slot == term.Shared })
}

// sameMemory decides whether two stores agree on the families of words that match, wherever one of them was written.
func (x *state) sameMemory(a, b *Store, match func(memory) bool) bool {
	compare := func(m memory, other *memory, skip bool) bool {
		if !match(m) || skip && other != nil {
			return true
		}
		keys := m.key.View == term.Keyed
		if keys && m.key.Off != m.key.Collection(m.log[0].idx).Off {
			return true // values are compared together with their keys
		}
		var touched [][]term.Form
		add := func(log []write) {
		next:
			for _, w := range log {
				if keys && len(w.idx) == len(m.key.Collection(w.idx).Idx) {
					continue // emptied: what is in there now has been added since, and the sizes agree
				}
				for _, t := range touched {
					if term.EqualForms(t, w.idx) {
						continue next
					}
				}
				touched = append(touched, w.idx)
			}
		}
		add(m.log)
		if other != nil {
			add(other.log)
		}
		x.Oracle.Spend(len(touched) * len(touched) / 32)
		for _, idx := range touched {
			p := term.Place{Slot: m.key.Slot, V: m.key.V, Off: m.key.Off, View: m.key.View, Idx: idx, Typ: m.typ}
			x.Store = a
			u := x.Read(p)
			x.Store = b
			v := x.Read(p)
			x.rememberDistance(u.Minus(v))
			if !x.Equal(u, v) {
				return false
			}
			if keys && !x.sameValues(a, b, m, idx) {
				return false
			}
		}
		return true
	}
	for _, m := range a.mems {
		if !compare(m, b.find(m.key), false) {
			return false
		}
	}
	for _, m := range b.mems {
		if !compare(m, a.find(m.key), true) {
			return false
		}
	}
	return true
}

// oneView makes sure that a run uses one view of a collection only, once it has written to it, unless it looks at
// elements in their order after changes by key.
func (x *state) oneView(p term.Place, writes bool) {
	if p.View == term.Direct {
		return
	}
	c := p.Key().Collection(p.Idx)
	if p.View == term.Ordered && !writes && (c.Typ.Kind != step.Map || x.emptied(c)) {
		return
	}
	for i := range x.Store.mems {
		k := x.Store.mems[i].key
		if k.Slot != p.Slot || k.V != p.V || k.View == term.Direct || k.View == p.View {
			continue
		}
		for _, w := range x.Store.mems[i].log {
			if d := k.Collection(w.idx); d.Off == c.Off && x.sameIndex(c.Idx, d.Idx) {
				panic(unsupported.Reason(twoViews))
			}
		}
	}
}

// Seeing evaluates something and lists the shared words that were read for it.
func (x *state) Seeing(f func()) (words []term.Place) {
	before := x.seen
	x.seen = &words
	defer func() { x.seen = before }()
	f()
	return words
}

// A start is a process that a run has started, and what was given to it, if that is not in shared variables.
type start struct {
	name int // its place in run.started
	slot int // of the process whose step starts it
	args []term.Form
}

// A processName is what an identity depends on.
type processName struct {
	node    *step.Node // that starts the process, or another one that counts in the same variable
	creator term.Form
	before  term.Form
	// The symbols of the identity: the first start that asked for the name, and its number among those of its step.
	slot, number int
}

// sameValues decides whether two stores have the same value for a key of a map, once it is known that both have the
// key, or neither.
func (x *state) sameValues(a, b *Store, m memory, idx []term.Form) bool {
	p := m.key.Collection(idx)
	key := idx[len(p.Idx):]
	x.Store = a
	if p.Typ.Kind != step.Map || x.zero(x.Read(p.CountAt(key))) {
		return true
	}
	same := true
	p.ValueAt(key).WordsOf(func(w term.Place) {
		if !same {
			return
		}
		x.Store = a
		u := x.Read(w)
		x.Store = b
		same = x.Equal(u, x.Read(w))
	})
	return same
}
