package synth

import (
	"fmt"
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/reachable"
	"cdpor/synth/internal/span"
	"cdpor/synth/internal/unsupported"
)

// Sets, bags and maps as the code of programs uses them: by key. The state keeps their elements in ascending order, and
// where one of them lies says how many smaller ones there are, which no condition should depend on. So a collection has
// two views. Ordered, its words are those of the state. By key, there is one unknown for each key that a question
// mentions, how often it is there, and if it is in a map, one for each word of its value; two mentions of the same key
// are the same unknown, as with elements of an array. Size is in both views.
//
// The views are never mixed: a run that has written one of them cannot read the other. What is not told of the unknown
// state, that some other key must be there because the set is full and the like, only leaves states in the question
// that cannot be.

// view tells what the last indices of a word mean.
type view uint8

const (
	direct  view = iota // the word is no part of an element of a set, bag or map
	ordered             // how many elements come before this one
	keyed               // the key
)

// plain types have values whose words are there whatever the value is.
func plain(t *step.Type) bool {
	switch t.Kind {
	case step.Record:
		return !slices.ContainsFunc(t.Fields, func(f step.Field) bool { return !plain(f.Type) })
	case step.Option:
		return plain(t.Elem)
	}
	return t.Scalar()
}

// byKey is the place of a collection whose elements are looked at by key.
func (x *run) byKey(e *step.Expr) place {
	for at := e; at.Op != step.VarRef; at = at.Args[0] {
		if at.Op != step.Part && (at.Op != step.Index || at.Args[0].Type.Kind != step.Array) {
			panic(unsupported.Reason("a set, bag or map that is no variable, nor in an array or record, is looked into"))
		}
	}
	if !plain(e.Type.Elem) || e.Type.Key().Words() == 0 {
		panic(unsupported.Reason("a set, bag or map has composite elements"))
	}
	p, _ := x.place(e)
	return p
}

// countAt is how often a key is in a collection; in a set or map that is a Boolean.
func (p place) countAt(key []form) place {
	p.idx = append(p.idx[:len(p.idx):len(p.idx)], key...)
	p.view = keyed
	if p.typ.Kind != step.Bag {
		p.typ = step.BoolType
	}
	return p
}

// valueAt is the value that a map has for a key.
func (p place) valueAt(key []form) place {
	p.off += 1 + len(key)
	p.idx = append(p.idx[:len(p.idx):len(p.idx)], key...)
	p.view, p.typ = keyed, p.typ.Elem.Fields[1].Type
	return p
}

// collection is the set, bag or map that a word in the view by key belongs to.
func (m memKey) collection(idx []form) place {
	at := place{slot: m.slot, v: m.v, typ: m.v.Type}
	for !at.typ.Sorted() {
		if at.typ.Kind == step.Array {
			at = at.sub(0, at.typ.Elem, idx[len(at.idx)])
			continue
		}
		f := fieldWith(at.typ, m.off-at.off)
		at = at.sub(at.typ.FieldAt(f), at.typ.Fields[f].Type)
	}
	return at
}

// key evaluates what Has, Lookup and Drop look for; ok is false if the type of the keys does not have it.
func (x *run) key(t *step.Type, e *step.Expr) (key []form, ok bool) {
	if !t.Scalar() {
		key = x.stored(t, e)
	} else {
		key = []form{x.scalar(e)}
	}
	if x.fault != step.NoFault {
		return nil, false
	}
	for i, f := range key {
		key[i] = x.reduce(f)
	}
	ok = true
	if t.Kind == step.Range && !(e.Type.Kind == step.Range && e.Type.Lo >= t.Lo && e.Type.Hi <= t.Hi) {
		ok = !x.lessThan(key[0], constant(t.Lo)) && !x.lessThan(constant(t.Hi), key[0])
	}
	return key, ok
}

// has evaluates Has.
func (x *run) has(e *step.Expr) bool {
	c := e.Args[0]
	if c.Op == step.Const {
		key, ok := x.key(c.Type.Key(), e.Args[1])
		each := c.Type.Elem.Words()
		for i := 0; ok && i < int(c.Words[0]); i++ {
			same := true
			for w, f := range key {
				same = same && x.equal(f, constant(c.Words[1+i*each+w]))
			}
			if same {
				return true
			}
		}
		return false
	}
	p := x.byKey(c)
	key, ok := x.key(p.typ.Key(), e.Args[1])
	if x.fault != step.NoFault || !ok {
		return false
	}
	if x.concrete != nil {
		return len(x.contents(p).find(numbers(key))) > 0
	}
	return !x.zero(x.read(p.countAt(key)))
}

