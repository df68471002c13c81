// Package reachable finds ranges of variables in the reachable states of a program by abstract interpretation.
//
// ranges.go has the analysis, fields.go what a range is kept of, owners.go who alone writes a variable or an element.
package reachable

import (
	"cdpor/lang/step"
	"cdpor/synth/internal/span"
)

// A Field is what has one range: a scalar part of a variable, or the size of a list, queue, set or map in it, in all
// elements of the arrays around it together. off is its distance from the beginning of the variable where all indices
// are zero. The keys of a set or map are a field, too, that of the word after the size. Of an option there are whether
// it is present, and the fields of the value that it has if it is.
type Field struct {
	V   *step.Var
	Off int
}

// A FieldType is a field of a type; array tells that it is one of several words, keys that it is the keys of a set or
// map.
type FieldType struct {
	Off   int
	typ   *step.Type
	array bool
	keys  bool
}

// Fields lists what is followed of a type. Integers that wrap around are not, nor what is in lists.
func Fields(t *step.Type) (list []FieldType) {
	var visit func(t *step.Type, off int, array bool)
	visit = func(t *step.Type, off int, array bool) {
		switch {
		case t.Kind == step.Array && t.Len > 0:
			visit(t.Elem, off, true)
		case t.Kind == step.Record:
			for i, f := range t.Fields {
				visit(f.Type, off+t.FieldAt(i), array)
			}
		case t.Kind == step.Option:
			list = append(list, FieldType{Off: off, typ: step.BoolType, array: array})
			visit(t.Elem, off+1, array)
		case followed(t):
			list = append(list, FieldType{Off: off, typ: t, array: array})
			if keyed(t) {
				list = append(list, FieldType{Off: off + 1, typ: t.Key(), array: true, keys: true})
			}
		}
	}
	visit(t, 0, false)
	return list
}

func followed(t *step.Type) bool {
	switch t.Kind {
	case step.List, step.Queue, step.Set, step.Map:
		return true
	}
	return t.Scalar() && t.Kind != step.Mutex && t.Kind != step.Sized
}

// keyed reports whether the keys of a type are followed.
func keyed(t *step.Type) bool {
	return (t.Kind == step.Set || t.Kind == step.Map) && t.Len > 0 && t.Key().Scalar() && t.Key().Kind != step.Mutex
}

// FieldAt is the field of a type at a place, nil if there is none.
func FieldAt(t *step.Type, off int) *step.Type {
	for {
		switch {
		case t.Kind == step.Array && t.Len > 0:
			t = t.Elem
		case t.Kind == step.Record:
			i := FieldBefore(t, off)
			if i < 0 {
				return nil
			}
			off -= t.FieldAt(i)
			t = t.Fields[i].Type
		case t.Kind == step.Option && off > 0:
			t, off = t.Elem, off-1
		case t.Kind == step.Option:
			return step.BoolType
		case off == 0 && followed(t):
			return t
		case off == 1 && keyed(t):
			return t.Key()
		default:
			return nil
		}
	}
}

// Optional reports whether a field is part of the value of an option, hence of nothing where there is none.
func Optional(t *step.Type, off int) bool {
	for {
		switch {
		case t.Kind == step.Array:
			t = t.Elem
		case t.Kind == step.Record:
			i := FieldBefore(t, off)
			if i < 0 {
				return false
			}
			t, off = t.Fields[i].Type, off-t.FieldAt(i)
		default:
			return t.Kind == step.Option && off > 0
		}
	}
}

// FieldBefore is the last field of a record that begins at a word or before it, -1 if there is none.
func FieldBefore(t *step.Type, off int) int {
	for i := len(t.Fields) - 1; i >= 0; i-- {
		if t.FieldAt(i) <= off && t.Fields[i].Type.Words() > 0 {
			return i
		}
	}
	return -1
}

// placeOf is the variable that a place lies in and its distance from the beginning where all indices are zero; array
// tells that it may be one of several. Places in lists and sets are none.
func placeOf(e *step.Expr) (ref *step.Expr, off int, array, ok bool) {
	switch e.Op {
	case step.VarRef:
		return e, 0, false, true
	case step.Index:
		ref, off, _, ok = placeOf(e.Args[0])
		return ref, off, true, ok && e.Args[0].Type.Kind == step.Array
	case step.Part:
		ref, off, array, ok = placeOf(e.Args[0])
		return ref, off + e.Args[0].Type.FieldAt(e.Field), array, ok
	case step.Unwrap:
		ref, off, array, ok = placeOf(e.Args[0])
		return ref, off + 1, array, ok
	}
	return nil, 0, false, false
}

// Leaf is what the type of a scalar allows, or that of a list for its size.
func Leaf(t *step.Type) span.Span {
	switch t.Kind {
	case step.List, step.Queue, step.Set, step.Map:
		return span.Between(0, int64(t.Len))
	case step.Bool:
		return span.Either
	case step.Range:
		return span.Between(t.Lo, t.Hi)
	case step.Enum:
		return span.Between(0, int64(len(t.Names)-1))
	}
	return span.Any
}

func spanOf(words []int64) span.Span {
	r := span.None
	for _, w := range words {
		r = r.Join(span.Only(w))
	}
	return r
}

// spanAt is the range of a field of a value.
func spanAt(t *step.Type, off int, words []int64) span.Span {
	switch {
	case t.Kind == step.Array:
		r, width := span.None, t.Elem.Words()
		for i := range t.Len {
			r = r.Join(spanAt(t.Elem, off, words[i*width:(i+1)*width]))
		}
		return r
	case t.Kind == step.Record:
		i := FieldBefore(t, off)
		at := t.FieldAt(i)
		return spanAt(t.Fields[i].Type, off-at, words[at:])
	case t.Kind == step.Option && off > 0 && words[0] == 0:
		return span.None
	case t.Kind == step.Option && off > 0:
		return spanAt(t.Elem, off-1, words[1:])
	case t.Sorted() && off == 1: // the keys
		r, width := span.None, t.Elem.Words()
		for i := range int(words[0]) {
			r = r.Join(span.Only(words[1+i*width]))
		}
		return r
	}
	return span.Only(words[0])
}
