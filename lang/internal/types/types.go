package types

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"cdpor/lang/step"
)

// KindWord is the name of a type in messages.
func KindWord(t *step.Type) string {
	if t.Ref != "" {
		return "a reference"
	}
	switch t.Kind {
	case step.Array:
		return "an array"
	case step.List:
		return "a list"
	case step.Queue:
		return "a queue"
	case step.Option:
		return "an optional value"
	case step.Mutex:
		return "a mutex"
	case step.Bool:
		return "a bool"
	case step.Enum:
		return "an enum"
	case step.Record:
		return "a record"
	case step.Set:
		return "a set"
	case step.Bag:
		return "a bag"
	case step.Map:
		return "a map"
	}
	return "an integer"
}

// String is a type in source syntax.
func String(t *step.Type) string {
	if t.Name != "" {
		return t.Name
	}
	return Structure(t)
}

// Structure is a type in source syntax without declared names.
func Structure(t *step.Type) string {
	if t.Ref != "" {
		return t.Ref
	}
	switch t.Kind {
	case step.Int:
		return "int"
	case step.Range:
		return fmt.Sprintf("%d..%d", t.Lo, t.Hi)
	case step.Bool:
		return "bool"
	case step.Enum:
		return "enum [" + strings.Join(t.Names, ", ") + "]"
	case step.Array:
		return fmt.Sprintf("array[%d] %s", t.Len, Structure(t.Elem))
	case step.List:
		return fmt.Sprintf("list[%s, %d]", Structure(t.Elem), t.Len)
	case step.Queue:
		return fmt.Sprintf("queue[%s, %d]", Structure(t.Elem), t.Len)
	case step.Set:
		return fmt.Sprintf("set[%s, %d]", Structure(t.Elem), t.Len)
	case step.Bag:
		return fmt.Sprintf("bag[%s, %d]", Structure(t.Elem), t.Len)
	case step.Map:
		return fmt.Sprintf("map[%s, %s, %d]", Structure(t.Elem.Fields[0].Type), Structure(t.Elem.Fields[1].Type), t.Len)
	case step.Sized:
		word := "int"
		if t.Unsigned {
			word = "uint"
		}
		return fmt.Sprint(word, t.Bits)
	case step.Record:
		if t.Sync != "" {
			return syncString(t)
		}
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = f.Name + " " + Structure(f.Type)
		}
		return "record {" + strings.Join(parts, ", ") + "}"
	case step.Option:
		if t.Elem.Kind == step.Array || t.Elem.Kind == step.Range {
			return "(" + Structure(t.Elem) + ")?"
		}
		return Structure(t.Elem) + "?"
	}
	return "mutex"
}

// syncString is a primitive's type in source syntax.
func syncString(t *step.Type) string {
	switch {
	case t.Sync == "sem" || t.Sync == "barrier":
		return fmt.Sprintf("%s(%d)", t.Sync, t.Len)
	case t.Sync == "cond" && t.Len == 1:
		return "cond(spurious)"
	case t.Sync == "chan" && t.Len > 0:
		return fmt.Sprintf("chan[%s, %d]", Structure(t.Elem), t.Len)
	case t.Sync == "chan":
		return fmt.Sprintf("chan[%s]", Structure(t.Elem))
	}
	return t.Sync
}

// FutureOf names futures by the type of the result; nil is none.
func FutureOf(result *step.Type) string {
	if result == nil {
		return ""
	}
	return Structure(result)
}

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

// IsWaitable reports whether values of the type stand for something that comes to an end.
func IsWaitable(t *step.Type) bool {
	return t != nil && (t.Ref == "tid" || strings.HasPrefix(t.Ref, "fut["))
}

// IsActor reports whether values of the type are references to actors.
func IsActor(t *step.Type) bool { return t != nil && t.Ref != "" && !IsWaitable(t) }

// ReferenceIn is the part of a type that is a certain reference, nil if there is none.
func ReferenceIn(t *step.Type, ref string) *step.Type {
	switch {
	case t == nil || t.Ref != "" && t.Ref != ref:
		return nil
	case t.Ref == ref:
		return t
	}
	for _, f := range t.Fields {
		if r := ReferenceIn(f.Type, ref); r != nil {
			return r
		}
	}
	return ReferenceIn(t.Elem, ref)
}

// refFits reports whether every reference of one type is one of another.
func refFits(dst, src string) bool {
	return !slices.ContainsFunc(strings.Split(src, "|"), func(c string) bool { return !refMeets(dst, c) })
}

// refMeets reports whether some reference may be of both types.
func refMeets(a, b string) bool {
	for _, c := range strings.Split(a, "|") {
		for _, d := range strings.Split(b, "|") {
			if c == d {
				return true
			}
		}
	}
	return false
}

// Pinned reports whether values of the type have an identity: mutexes and other primitives are not copied or compared.
func Pinned(t *step.Type) bool { return pinnedIn(t) != nil }

// pinnedIn is the part of a type that makes it pinned, nil if there is none.
func pinnedIn(t *step.Type) *step.Type {
	if t.Kind == step.Mutex || t.Sync != "" {
		return t
	}
	if t.Elem != nil && t.Ref == "" {
		return pinnedIn(t.Elem)
	}
	for _, f := range t.Fields {
		if p := pinnedIn(f.Type); p != nil {
			return p
		}
	}
	return nil
}

// PinnedWord names what makes a type pinned.
func PinnedWord(t *step.Type) string {
	if p := pinnedIn(t); p.Sync != "" {
		return p.Sync
	}
	return "mutex"
}

// IsSequence reports whether values of the type are lists or queues.
func IsSequence(t *step.Type) bool { return t.Kind == step.List || t.Kind == step.Queue }

// IsNumber reports whether values of the type are integers.
func IsNumber(t *step.Type) bool { return t.Numeric() || t.Kind == step.Sized }

// Sized are the integers that wrap around. They do not mix with int: a program says where it converts.
var Sized = sync.OnceValue(func() map[string]*step.Type {
	types := map[string]*step.Type{}
	for _, bits := range []int{8, 16, 32, 64} {
		types[fmt.Sprint("int", bits)] = &step.Type{Kind: step.Sized, Bits: bits}
		types[fmt.Sprint("uint", bits)] = &step.Type{Kind: step.Sized, Bits: bits, Unsigned: true}
	}
	return types
})
