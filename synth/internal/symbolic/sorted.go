package symbolic

import (
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/term"
	"cdpor/synth/internal/unsupported"
)

// Elements of a set or bag by their place in its order: the least one of a bag that is a priority queue, and the like.
// A run that has changed the collection by key knows what it has added and dropped since the unknown state, so the i-th
// element is that of the unknown state, one beside it, or an added one, and comparisons with what was added and dropped
// tell which. An element that a run has looked at is there, so dropping it takes no question.

// maxOrdered bounds the leaves of an exploration for a condition that looks at elements in their order after changes by
// key. Loops over all of them, and messages that are chosen by their number, have many, and conditions that nobody
// reads. To prove a condition, which asks of the order itself, takes more.
const maxOrdered = 60

const twoViews = "a set, bag or map is used by key and as a whole"

// A change is what a run has done to a collection by key.
type change struct {
	id    int // differs from that of every other change of the path
	at    term.Place
	key   []term.Form // nil: the collection was emptied
	added bool        // or dropped
	size  term.Form   // before
	from  *term.Form  // the place in the order that the key was dropped from, if that is known
}

// A look is an element that a run has looked at, by its place in the order, or a key that is missing in the unknown
// state.
type look struct {
	at    term.Place
	after int // the last change of the collection then, 0 if there was none
	index term.Form
	key   []term.Form
}

// of reports whether a look was at a collection, as far as the names of the two tell.
func (l *look) of(at term.Place) bool {
	return l.at.Key() == at.Key() && term.EqualForms(l.at.Idx, at.Idx)
}

// changed notes that a run is about to add a key to a collection or to drop it.
func (x *state) changed(at term.Place, key []term.Form, added bool, from *term.Form) {
	x.Path.changes++
	x.Store.changes = append(x.Store.changes,
		change{id: x.Path.changes, at: at, key: key, added: added, size: x.Reduce(x.Read(at)), from: from})
}

// changesOf are the changes of a collection, oldest first.
func (x *state) changesOf(at term.Place) (list []change) {
	for _, c := range x.Store.changes {
		if c.at.Key() == at.Key() && x.sameIndex(c.at.Idx, at.Idx) {
			list = append(list, c)
		}
	}
	return list
}

// lastChange is the number of the last change of the collections that one is an element of an array with.
func (x *state) lastChange(at term.Place) int {
	for _, c := range slices.Backward(x.Store.changes) {
		if c.at.Key() == at.Key() {
			return c.id
		}
	}
	return 0
}

// emptied reports whether a collection has been emptied, and nothing was done to it since.
func (x *state) emptied(at term.Place) bool {
	for _, c := range slices.Backward(x.Store.changes) {
		if c.at.Key() == at.Key() {
			return c.key == nil && term.EqualForms(c.at.Idx, at.Idx)
		}
	}
	return false
}

// look notes that there is an element of that number after some change, and of those of the unknown state that it
// stands behind those of smaller numbers.
func (x *state) look(at term.Place, after int, index term.Form) {
	for _, l := range x.looks {
		if l.key != nil || l.after != after || !l.of(at) {
			continue
		}
		switch d := index.Minus(l.index); {
		case !d.Constant():
		case d.K == 0:
			return
		case after != 0:
		case d.K > 0:
			x.assume(x.inOrder(at, l.index, index))
		default:
			x.assume(x.inOrder(at, index, l.index))
		}
	}
	seen := look{at: at, after: after, index: index}
	for _, l := range x.looks {
		x.apart(seen, l)
	}
	x.looks = append(x.looks, seen)
}

// inOrder reports whether an element of the unknown state stands before another one.
func (x *state) inOrder(at term.Place, i, k term.Form) bool {
	if at.Typ.Elem.Words() != 1 {
		return true
	}
	first, second := x.atFirst(at, i)[0], x.atFirst(at, k)[0]
	if at.Typ.Kind == step.Bag {
		return x.AtMost(first, second)
	}
	return x.LessThan(first, second)
}

