// Package reachable finds ranges of variables in the reachable states of a program by abstract interpretation.
//
// ranges.go has the analysis, fields.go what a range is kept of, interference.go what others make of a shared variable
// between two steps, owners.go who alone writes an element, cases.go what a process has counted.
package reachable

import (
	"cdpor/lang/step"
	"cdpor/synth/internal/span"
)

// A Field is what has one range: a scalar part of a variable, or the size of a list, queue, set or map in it, in all
// elements of the arrays around it together. off is its distance from the beginning of the variable where all indices
// are zero. What a list, queue, set, bag or map holds are fields, too, those of its elements, as many as there are. Of
// an option there are whether it is present, and the fields of the value that it has if it is.
type Field struct {
	V   *step.Var
	Off int
}

// A FieldType is a field of a type; array tells that it is one of several words, held that it is in what a collection
// holds, keys that it is the keys of a set or map.
type FieldType struct {
	Off   int
	typ   *step.Type
	array bool
	held  bool
	keys  bool
}

// Fields lists what is followed of a type. Integers that wrap around are not.
func Fields(t *step.Type) (list []FieldType) {
	var visit func(t *step.Type, at FieldType)
	visit = func(t *step.Type, at FieldType) {
		part := func(t *step.Type, off int) {
			x := at
			x.Off += off
			visit(t, x)
		}
		at.typ = t
		switch {
		case t.Kind == step.Array && t.Len > 0:
			at.array = true
			part(t.Elem, 0)
		case t.Kind == step.Record:
			for i, f := range t.Fields {
				part(f.Type, t.FieldAt(i))
			}
		case t.Kind == step.Option:
			at.typ = step.BoolType
			list = append(list, at)
			part(t.Elem, 1)
		case t.Counted():
			if followed(t) {
				list = append(list, at)
			}
			if first := len(list); t.Len > 0 {
				at.array, at.held = true, true
				if part(t.Elem, 1); keyed(t) {
					list[first].keys = true
				}
			}
		case followed(t):
			list = append(list, at)
		}
	}
	visit(t, FieldType{})
	return list
}

func followed(t *step.Type) bool {
	switch t.Kind {
	case step.List, step.Queue, step.Set, step.Map:
		return true
	}
	return t.Scalar() && t.Kind != step.Mutex && ordered(t)
}

// ordered reports whether the values of a type have the order of the words that they are kept in.
func ordered(t *step.Type) bool { return t.Kind != step.Sized || !t.Unsigned || t.Bits < 64 }

// keyed reports whether the keys of a type are followed.
func keyed(t *step.Type) bool {
	return (t.Kind == step.Set || t.Kind == step.Map) && t.Key().Scalar() && followed(t.Key())
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
		case off > 0 && (t.Kind == step.Option || t.Counted() && t.Len > 0):
			t, off = t.Elem, off-1
		case t.Kind == step.Option:
			return step.BoolType
		case off == 0 && followed(t):
			return t
		default:
			return nil
		}
	}
}

// Optional reports whether a field is part of the value of an option or of an element of a collection, hence of nothing
// where there is none.
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
			return off > 0 && (t.Kind == step.Option || t.Counted())
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
// tells that it may be one of several. So is each element of a list, and each of a set or map in their order.
func placeOf(e *step.Expr) (ref *step.Expr, off int, array, ok bool) {
	switch e.Op {
	case step.VarRef:
		return e, 0, false, true
	case step.Index:
		ref, off, _, ok = placeOf(e.Args[0])
		return ref, off + elementAt(e.Args[0].Type), true, ok
	case step.Part:
		ref, off, array, ok = placeOf(e.Args[0])
		return ref, off + e.Args[0].Type.FieldAt(e.Field), array, ok
	case step.Unwrap:
		ref, off, array, ok = placeOf(e.Args[0])
		return ref, off + 1, array, ok
	}
	return nil, 0, false, false
}

// elementAt is where the first element of an array or collection begins.
func elementAt(t *step.Type) int {
	if t.Counted() {
		return 1
	}
	return 0
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
	case step.Sized:
		return span.Between(t.Bounds())
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
	case t.Counted() && off > 0:
		r, width := span.None, t.Elem.Words()
		for i := range int(words[0]) {
			r = r.Join(spanAt(t.Elem, off-1, words[1+i*width:]))
		}
		return r
	}
	return span.Only(words[0])
}