// lookup evaluates Lookup.
func (x *run) lookup(e *step.Expr) []form {
	none := make([]form, e.Type.Words())
	p := x.byKey(e.Args[0])
	key, ok := x.key(p.typ.Key(), e.Args[1])
	if x.fault != step.NoFault {
		return none
	}
	if x.concrete != nil {
		l := x.contents(p)
		found := l.find(numbers(key))
		if len(found) == 0 {
			x.raise(step.NoKey)
			return none
		}
		for i, w := range l.elems[found[0]][len(key):] {
			none[i] = constant(w)
		}
		return none
	}
	if !ok || x.zero(x.read(p.countAt(key))) {
		x.raise(step.NoKey)
		return none
	}
	var all []form
	p.valueAt(key).wordsOf(func(w place) { all = append(all, x.read(w)) })
	return all
}

// changesInPlace tells whether a node puts something into the collection it assigns, or drops something from it.
func changesInPlace(n *step.Node) bool {
	return (n.Src.Op == step.Put || n.Src.Op == step.Drop) && step.Equal(n.Dst, n.Src.Args[0])
}

// changeByKey runs a node that changes a collection in place.
func (x *run) changeByKey(n *step.Node) {
	if n.Src.Op == step.Drop {
		x.drop(n)
		return
	}
	elem := x.stored(n.Dst.Type.Elem, n.Src.Args[1])
	if x.fault != step.NoFault {
		return
	}
	p := x.byKey(n.Dst)
	if x.fault != step.NoFault {
		return
	}
	width := p.typ.Key().Words()
	key, limit := make([]form, width), constant(int64(p.typ.Len))
	for i := range key {
		key[i] = x.reduce(elem[i])
	}
	if x.concrete != nil {
		l := x.contents(p)
		if found := l.find(numbers(key)); len(found) > 0 && p.typ.Kind != step.Bag {
			l.elems = slices.Delete(l.elems, found[0], found[0]+1)
		}
		if len(l.elems) >= p.typ.Len {
			x.raise(step.Full)
			return
		}
		l.elems = append(l.elems, numbers(elem))
		x.store(p, l.words(p.typ))
		return
	}
	count := p.countAt(key)
	have := x.read(count)
	if p.typ.Kind == step.Bag || x.zero(have) {
		size := x.reduce(x.read(p))
		if x.atMost(limit, size) {
			x.raise(step.Full)
			return
		}
		x.write(p, size.plus(1, constant(1)))
	}
	if p.typ.Kind == step.Bag {
		x.write(count, x.reduce(have).plus(1, constant(1)))
		return
	}
	x.write(count, constant(1))
	if p.typ.Kind == step.Map {
		x.store(p.valueAt(key), elem[width:])
	}
}

func (x *run) drop(n *step.Node) {
	p := x.byKey(n.Dst)
	key, ok := x.key(p.typ.Key(), n.Src.Args[1])
	if x.fault != step.NoFault || !ok {
		return
	}
	if x.concrete != nil {
		l := x.contents(p)
		if found := l.find(numbers(key)); len(found) > 0 {
			l.elems = slices.Delete(l.elems, found[0], found[0]+1)
			x.store(p, l.words(p.typ))
		}
		return
	}
	count := p.countAt(key)
	have := x.reduce(x.read(count))
	if x.zero(have) {
		return
	}
	x.write(count, x.reduce(have).minus(constant(1)))
	x.write(p, x.reduce(x.read(p)).minus(constant(1)))
}

// sameValues decides whether two stores have the same value for a key of a map, once it is known that both have the
// key, or neither.
func (x *run) sameValues(a, b *store, m memory, idx []form) bool {
	p := m.key.collection(idx)
	key := idx[len(p.idx):]
	x.st = a
	if p.typ.Kind != step.Map || x.zero(x.read(p.countAt(key))) {
		return true
	}
	same := true
	p.valueAt(key).wordsOf(func(w place) {
		if !same {
			return
		}
		x.st = a
		u := x.read(w)
		x.st = b
		same = x.equal(u, x.read(w))
	})
	return same
}

// A contents is what a known collection holds.
type contents struct{ elems [][]int64 }

