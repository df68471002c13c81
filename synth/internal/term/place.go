package term

import "cdpor/lang/step"

// view tells what the last indices of a word mean.
type view uint8

const (
	Direct  view = iota // the word is no part of an element of a set, bag or map
	Ordered             // how many elements come before this one
	Keyed               // the key
)

// A Place is a variable or a part of one: a run of words.
type Place struct {
	Slot int
	V    *step.Var
	Off  int // see MemKey
	View view
	Idx  []Form
	Typ  *step.Type
}

// PlaceOf is the place of a variable.
func PlaceOf(slot int, v *step.Var) Place { return Place{Slot: slot, V: v, Typ: v.Type} }

func (p Place) Sub(off int, typ *step.Type, idx ...Form) Place {
	if len(idx) > 0 && p.Typ.Sorted() {
		p.View = Ordered
	}
	p.Off += off
	p.Typ = typ
	if len(idx) > 0 {
		p.Idx = append(p.Idx[:len(p.Idx):len(p.Idx)], idx...)
	}
	return p
}

func (p Place) Key() MemKey { return MemKey{Slot: p.Slot, V: p.V, Off: p.Off, View: p.View} }

// WordsOf lists the single words of a place, in the order of the state.
func (p Place) WordsOf(yield func(Place)) {
	switch p.Typ.Kind {
	case step.Array:
		for i := range p.Typ.Len {
			p.Sub(0, p.Typ.Elem, Constant(int64(i))).WordsOf(yield)
		}
	case step.Record:
		for i, f := range p.Typ.Fields {
			p.Sub(p.Typ.FieldAt(i), f.Type).WordsOf(yield)
		}
	case step.List, step.Queue, step.Set, step.Bag, step.Map:
		yield(p) // the size
		for i := range p.Typ.Len {
			p.Sub(1, p.Typ.Elem, Constant(int64(i))).WordsOf(yield)
		}
	case step.Option:
		yield(p.Sub(0, step.BoolType)) // the presence
		p.Sub(1, p.Typ.Elem).WordsOf(yield)
	default:
		yield(p)
	}
}

// FieldWith is the field of a record that has a word.
func FieldWith(t *step.Type, word int) int {
	for i := len(t.Fields) - 1; ; i-- {
		if t.FieldAt(i) <= word && t.Fields[i].Type.Words() > 0 {
			return i
		}
	}
}

// Indexed goes from a type, and the offset of a word in it when all indices are zero, to the elements that the first
// index of the word chooses from: their type, the offset in one of them, and how many there are at most.
func Indexed(t *step.Type, off int) (elem *step.Type, rest, length int) {
	for {
		switch t.Kind {
		case step.Option:
			t, off = t.Elem, off-1
		case step.Record:
			f := FieldWith(t, off)
			t, off = t.Fields[f].Type, off-t.FieldAt(f)
		case step.Array:
			return t.Elem, off, t.Len
		default:
			return t.Elem, off - 1, t.Len
		}
	}
}

// WordAt is the distance of an element from the beginning of its variable; ok is false if an index is out of range.
func WordAt(m MemKey, idx []int64) (word int, ok bool) {
	word = m.Off
	t, off := m.V.Type, m.Off
	for _, i := range idx {
		length := 0
		if t, off, length = Indexed(t, off); i < 0 || i >= int64(length) {
			return 0, false
		}
		word += int(i) * t.Words()
	}
	return word, true
}

// CountAt is how often a key is in a collection; in a set or map that is a Boolean.
func (p Place) CountAt(key []Form) Place {
	p.Idx = append(p.Idx[:len(p.Idx):len(p.Idx)], key...)
	p.View = Keyed
	if p.Typ.Kind != step.Bag {
		p.Typ = step.BoolType
	}
	return p
}

// ValueAt is the value that a map has for a key.
func (p Place) ValueAt(key []Form) Place {
	p.Off += 1 + len(key)
	p.Idx = append(p.Idx[:len(p.Idx):len(p.Idx)], key...)
	p.View, p.Typ = Keyed, p.Typ.Elem.Fields[1].Type
	return p
}

// Collection is the set, bag or map that a word in the view by key belongs to.
func (m MemKey) Collection(idx []Form) Place {
	at := PlaceOf(m.Slot, m.V)
	for !at.Typ.Sorted() {
		if at.Typ.Kind == step.Array {
			at = at.Sub(0, at.Typ.Elem, idx[len(at.Idx)])
			continue
		}
		f := FieldWith(at.Typ, m.Off-at.Off)
		at = at.Sub(at.Typ.FieldAt(f), at.Typ.Fields[f].Type)
	}
	return at
}

// Steps are the indices and the numbers of fields that lead from a variable to a place, as far as its first collection.
func (p Place) Steps() (list []Form) {
	t, off, idx := p.V.Type, p.Off, p.Idx
	for {
		switch {
		case t.Kind == step.Array && len(idx) > 0:
			list = append(list, idx[0])
			t, idx = t.Elem, idx[1:]
		case t.Kind == step.Record && t != p.Typ && len(t.Fields) > 0:
			f := FieldWith(t, off)
			list = append(list, Constant(int64(f)))
			t, off = t.Fields[f].Type, off-t.FieldAt(f)
		default:
			return list
		}
	}
}