// find is how often a key is in a collection, if it is there at all, and the place in the order where the run has seen
// it. What is missing in the unknown state is not what has been looked at there.
func (x *state) find(at term.Place, key []term.Form) (have term.Form, from *term.Form, is bool) {
	count := at.CountAt(key)
	have = x.Reduce(x.Read(count))
	if from = x.seenAt(at, key); from != nil {
		return have, from, true
	}
	if !x.zero(have) {
		return x.Reduce(have), nil, true
	}
	if have.Equal(x.initial(count)) && at.Typ.Kind != step.Map {
		m := look{at: at, key: key}
		for _, l := range x.looks {
			x.apart(l, m)
		}
		x.looks = append(x.looks, m)
	}
	return have, nil, false
}

// apart restricts the unknown state to those in which an element is not a missing key.
func (x *state) apart(element, missing look) {
	if missing.key != nil && element.key == nil && element.after == 0 && element.of(missing.at) {
		x.assume(!x.equal(x.atFirst(element.at, element.index), missing.key))
	}
}

// equal decides whether words are the same.
func (x *state) equal(a, b []term.Form) bool {
	for i := range a {
		if !x.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

// seenAt is where the run has seen a key in a collection as it is now, nil if it has not.
func (x *state) seenAt(at term.Place, key []term.Form) *term.Form {
	if at.Typ.Kind == step.Map {
		return nil
	}
	after := x.lastChange(at)
	for _, l := range x.looks {
		if l.key != nil || l.after != after || !l.of(at) {
			continue
		}
		same := true
		for i, f := range x.all(at.Sub(1, at.Typ.Elem, l.index)) {
			d := x.Reduce(f.Minus(key[i]))
			same = same && d.Constant() && d.K == 0
		}
		if same {
			return &l.index
		}
	}
	return nil
}

// unwritten is the value of a word that is only written as a part of a collection that is changed by key.
func (x *state) unwritten(p term.Place) term.Form {
	if p.View != term.Ordered || len(x.Store.changes) == 0 || x.Concrete != nil {
		return x.initial(p)
	}
	at := p.Key().Collection(p.Idx)
	list := x.changesOf(at)
	if len(list) == 0 {
		return x.initial(p)
	}
	if x.Few {
		x.limit = min(x.limit, maxOrdered)
	}
	i := p.Idx[len(at.Idx)]
	switch {
	case x.LessThan(i, term.Constant(0)):
		return x.initial(p) // there is none
	case x.AtMost(x.Read(at), i):
		return term.Constant(0)
	}
	return x.nth(list, at, i)[p.Off-at.Off-1]
}

// atFirst is an element of the unknown state.
func (x *state) atFirst(at term.Place, i term.Form) (words []term.Form) {
	at.Sub(1, at.Typ.Elem, i).WordsOf(func(w term.Place) { words = append(words, x.initial(w)) })
	return words
}

// nth is the element of a number behind some changes.
func (x *state) nth(list []change, at term.Place, i term.Form) []term.Form {
	if len(list) == 0 {
		i = x.Reduce(i)
		x.look(at, 0, i)
		return x.atFirst(at, i)
	}
	last, before := list[len(list)-1], list[:len(list)-1]
	if last.key == nil || at.Typ.Kind == step.Map {
		panic(unsupported.Reason(twoViews))
	}
	next := i.Plus(1, term.Constant(1))
	switch {
	case !last.added && last.from != nil:
		if x.LessThan(i, *last.from) {
			return x.nth(before, at, i)
		}
		return x.nth(before, at, next)
	case !last.added:
		if e := x.nth(before, at, i); x.order(e, last.key) < 0 {
			return e
		}
		return x.nth(before, at, next)
	}
	if x.LessThan(i, last.size) {
		if e := x.nth(before, at, i); x.order(e, last.key) <= 0 {
			return e
		}
	}
	if x.LessThan(term.Constant(0), i) {
		if e := x.nth(before, at, i.Minus(term.Constant(1))); x.order(e, last.key) > 0 {
			return e
		}
	}
	return last.key
}

// order compares two elements by their words.
func (x *state) order(a, b []term.Form) int {
	for i := range a {
		switch {
		case x.Equal(a[i], b[i]):
		case x.LessThan(a[i], b[i]):
			return -1
		default:
			return 1
		}
	}
	return 0
}