// contents reads a collection in a concrete state.
func (x *run) contents(p place) *contents {
	var words []form
	p.wordsOf(func(w place) { words = append(words, x.read(w)) })
	return contentsOf(numbers(words), p.typ)
}

// contentsOf takes the words of a collection apart.
func contentsOf(words []int64, t *step.Type) *contents {
	l, each := &contents{}, t.Elem.Words()
	for i := range int(words[0]) {
		l.elems = append(l.elems, slices.Clone(words[1+i*each:1+(i+1)*each]))
	}
	return l
}

func numbers(words []form) (list []int64) {
	for _, f := range words {
		if !f.constant() {
			panic(unsupported.Reason("an element of a concrete state is symbolic"))
		}
		list = append(list, f.k)
	}
	return list
}

// find lists the elements of a key.
func (l *contents) find(key []int64) (at []int) {
	for i, e := range l.elems {
		if slices.Equal(e[:len(key)], key) {
			at = append(at, i)
		}
	}
	return at
}

// words are the words of the collection as states have them.
func (l *contents) words(t *step.Type) []form {
	slices.SortFunc(l.elems, slices.Compare[[]int64])
	all := make([]form, 1, t.Words())
	all[0] = constant(int64(len(l.elems)))
	for _, e := range l.elems {
		for _, w := range e {
			all = append(all, constant(w))
		}
	}
	for len(all) < t.Words() {
		all = append(all, constant(0))
	}
	return all
}

// relateCount adds what holds between a new symbol, how often a key is in a collection, and the size of that: it is not
// greater, and where a set of all keys there are has room for them, a missing key leaves room for itself.
func (t *table) relateCount(id symID) {
	s := t.syms[id]
	p := s.mem.collection(s.idx)
	if s.mem.off != p.off {
		return
	}
	count := one(id)
	size := t.word(p.key(), p.idx, p.typ)
	t.syms[id].size = size.terms[0].s
	t.facts = append(t.facts, t.atom(count.minus(size), leRel))
	if n, roomy := t.roomy(p, s.idx[len(p.idx):]); roomy && p.typ.Kind != step.Bag {
		t.facts = append(t.facts, t.atom(size.minus(count).minus(constant(n-1)), leRel))
	}
}

// roomy tells whether a collection has room for all the keys there are, which are n, and a key is one of them in every
// state. One that may lie outside of their range may be missing from a full collection.
func (t *table) roomy(p place, key []form) (n int64, is bool) {
	typ := p.typ.Key()
	n, finite := values(typ)
	return n, finite && n <= int64(p.typ.Len) && len(key) == 1 && t.inside(key[0], reachable.Leaf(typ))
}

// inside tells whether the type of what a form is made of keeps it within a span.
func (t *table) inside(f form, of span.Span) bool {
	lo, hi := f.k, f.k
	for _, y := range f.terms {
		s := t.syms[y.s].typed
		if !s.Finite() {
			return false
		}
		a, b := mulSafe(y.c, s.Lo), mulSafe(y.c, s.Hi)
		lo, hi = addSafe(lo, min(a, b)), addSafe(hi, max(a, b))
	}
	return lo >= of.Lo && hi <= of.Hi
}

// values is how many values a type has, if they are few.
func values(t *step.Type) (n int64, finite bool) {
	if s := reachable.Leaf(t); t.Scalar() && s.Finite() && s.Hi-s.Lo < 1<<20 {
		return s.Hi - s.Lo + 1, true
	}
	return 0, false
}

// A clause says of two keys of one set or map: both unknowns are not `count`, or the keys are equal, or the size is not
// `size`.
type clause struct {
	a, b  symID
	count int64
	key   form // zero if the keys are equal
	size  int64
}

// keyClauses is what holds of each two of the symbols: if both keys are there, and they differ, then the size is not 1;
// if there is room for all keys there are and both are missing, only two less can be there.
func (t *table) keyClauses(ids []symID) (all []clause) {
	for i, a := range ids {
		u := &t.syms[a]
		if u.kind != wordSym || u.mem.view != keyed || u.typ.Kind != step.Bool {
			continue
		}
		p := u.mem.collection(u.idx)
		if u.mem.off != p.off || len(u.idx) != len(p.idx)+1 {
			continue
		}
		for _, b := range ids[:i] {
			v := &t.syms[b]
			if v.mem != u.mem || !equalForms(u.idx[:len(p.idx)], v.idx) {
				continue
			}
			key := u.idx[len(p.idx)].minus(v.idx[len(p.idx)])
			all = append(all, clause{a, b, 1, key, 1})
			n, roomy := t.roomy(p, u.idx[len(p.idx):])
			if _, other := t.roomy(p, v.idx[len(p.idx):]); roomy && other {
				all = append(all, clause{a, b, 0, key, n - 1})
			}
		}
	}
	return all
}

