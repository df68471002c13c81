package synth

import (
	"math"
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/unsupported"
)

// A store is the memory of a run: what has been written since the unknown initial state, oldest first.
type store struct {
	mems   []memory
	starts []start // processes that have been started
}

type memory struct {
	key memKey
	typ *step.Type
	log []write
}

type write struct {
	idx   []form
	value form
}

func (s *store) clone() *store {
	c := &store{append([]memory(nil), s.mems...), s.starts[:len(s.starts):len(s.starts)]}
	for i := range c.mems { // appending to a shared log copies it
		l := c.mems[i].log
		c.mems[i].log = l[:len(l):len(l)]
	}
	return c
}

func (s *store) find(key memKey) *memory {
	for i := range s.mems {
		if s.mems[i].key == key {
			return &s.mems[i]
		}
	}
	return nil
}

// A place is a variable or a part of one: a run of words.
type place struct {
	slot int
	v    *step.Var
	off  int // see memKey
	view view
	idx  []form
	typ  *step.Type
}

func (p place) sub(off int, typ *step.Type, idx ...form) place {
	if len(idx) > 0 && p.typ.Sorted() {
		p.view = ordered
	}
	p.off += off
	p.typ = typ
	if len(idx) > 0 {
		p.idx = append(p.idx[:len(p.idx):len(p.idx)], idx...)
	}
	return p
}

func (p place) key() memKey { return memKey{slot: p.slot, v: p.v, off: p.off, view: p.view} }

// wordsOf lists the single words of a place, in the order of the state.
func (p place) wordsOf(yield func(place)) {
	switch p.typ.Kind {
	case step.Array:
		for i := range p.typ.Len {
			p.sub(0, p.typ.Elem, constant(int64(i))).wordsOf(yield)
		}
	case step.Record:
		for i, f := range p.typ.Fields {
			p.sub(p.typ.FieldAt(i), f.Type).wordsOf(yield)
		}
	case step.List, step.Queue, step.Set, step.Bag, step.Map:
		yield(p) // the size
		for i := range p.typ.Len {
			p.sub(1, p.typ.Elem, constant(int64(i))).wordsOf(yield)
		}
	case step.Option:
		yield(p.sub(0, step.BoolType)) // the presence
		p.sub(1, p.typ.Elem).wordsOf(yield)
	default:
		yield(p)
	}
}

// fieldWith is the field of a record that has a word.
func fieldWith(t *step.Type, word int) int {
	for i := len(t.Fields) - 1; ; i-- {
		if t.FieldAt(i) <= word && t.Fields[i].Type.Words() > 0 {
			return i
		}
	}
}

// indexed goes from a type, and the offset of a word in it when all indices are zero, to the elements that the first
// index of the word chooses from: their type, the offset in one of them, and how many there are at most.
func indexed(t *step.Type, off int) (elem *step.Type, rest, length int) {
	for {
		switch t.Kind {
		case step.Option:
			t, off = t.Elem, off-1
		case step.Record:
			f := fieldWith(t, off)
			t, off = t.Fields[f].Type, off-t.FieldAt(f)
		case step.Array:
			return t.Elem, off, t.Len
		default:
			return t.Elem, off - 1, t.Len
		}
	}
}

// maxWords bounds how many words of one value are handled one by one.
const maxWords = 256

func (x *run) read(p place) form {
	if x.seen != nil && p.slot == shared {
		*x.seen = append(*x.seen, p)
	}
	x.oneView(p)
	if m := x.st.find(p.key()); m != nil {
		return x.at(m.log, p)
	}
	return x.initial(p)
}

// at is the value of a word after what has been written to its family.
func (x *run) at(log []write, p place) form {
	x.o.spend(len(log) / 8)
	for i := len(log) - 1; i >= 0; i-- {
		if x.sameIndex(log[i].idx, p.idx) {
			return log[i].value
		}
	}
	return x.initial(p)
}

