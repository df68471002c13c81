package symbolic

import (
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/term"
	"cdpor/synth/internal/unsupported"
)

// Sets, bags and maps as the code of programs uses them: by key. The state keeps their elements in ascending order, and
// where one of them lies says how many smaller ones there are, which no condition should depend on. So a collection has
// two views. Ordered, its words are those of the state. By key, there is one unknown for each key that a question
// mentions, how often it is there, and if it is in a map, one for each word of its value; two mentions of the same key
// are the same unknown, as with elements of an array. Size is in both views.
//
// A run that has written elements in their order cannot look for keys; sorted.go has the order of a collection that has
// been changed by key. What is not told of the unknown state, that some other key must be there because the set is full
// and the like, only leaves states in the question that cannot be.

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
func (x *interpreter) byKey(e *step.Expr) term.Place {
	for at := e; at.Op != step.VarRef; at = at.Args[0] {
		if at.Op != step.Part && (at.Op != step.Index || at.Args[0].Type.Kind != step.Array) {
			panic(unsupported.Reason("a set, bag or map that is no variable, nor in an array or record, " +
				"is looked into"))
		}
	}
	if !plain(e.Type.Elem) || e.Type.Key().Words() == 0 {
		panic(unsupported.Reason("a set, bag or map has composite elements"))
	}
	p, _ := x.place(e)
	return p
}

// key evaluates what Has, Lookup and Drop look for; ok is false if the type of the keys does not have it.
func (x *interpreter) key(t *step.Type, e *step.Expr) (key []term.Form, ok bool) {
	if !t.Scalar() {
		key = x.stored(t, e)
	} else {
		key = []term.Form{x.Scalar(e)}
	}
	if x.Fault != step.NoFault {
		return nil, false
	}
	for i, f := range key {
		key[i] = x.Reduce(f)
	}
	ok = true
	if t.Kind == step.Range && !(e.Type.Kind == step.Range && e.Type.Lo >= t.Lo && e.Type.Hi <= t.Hi) {
		ok = !x.LessThan(key[0], term.Constant(t.Lo)) && !x.LessThan(term.Constant(t.Hi), key[0])
	}
	return key, ok
}

// has evaluates Has.
func (x *interpreter) has(e *step.Expr) bool {
	c := e.Args[0]
	if c.Op == step.Const {
		key, ok := x.key(c.Type.Key(), e.Args[1])
		each := c.Type.Elem.Words()
		for i := 0; ok && i < int(c.Words[0]); i++ {
			same := true
			for w, f := range key {
				same = same && x.Equal(f, term.Constant(c.Words[1+i*each+w]))
			}
			if same {
				return true
			}
		}
		return false
	}
	p := x.byKey(c)
	key, ok := x.key(p.Typ.Key(), e.Args[1])
	if x.Fault != step.NoFault || !ok {
		return false
	}
	if x.Concrete != nil {
		return len(x.contents(p).Find(numbers(key))) > 0
	}
	_, _, is := x.find(p, key)
	return is
}

// lookup evaluates Lookup.
func (x *interpreter) lookup(e *step.Expr) []term.Form {
	none := make([]term.Form, e.Type.Words())
	p := x.byKey(e.Args[0])
	key, ok := x.key(p.Typ.Key(), e.Args[1])
	if x.Fault != step.NoFault {
		return none
	}
	if x.Concrete != nil {
		l := x.contents(p)
		found := l.Find(numbers(key))
		if len(found) == 0 {
			x.raise(step.NoKey)
			return none
		}
		for i, w := range l.Elems[found[0]][len(key):] {
			none[i] = term.Constant(w)
		}
		return none
	}
	if ok {
		_, _, ok = x.find(p, key)
	}
	if !ok {
		x.raise(step.NoKey)
		return none
	}
	return x.all(p.ValueAt(key))
}

// changesInPlace reports whether a node puts something into the collection it assigns, or drops something from it.
func changesInPlace(n *step.Node) bool {
	return (n.Src.Op == step.Put || n.Src.Op == step.Drop) && step.Equal(n.Dst, n.Src.Args[0])
}

// changeByKey runs a node that changes a collection in place.
func (x *interpreter) changeByKey(n *step.Node) {
	if n.Src.Op == step.Drop {
		x.drop(n)
		return
	}
	elem := x.stored(n.Dst.Type.Elem, n.Src.Args[1])
	if x.Fault != step.NoFault {
		return
	}
	p := x.byKey(n.Dst)
	if x.Fault != step.NoFault {
		return
	}
	width := p.Typ.Key().Words()
	key, limit := make([]term.Form, width), term.Constant(int64(p.Typ.Len))
	for i := range key {
		key[i] = x.Reduce(elem[i])
	}
	if x.Concrete != nil {
		l := x.contents(p)
		if found := l.Find(numbers(key)); len(found) > 0 && p.Typ.Kind != step.Bag {
			l.Elems = slices.Delete(l.Elems, found[0], found[0]+1)
		}
		if len(l.Elems) >= p.Typ.Len {
			x.raise(step.Full)
			return
		}
		l.Elems = append(l.Elems, numbers(elem))
		x.store(p, l.Words(p.Typ))
		return
	}
	count := p.CountAt(key)
	is := false
	if p.Typ.Kind != step.Bag {
		_, _, is = x.find(p, key)
	}
	if !is {
		size := x.Reduce(x.Read(p))
		if x.AtMost(limit, size) {
			x.raise(step.Full)
			return
		}
		x.changed(p, key, true, nil)
		x.write(p, size.Plus(1, term.Constant(1)))
	}
	if p.Typ.Kind == step.Bag {
		x.write(count, x.Reduce(x.Read(count)).Plus(1, term.Constant(1)))
		return
	}
	x.write(count, term.Constant(1))
	if p.Typ.Kind == step.Map {
		x.store(p.ValueAt(key), elem[width:])
	}
}

func (x *interpreter) drop(n *step.Node) {
	p := x.byKey(n.Dst)
	key, ok := x.key(p.Typ.Key(), n.Src.Args[1])
	if x.Fault != step.NoFault || !ok {
		return
	}
	if x.Concrete != nil {
		l := x.contents(p)
		if found := l.Find(numbers(key)); len(found) > 0 {
			l.Elems = slices.Delete(l.Elems, found[0], found[0]+1)
			x.store(p, l.Words(p.Typ))
		}
		return
	}
	have, from, is := x.find(p, key)
	if !is {
		return
	}
	x.changed(p, key, false, from)
	if have = x.Reduce(have).Minus(term.Constant(1)); p.Typ.Kind != step.Bag {
		have = term.Constant(0)
	}
	x.write(p.CountAt(key), have)
	x.write(p, x.Reduce(x.Read(p)).Minus(term.Constant(1)))
}

// empty leaves nothing in a collection.
func (x *interpreter) empty(p term.Place) {
	if x.Fault != step.NoFault {
		return
	}
	x.changed(p, nil, false, nil)
	x.write(p.CountAt(nil), term.Constant(0))
	x.write(p, term.Constant(0))
}

// contents reads a collection in a concrete state.
func (x *interpreter) contents(p term.Place) *term.Contents {
	return term.ContentsOf(numbers(x.all(p)), p.Typ)
}

func numbers(words []term.Form) (list []int64) {
	for _, f := range words {
		if !f.Constant() {
			panic(unsupported.Reason("an element of a concrete state is symbolic"))
		}
		list = append(list, f.K)
	}
	return list
}