// keyedWord is a word of the view by key in a concrete state; from are the words of the variable.
func keyedWord(from []int64, s *symbol, idx []int64) (int64, bool) {
	p := s.mem.collection(s.idx)
	base, ok := wordAt(p.key(), idx[:len(p.idx)])
	if !ok {
		return 0, false
	}
	l, key := contentsOf(from[base:], p.typ), idx[len(p.idx):]
	found := l.find(key)
	if s.mem.off == p.off {
		return int64(len(found)), true
	}
	if len(found) == 0 {
		return 0, false
	}
	return l.elems[found[0]][s.mem.off-p.off-1], true
}

// collections gives the collections of a world elements, from what is decided of their keys; it reports false if there
// are no fitting ones.
func (w *world) collections(t *table, fixed map[symID]int64) bool {
	type partial struct {
		p        place
		size     int64
		elems    map[string][]int64 // by key
		counts   map[string]int64
		mentions []string // keys, in the order of the symbols
	}
	var order []worldKey
	all := map[worldKey]*partial{}
	for id := range t.syms {
		s := &t.syms[id]
		if s.kind != wordSym || s.mem.view != keyed {
			continue
		}
		var idx []int64
		for _, f := range s.idx {
			v, known := f.valueIn(fixed)
			if !known {
				return false
			}
			idx = append(idx, v)
		}
		p := s.mem.collection(s.idx)
		base, ok := wordAt(p.key(), idx[:len(p.idx)])
		if !ok {
			continue
		}
		at := worldKey{p.slot, p.v, base}
		c := all[at]
		if c == nil {
			c = &partial{p: p, elems: map[string][]int64{}, counts: map[string]int64{}}
			all[at], order = c, append(order, at)
		}
		key := idx[len(p.idx):]
		name := fmt.Sprint(key)
		elem := c.elems[name]
		if elem == nil {
			elem = append(slices.Clone(key), smallest(p.typ.Elem)[len(key):]...)
			c.elems[name], c.mentions = elem, append(c.mentions, name)
		}
		if s.mem.off != p.off {
			elem[s.mem.off-p.off-1] = fixed[symID(id)]
			continue
		}
		c.counts[name], c.size = fixed[symID(id)], fixed[s.size]
	}
	for _, at := range order {
		c, l := all[at], &contents{}
		for _, name := range c.mentions {
			for range c.counts[name] {
				l.elems = append(l.elems, c.elems[name])
			}
		}
		key := c.p.typ.Key()
		// Others are keys that no question mentions.
		for next := max(reachable.Leaf(key).Lo, 0); int64(len(l.elems)) < c.size; next++ {
			if !key.Scalar() || key.Kind == step.Mutex || next > reachable.Leaf(key).Hi || next > 1<<7 {
				return false
			}
			if c.elems[fmt.Sprint([]int64{next})] == nil {
				l.elems = append(l.elems, append([]int64{next}, smallest(c.p.typ.Elem)[1:]...))
			}
		}
		if int64(len(l.elems)) != c.size {
			return false
		}
		for i, f := range l.words(c.p.typ) {
			w.values[worldKey{at.slot, at.v, at.word + i}] = f.k
		}
	}
	return true
}

// smallest is a value of a plain type.
func smallest(t *step.Type) []int64 {
	words := make([]int64, 0, t.Words())
	switch {
	case t.Kind == step.Record:
		for _, f := range t.Fields {
			words = append(words, smallest(f.Type)...)
		}
	case t.Kind == step.Range:
		words = append(words, max(t.Lo, min(t.Hi, 0)))
	default:
		words = words[:t.Words()]
	}
	return words
}

// valueIn is the value of a sum of symbols that are known.
func (f form) valueIn(fixed map[symID]int64) (sum int64, known bool) {
	sum = f.k
	for _, y := range f.terms {
		v, ok := fixed[y.s]
		if !ok {
			return 0, false
		}
		sum += y.c * v
	}
	return sum, true
}
