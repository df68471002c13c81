package primitive

import "cdpor/lang/step"

// A state has a data race if two processes have conflicting accesses next that do not synchronise. A search that leaves
// interleavings out does not come to every such state, but it finds every check that can fail. So a write is two steps:
// the first one marks the place, the second one writes. Whoever accesses a marked place fails. From a state with a
// race, the first step of the write and then the other access lead to a failure; conversely, at a failure the writer
// can still write, and so could it before the failing step. A read of what operations that synchronise write is marked,
// too, with the number of readers.

// The marks of a place: who writes it, and with ReaderMark how many read it.
var (
	WriterMark = step.MutexType
	ReaderMark = &step.Type{Kind: step.Record, Name: "access",
		Fields: []step.Field{{Name: "writer", Type: step.MutexType}, {Name: "readers", Type: step.IntType}}}
)

// Unmarked is the type of the marks of what needs none.
var Unmarked = &step.Type{Kind: step.Record}

// Marks is the type of the marks for values of a type: mark for each part, but none for what synchronises, and for the
// types in own what stands there.
func Marks(t, mark *step.Type, own map[*step.Type]*step.Type) *step.Type {
	switch {
	case own[t] != nil:
		return own[t]
	case t.Sync != "" || t.Kind == step.Mutex:
		return Unmarked
	case t.Kind == step.Array:
		return &step.Type{Kind: step.Array, Elem: Marks(t.Elem, mark, own), Len: t.Len}
	case t.Kind == step.Record:
		m := &step.Type{Kind: step.Record}
		for _, f := range t.Fields {
			m.Fields = append(m.Fields, step.Field{Name: f.Name, Type: Marks(f.Type, mark, own)})
		}
		return m
	}
	return mark
}
