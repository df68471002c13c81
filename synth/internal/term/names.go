package term

import (
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/expr"
)

// Names remembers how the program writes the numbers and comparisons that questions ask about.
type Names struct {
	Constant map[NameKey]*step.Expr // direction and value -> named constant
	Number   map[NameKey]int64      // comparisons of the program text, with the number they are written with
	// direction and value of an equation -> named constant that the value is a multiple of
	Multiple map[NameKey]*step.Expr
	Calls    []Call // that the steps make
	// Shadowed says that shared variables are called p or q: by themselves these words do not mean the processes.
	Shadowed bool
}

// A Call is one of a function whose result is a Bool, for numbers.
type Call struct {
	Func *step.Func
	Args []Form
}

// Calling remembers a call.
func (n *Names) Calling(c Call) {
	if n != nil && !slices.ContainsFunc(n.Calls, func(d Call) bool {
		return c.Func == d.Func && slices.EqualFunc(c.Args, d.Args, Form.Equal)
	}) {
		n.Calls = append(n.Calls, c)
	}
}

func NewNames() *Names {
	return &Names{Constant: map[NameKey]*step.Expr{}, Number: map[NameKey]int64{}, Multiple: map[NameKey]*step.Expr{}}
}

// Writes reports whether the program compares a direction with a number; names may be nil.
func (n *Names) Writes(dir int, k int64) bool {
	if n == nil {
		return false
	}
	_, written := n.Number[NameKey{dir, k}]
	return written
}

type NameKey struct {
	Dir int
	K   int64
}

// Times is a number as a multiple of a named constant, if that is what an equation with it comes from.
func (n *Names) Times(dir int, k, distance int64) *step.Expr {
	if n == nil || n.Multiple[NameKey{dir, k}] == nil {
		return expr.Number(distance)
	}
	c := n.Multiple[NameKey{dir, k}]
	if factor := distance / c.Words[0]; factor != 1 {
		return expr.New(step.Mul, step.IntType, expr.Number(factor), c)
	}
	return c
}

// Like says that the program writes a literal as it writes another one about the same number.
func (n *Names) Like(l, other Literal) {
	if n == nil || l.K != other.K || l.Neg != other.Neg {
		return
	}
	for _, k := range []int64{l.K, l.K + 1} {
		if c := n.Constant[NameKey{other.Dir, k}]; c != nil {
			n.Constant[NameKey{l.Dir, k}] = c
		}
	}
	if v, written := n.Number[NameKey{other.Dir, l.K}]; written {
		n.Number[NameKey{l.Dir, l.K}] = v
	}
}
