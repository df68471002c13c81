package lang

import (
	"fmt"
	"slices"
	"strings"

	"cdpor/lang/step"
)

// maxWords bounds the size of one value: states are copied at every step.
const maxWords = 1 << 16

// resolveType turns a type's syntax into a type; nil after an error.
func (l *loader) resolveType(r *reporter, ty *typeExpr) *step.Type {
	if ty == nil {
		return nil
	}
	var t *step.Type
	switch ty.kind {
	case tyNamed:
		switch ty.name {
		case "int":
			return step.IntType
		case "bool":
			return step.BoolType
		case "mutex":
			return step.MutexType
		}
		if t, ok := l.types[ty.name]; ok {
			return t // nil if its declaration is faulty, which has been reported
		}
		known := []string{"int", "bool", "mutex"}
		for name := range l.types {
			known = append(known, name)
		}
		slices.Sort(known)
		r.report(ty.pos, ty.end, didYouMean(ty.name, known), "unknown type %s", ty.name)
		return nil
	case tyEnum:
		return l.enum(ty.names)
	case tyRange:
		x := l.elab(r, constNames{})
		lo, ok1 := x.constInt(ty.lo, "the bound of a range")
		hi, ok2 := x.constInt(ty.hi, "the bound of a range")
		if !ok1 || !ok2 {
			return nil
		}
		if lo > hi {
			r.report(ty.pos, ty.end, "", "the range %d..%d is empty", lo, hi)
			return nil
		}
		return &step.Type{Kind: step.Range, Lo: lo, Hi: hi}
	case tyOption:
		elem := l.resolveType(r, ty.elem)
		if elem == nil {
			return nil
		}
		t = &step.Type{Kind: step.Option, Elem: elem}
	default:
		elem := l.resolveType(r, ty.elem)
		n, ok := l.elab(r, constNames{}).constInt(ty.size, "a length")
		if elem == nil || !ok {
			return nil
		}
		if n < 0 || n > maxWords {
			r.report(ty.size.pos, ty.size.end, "", "a length of %d: it must be from 0 to %d", n, maxWords)
			return nil
		}
		t = &step.Type{Kind: step.Array, Elem: elem, Len: int(n)}
		switch ty.kind {
		case tyList:
			t.Kind = step.List
		case tyQueue:
			t.Kind = step.Queue
		}
		if c := constOf(l.elab(r.silent(), constNames{}).value(ty.size, nil)); c != nil && c.Name != "" {
			l.lengths[t] = c
		}
	}
	if t.Words() > maxWords {
		r.report(ty.pos, ty.end, "", "a value of this type takes %d words, more than %d", t.Words(), maxWords)
		return nil
	}
	if t.Elem.Kind == step.Mutex && t.Kind != step.Array {
		r.report(ty.elem.pos, ty.elem.end, "mutexes stand alone or in arrays", "a mutex cannot be moved, so it cannot be in %s", kindWord(t))
		return nil
	}
	return t
}

// enum makes structurally equal enums the same type, so that their members are not ambiguous.
func (l *loader) enum(names []string) *step.Type {
	for _, t := range l.enums {
		if slices.Equal(t.Names, names) {
			return t
		}
	}
	t := &step.Type{Kind: step.Enum, Names: names}
	l.enums = append(l.enums, t)
	return t
}

func kindWord(t *step.Type) string {
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
	}
	return "an integer"
}

// typeString is a type in source syntax.
func typeString(t *step.Type) string {
	if t.Name != "" {
		return t.Name
	}
	return structure(t)
}

// structure is a type in source syntax without declared names.
func structure(t *step.Type) string {
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
		return fmt.Sprintf("array[%d] %s", t.Len, structure(t.Elem))
	case step.List:
		return fmt.Sprintf("list[%s, %d]", structure(t.Elem), t.Len)
	case step.Queue:
		return fmt.Sprintf("queue[%s, %d]", structure(t.Elem), t.Len)
	case step.Option:
		if t.Elem.Kind == step.Array || t.Elem.Kind == step.Range {
			return "(" + structure(t.Elem) + ")?"
		}
		return structure(t.Elem) + "?"
	}
	return "mutex"
}

// comparable reports whether values of the types can be compared word by word: the same shape, Int and Range mixing.
func comparableTypes(a, b *step.Type) bool {
	if a.Numeric() && b.Numeric() {
		return true
	}
	if a.Kind != b.Kind || a.Len != b.Len || !slices.Equal(a.Names, b.Names) {
		return false
	}
	return a.Elem == nil || comparableTypes(a.Elem, b.Elem)
}

// fits reports whether every value of src is a value of dst, or src is a number that is checked when assigned.
func fits(dst, src *step.Type) bool {
	if dst.Numeric() && src.Numeric() {
		return true
	}
	if dst.Kind != src.Kind || dst.Len != src.Len || !slices.Equal(dst.Names, src.Names) {
		return false
	}
	return dst.Elem == nil || contains(dst.Elem, src.Elem)
}

// contains is fits without the check at run time, which looks at whole scalar values only.
func contains(dst, src *step.Type) bool {
	if dst.Numeric() && src.Numeric() {
		return dst.Kind == step.Int || src.Kind == step.Range && dst.Lo <= src.Lo && src.Hi <= dst.Hi
	}
	return fits(dst, src)
}

func hasMutex(t *step.Type) bool {
	return t.Kind == step.Mutex || t.Elem != nil && hasMutex(t.Elem)
}

// defaultWords is the value a variable has without an initial value.
func defaultWords(t *step.Type) []int64 {
	words := make([]int64, t.Words())
	switch t.Kind {
	case step.Range:
		if t.Lo > 0 || t.Hi < 0 {
			words[0] = t.Lo
		}
	case step.Array:
		elem := defaultWords(t.Elem)
		for i := range t.Len {
			copy(words[i*len(elem):], elem)
		}
	}
	return words
}

// checkWords reports the first scalar of a value that lies outside its declared range.
func checkWords(t *step.Type, words []int64) error {
	n := 0
	switch t.Kind {
	case step.Range:
		if words[0] < t.Lo || words[0] > t.Hi {
			return fmt.Errorf("%d is outside of %s", words[0], typeString(t))
		}
		return nil
	case step.Array:
		n = t.Len
	case step.List, step.Queue, step.Option:
		n, words = int(words[0]), words[1:]
	}
	for i := range n {
		w := t.Elem.Words()
		if err := checkWords(t.Elem, words[i*w:(i+1)*w]); err != nil {
			return err
		}
	}
	return nil
}
