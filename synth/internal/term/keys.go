package term

import (
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/reachable"
	"cdpor/synth/internal/span"
)

// relateCount adds what holds between a new symbol, how often a key is in a collection, and the size of that: it is not
// greater, and where a set of all keys there are has room for them, a missing key leaves room for itself.
func (t *Table) relateCount(id SymID) {
	s := t.Syms[id]
	p := s.Mem.Collection(s.Idx)
	if s.Mem.Off != p.Off {
		return
	}
	count := One(id)
	size := t.Word(p.Key(), p.Idx, p.Typ)
	t.Syms[id].Size = size.Terms[0].S
	t.Facts = append(t.Facts, t.Atom(count.Minus(size), LeRel))
	if n, roomy := t.roomy(p, s.Idx[len(p.Idx):]); roomy && p.Typ.Kind != step.Bag {
		t.Facts = append(t.Facts, t.Atom(size.Minus(count).Minus(Constant(n-1)), LeRel))
	}
}

// roomy reports whether a collection has room for all the keys that it can have, which are n, and a key is one of them
// in every state. One that may lie outside of their range may be missing from a full collection.
func (t *Table) roomy(p Place, key []Form) (n int64, is bool) {
	typ := p.Typ.Key()
	if !typ.Scalar() || len(key) != 1 {
		return 0, false
	}
	all := reachable.Leaf(typ)
	if t.Known != nil {
		all = t.Known.Keys(p)
	}
	if !all.Finite() || all.Empty() || uint64(all.Hi-all.Lo) >= uint64(p.Typ.Len) {
		return 0, false
	}
	return all.Hi - all.Lo + 1, t.inside(key[0], all) || t.Assumed() && t.Within(key[0], all)
}

// inside reports whether the type of what a form is made of keeps it within a span.
func (t *Table) inside(f Form, of span.Span) bool {
	lo, hi := f.K, f.K
	for _, y := range f.Terms {
		s := t.Syms[y.S].typed
		if !s.Finite() {
			return false
		}
		a, b := MulSafe(y.C, s.Lo), MulSafe(y.C, s.Hi)
		lo, hi = AddSafe(lo, min(a, b)), AddSafe(hi, max(a, b))
	}
	return lo >= of.Lo && hi <= of.Hi
}

// A Clause says of two keys of one set or map: both unknowns are not `count`, or the keys are equal, or the size is not
// `size`.
type Clause struct {
	A, B  SymID
	Count int64
	Key   Form // zero if the keys are equal
	Size  int64
}

// KeyClauses is what holds of each two of the symbols: if both keys are there, and they differ, then the size is not 1;
// if there is room for all keys there are and both are missing, only two less can be there.
func (t *Table) KeyClauses(ids []SymID) (all []Clause) {
	for i, a := range ids {
		u := &t.Syms[a]
		if u.Kind != WordSym || u.Mem.View != Keyed || u.Typ.Kind != step.Bool {
			continue
		}
		p := u.Mem.Collection(u.Idx)
		if u.Mem.Off != p.Off || len(u.Idx) != len(p.Idx)+1 {
			continue
		}
		for _, b := range ids[:i] {
			v := &t.Syms[b]
			if v.Mem != u.Mem || !EqualForms(u.Idx[:len(p.Idx)], v.Idx) {
				continue
			}
			key := u.Idx[len(p.Idx)].Minus(v.Idx[len(p.Idx)])
			all = append(all, Clause{a, b, 1, key, 1})
			n, roomy := t.roomy(p, u.Idx[len(p.Idx):])
			if _, other := t.roomy(p, v.Idx[len(p.Idx):]); roomy && other {
				all = append(all, Clause{a, b, 0, key, n - 1})
			}
		}
	}
	return all
}

// A Contents is what a known collection holds.
type Contents struct{ Elems [][]int64 }

// ContentsOf takes the words of a collection apart.
func ContentsOf(words []int64, t *step.Type) *Contents {
	l, each := &Contents{}, t.Elem.Words()
	for i := range int(words[0]) {
		l.Elems = append(l.Elems, slices.Clone(words[1+i*each:1+(i+1)*each]))
	}
	return l
}

// Find lists the elements of a key.
func (l *Contents) Find(key []int64) (at []int) {
	for i, e := range l.Elems {
		if slices.Equal(e[:len(key)], key) {
			at = append(at, i)
		}
	}
	return at
}

// Words are the words of the collection as states have them.
func (l *Contents) Words(t *step.Type) []Form {
	slices.SortFunc(l.Elems, slices.Compare[[]int64])
	all := make([]Form, 1, t.Words())
	all[0] = Constant(int64(len(l.Elems)))
	for _, e := range l.Elems {
		for _, w := range e {
			all = append(all, Constant(w))
		}
	}
	for len(all) < t.Words() {
		all = append(all, Constant(0))
	}
	return all
}

// Smallest is a value of a plain type.
func Smallest(t *step.Type) []int64 {
	words := make([]int64, 0, t.Words())
	switch {
	case t.Kind == step.Record:
		for _, f := range t.Fields {
			words = append(words, Smallest(f.Type)...)
		}
	case t.Kind == step.Range:
		words = append(words, max(t.Lo, min(t.Hi, 0)))
	default:
		words = words[:t.Words()]
	}
	return words
}

// KeyedWord is a word of the view by key in a concrete state; from are the words of the variable.
func KeyedWord(from []int64, s *Symbol, idx []int64) (int64, bool) {
	p := s.Mem.Collection(s.Idx)
	base, ok := WordAt(p.Key(), idx[:len(p.Idx)])
	if !ok {
		return 0, false
	}
	l, key := ContentsOf(from[base:], p.Typ), idx[len(p.Idx):]
	found := l.Find(key)
	if s.Mem.Off == p.Off {
		return int64(len(found)), true
	}
	if len(found) == 0 {
		return 0, false
	}
	return l.Elems[found[0]][s.Mem.Off-p.Off-1], true
}