// sameIndex decides whether two index vectors are equal.
func (x *run) sameIndex(a, b []form) bool {
	for i := range a {
		if d := a[i].minus(b[i]); d.constant() && d.k != 0 {
			return false
		}
	}
	for i := range a {
		x.compareIndices(a[i], b[i])
		x.compareIndices(b[i], a[i])
		if !x.equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

// compareIndices notes that an index that is known by now has been compared with another one.
func (x *run) compareIndices(a, b form) {
	if !a.constant() || b.constant() || x.names == nil || !x.t.assumed() {
		return
	}
	for _, f := range x.settled {
		if r := x.path.reduce(f); r.k != a.k {
			continue
		}
		if d := f.minus(b); !d.constant() && len(d.terms) == 2 {
			if _, none := x.impossible(d, eqRel); !none {
				if l := x.t.atom(d, eqRel); !slices.Contains(x.also, l) {
					x.also = append(x.also, l)
				}
			}
		}
	}
}

// initial is the value of a word in the unknown state.
func (x *run) initial(p place) form {
	// everything is written when the call begins: only an index out of range, which has been raised
	if p.slot >= frames {
		return form{}
	}
	idx := p.idx
	for i, f := range idx {
		if r := x.reduce(f); len(r.terms) != len(f.terms) {
			idx = append([]form(nil), idx...)
			idx[i] = r
		}
	}
	if x.concrete != nil {
		word := p.off
		t, off := p.v.Type, p.off
		for _, f := range idx {
			if !f.constant() {
				panic(unsupported.Reason("an index of a concrete state is symbolic"))
			}
			t, off, _ = indexed(t, off)
			word += int(f.k) * t.Words()
		}
		return constant(x.concrete(p.slot, p.v, word))
	}
	if p.view != keyed && x.absent(p, idx) {
		return constant(0)
	}
	p.idx = idx
	return x.t.initial(p)
}

// absent tells whether a word of the unknown state is known to be unused, hence zero: an element beyond the size of its
// list, or the value of an option that is null.
func (x *run) absent(p place, idx []form) bool {
	at := place{slot: p.slot, v: p.v, typ: p.v.Type}
	for {
		switch at.typ.Kind {
		case step.Array:
			at = at.sub(0, at.typ.Elem, idx[len(at.idx)])
		case step.Record:
			f := fieldWith(at.typ, p.off-at.off)
			at = at.sub(at.typ.FieldAt(f), at.typ.Fields[f].Type)
		case step.List, step.Queue, step.Set, step.Bag, step.Map:
			if at.off == p.off && len(at.idx) == len(idx) {
				return false // the size itself
			}
			i := idx[len(at.idx)]
			if size := x.initial(at); i.constant() && x.upper(size) <= i.k {
				return true
			}
			at = at.sub(1, at.typ.Elem, i)
		case step.Option:
			if at.off == p.off && len(at.idx) == len(idx) {
				return false // the presence itself
			}
			if x.upper(x.initial(at.sub(0, step.BoolType))) == 0 {
				return true
			}
			at = at.sub(1, at.typ.Elem)
		default:
			return false
		}
	}
}

// upper is what the path says at most about the value of a word.
func (x *run) upper(f form) int64 {
	if f = x.reduce(f); f.constant() {
		return f.k
	}
	if len(f.terms) == 1 && f.terms[0].c == 1 && f.k == 0 {
		dir, _ := x.t.direction(f.terms)
		return x.interval(dir).hi
	}
	return math.MaxInt64
}

func (x *run) write(p place, value form) {
	x.oneView(p)
	m := x.st.find(p.key())
	if m == nil {
		x.st.mems = append(x.st.mems, memory{key: p.key(), typ: p.typ})
		m = &x.st.mems[len(x.st.mems)-1]
	}
	if len(p.idx) == 0 {
		m.log = []write{{nil, value}}
		return
	}
	m.log = append(m.log, write{p.idx, value})
}

// sameShared decides whether two stores agree on all shared variables.
func (x *run) sameShared(a, b *store) bool {
	return x.sameMemory(a, b, func(m memory) bool { return m.key.slot == shared })
}

// sameMemory decides whether two stores agree on the families of words that match, wherever one of them was written.
func (x *run) sameMemory(a, b *store, match func(memory) bool) bool {
	compare := func(m memory, other *memory, skip bool) bool {
		if !match(m) || skip && other != nil {
			return true
		}
		keys := m.key.view == keyed
		if keys && m.key.off != m.key.collection(m.log[0].idx).off {
			return true // values are compared together with their keys
		}
		var touched [][]form
		add := func(log []write) {
		next:
			for _, w := range log {
				for _, t := range touched {
					if equalForms(t, w.idx) {
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
		x.o.spend(len(touched) * len(touched) / 32)
		for _, idx := range touched {
			p := place{slot: m.key.slot, v: m.key.v, off: m.key.off, view: m.key.view, idx: idx, typ: m.typ}
			x.st = a
			u := x.read(p)
			x.st = b
			v := x.read(p)
			x.rememberDistance(u.minus(v))
			if !x.equal(u, v) {
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

// oneView makes sure that a run uses one view of a collection only, once it has written to it.
func (x *run) oneView(p place) {
	if p.view == direct {
		return
	}
	c := p.key().collection(p.idx)
	for i := range x.st.mems {
		k := x.st.mems[i].key
		if k.slot != p.slot || k.v != p.v || k.view == direct || k.view == p.view {
			continue
		}
		for _, w := range x.st.mems[i].log {
			if d := k.collection(w.idx); d.off == c.off && x.sameIndex(c.idx, d.idx) {
				panic(unsupported.Reason("a set, bag or map is used by key and as a whole"))
			}
		}
	}
}

func equalForms(a, b []form) bool {
	for i := range a {
		if !a[i].equal(b[i]) {
			return false
		}
	}
	return true
}
