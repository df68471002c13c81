package types

import (
	"fmt"
	"slices"

	"cdpor/lang/step"
)

// Comparable reports whether values of the types can be compared word by word: the same shape, Int and Range mixing.
func Comparable(a, b *step.Type) bool {
	switch {
	case a.Numeric() && b.Numeric():
		return true
	case a.Ref != "" && b.Ref != "":
		return refMeets(a.Ref, b.Ref)
	}
	return alike(a, b) && sameParts(a, b, Comparable)
}

// Unbounded is a type with every integer in the place of each range: values of both can be compared.
func Unbounded(t *step.Type) *step.Type {
	if t.Kind == step.Range {
		return step.IntType
	}
	wide := *t
	if t.Elem != nil {
		wide.Elem = Unbounded(t.Elem)
	}
	wide.Fields = slices.Clone(t.Fields)
	for i, f := range t.Fields {
		wide.Fields[i].Type = Unbounded(f.Type)
	}
	return &wide
}

// alike reports whether types agree in everything but their parts.
func alike(a, b *step.Type) bool {
	return a.Kind == b.Kind && a.Len == b.Len && slices.Equal(a.Names, b.Names) && a.Bits == b.Bits &&
		a.Unsigned == b.Unsigned && a.Sync == b.Sync && a.Ref == b.Ref
}

// sameParts compares the types of the parts of two types that are alike.
func sameParts(a, b *step.Type, same func(a, b *step.Type) bool) bool {
	if len(a.Fields) != len(b.Fields) {
		return false
	}
	for i, f := range a.Fields {
		if f.Name != b.Fields[i].Name || !same(f.Type, b.Fields[i].Type) {
			return false
		}
	}
	return a.Elem == nil || same(a.Elem, b.Elem)
}

// Fits reports whether every value of src is a value of dst, or src is a number that is checked when assigned.
func Fits(dst, src *step.Type) bool {
	switch {
	case dst.Numeric() && src.Numeric():
		return true
	case dst.Ref != "" && src.Ref != "":
		return refFits(dst.Ref, src.Ref)
	}
	return alike(dst, src) && sameParts(dst, src, Contains)
}

// Contains is Fits without the check at run time, which looks at whole scalar values only.
func Contains(dst, src *step.Type) bool {
	if dst.Numeric() && src.Numeric() {
		return dst.Kind == step.Int || src.Kind == step.Range && dst.Lo <= src.Lo && src.Hi <= dst.Hi
	}
	return Fits(dst, src)
}

// Fitting reports whether a value only has another capacity than a type wants.
func Fitting(t, v *step.Type) bool {
	return t.Counted() && t.Kind == v.Kind && t.Len != v.Len && Contains(t.Elem, v.Elem)
}

// CheckWords reports the first scalar of a value that lies outside its declared range.
func CheckWords(t *step.Type, words []int64) error {
	n := 0
	switch t.Kind {
	case step.Range:
		if words[0] < t.Lo || words[0] > t.Hi {
			return fmt.Errorf("%d is outside of %s", words[0], String(t))
		}
		return nil
	case step.Record:
		for i, f := range t.Fields {
			from := t.FieldAt(i)
			if err := CheckWords(f.Type, words[from:from+f.Type.Words()]); err != nil {
				return err
			}
		}
		return nil
	case step.Array:
		n = t.Len
	case step.List, step.Queue, step.Set, step.Bag, step.Map, step.Option:
		n, words = int(words[0]), words[1:]
	}
	for i := range n {
		w := t.Elem.Words()
		if err := CheckWords(t.Elem, words[i*w:(i+1)*w]); err != nil {
			return err
		}
	}
	return nil
}
