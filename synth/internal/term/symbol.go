package term

import (
	"cdpor/lang/step"
	"cdpor/synth/internal/span"
)

// A SymID names a symbol of a table.
type SymID int32

type SymKind uint8

const (
	WordSym     SymKind = iota // a word of the unknown state; idx tells which element of the variable
	SelfSym                    // the instance number of a process
	MeSym                      // the mutex value of a process
	MulSym                     // product of idx[0] and idx[1]
	DivSym                     // quotient of idx[0] by idx[1], truncated
	ModSym                     // its remainder
	ChoiceSym                  // the alternative that a process takes in its step
	IdentitySym                // the identity of a process that it starts, mem.off says the how manieth
	LeftSym                    // whether there is an identity left for that
	WrapSym                    // idx[0] as a value of the Sized typ, see wrap.go; mem.off tells the types apart
)

// Nonlinear reports whether symbols of a kind are computed from others.
func (k SymKind) Nonlinear() bool { return k == MulSym || k == DivSym || k == ModSym || k == WrapSym }

// A MemKey is a family of words: those of one variable that differ in indices only. off is the distance of the word
// from the beginning of the variable when all indices are zero.
type MemKey struct {
	Slot int
	V    *step.Var
	Off  int
	View view
}

// A Symbol is an unknown integer.
type Symbol struct {
	Kind   SymKind
	Mem    MemKey
	Idx    []Form
	Typ    *step.Type
	Lo, Hi int64      // bounds; math.MinInt64 and math.MaxInt64 mean none
	typed  span.Span  // the bounds that follow from the type alone
	Size   SymID      // how often a key is in a collection: the size of that
	Pool   *step.Pool // of an identity
	Wide   bool       // the ranges of variables narrow the bounds
}

// Nearest is the value of a symbol that is the nearest one to a number, which it is itself if the symbol can have it.
func (s *Symbol) Nearest(k int64) int64 { return min(max(k, s.Lo), s.Hi) }

// Of reports whether the values of a symbol are those of a Sized type.
func (s *Symbol) Of(typ *step.Type) bool {
	return (s.Kind == WordSym || s.Kind == WrapSym) && s.Mem.View == Direct && sameSize(s.Typ, typ)
}

func sameSize(a, b *step.Type) bool {
	return a.Kind == step.Sized && b.Kind == step.Sized && a.Bits == b.Bits && a.Unsigned == b.Unsigned
}

// Shared is the slot of shared variables; slots 0, 1, 2 are processes.
const Shared = -1
