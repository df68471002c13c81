package pointsto

import "go/types"

// Steps of a path that are not fields.
const (
	// Element is an element of an array, slice or channel.
	Element = -1
	// Key is a key of a map.
	Key = -2
	// Value is a value of a map.
	Value = -3
)

// shapes remembers what types say: their words, and which interfaces they implement.
type shapes struct {
	widths     map[types.Type]int
	implements map[[2]types.Type]bool
}

// width is the number of words of a type that may point.
func (s *shapes) width(t types.Type) int {
	w, known := s.widths[t]
	if known {
		return w
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Kind() == types.UnsafePointer {
			w = 1
		}
	case *types.Pointer, *types.Slice, *types.Chan, *types.Map, *types.Signature, *types.Interface:
		w = 1
	case *types.Array:
		w = s.width(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			w += s.width(f.Type())
		}
	case *types.Tuple:
		for v := range u.Variables() {
			w += s.width(v.Type())
		}
	}
	s.widths[t] = w
	return w
}

// part is the type of a part of a type, and its first word in the row; nil if there is no such part.
func (s *shapes) part(t types.Type, step int) (types.Type, int32) {
	switch u := t.Underlying().(type) {
	case *types.Array:
		if step == Element {
			return u.Elem(), 0
		}
	case *types.Struct:
		if 0 <= step && step < u.NumFields() {
			first := 0
			for i := range step {
				first += s.width(u.Field(i).Type())
			}
			return u.Field(step).Type(), int32(first)
		}
	case *types.Tuple:
		if 0 <= step && step < u.Len() {
			first := 0
			for i := range step {
				first += s.width(u.At(i).Type())
			}
			return u.At(step).Type(), int32(first)
		}
	}
	return nil, 0
}

// isA reports whether a type implements an interface.
func (s *shapes) isA(t, iface types.Type) bool {
	key := [2]types.Type{t, iface}
	is, known := s.implements[key]
	if !known {
		is = types.Implements(t, iface.Underlying().(*types.Interface))
		s.implements[key] = is
	}
	return is
}

// pointee is the element type of a pointer type.
func pointee(t types.Type) types.Type {
	return t.Underlying().(*types.Pointer).Elem()
}

// backing is the type of what a slice of type t points to: an array of unknown length.
func backing(t types.Type) types.Type {
	return types.NewArray(t.Underlying().(*types.Slice).Elem(), -1)
}
