package types

import (
	"fmt"
	"sync"

	"cdpor/lang/step"
)

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
