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
	Apart    map[int]*step.Expr     // direction of two unknowns -> named constant that their distance is compared with
	Calls    []Call                 // that the steps make
	Quoted   map[Literal]*step.Expr // how the steps write a literal, which is not negated
	Sides    map[int]*step.Expr     // and a direction that they compare with a number
	Meet     map[NameKey]*step.Expr // that both sides of a comparison are equal, the direction minus the value apart
	Numbers  map[int64]bool         // that they compare something with
	Values   map[int64]*step.Expr   // what they compute from constants
	Locals   map[int64]*step.Expr   // that have one value, unless the steps say the number; nil: several
	Sums     []Sum                  // that they compare with something
	Order    map[[2]*step.Var]bool  // variables of which parts are compared, in this order
	Keys     map[*step.Var]bool     // that pick an element, so that one is as good as another: k != 3, not k < 3
	// Subtracts says that the steps compare with a difference: x < y - 1, not x + 1 < y.
	Subtracts bool
	// Shadowed says that shared variables are called p or q: by themselves these words do not mean the processes.
	Shadowed bool
}

// A Sum is an expression of several terms.
type Sum struct {
	Terms []Term
	Expr  *step.Expr
}

// A Call is one of a function whose result is a Bool, with the words of each argument.
type Call struct {
	Func *step.Func
	Args [][]Form
}

// Calling remembers a call.
func (n *Names) Calling(c Call) {
	if n != nil && !slices.ContainsFunc(n.Calls, func(d Call) bool {
		return c.Func == d.Func && slices.EqualFunc(c.Args, d.Args, EqualForms)
	}) {
		n.Calls = append(n.Calls, c)
	}
}

func NewNames() *Names {
	return &Names{Constant: map[NameKey]*step.Expr{}, Number: map[NameKey]int64{}, Multiple: map[NameKey]*step.Expr{},
		Apart: map[int]*step.Expr{}, Quoted: map[Literal]*step.Expr{}, Sides: map[int]*step.Expr{},
		Order: map[[2]*step.Var]bool{}, Values: map[int64]*step.Expr{},
		Locals:  map[int64]*step.Expr{},
		Numbers: map[int64]bool{}, Meet: map[NameKey]*step.Expr{}, Keys: map[*step.Var]bool{}}
}

// Picks reports whether a direction is a variable that picks an element.
func (n *Names) Picks(t *Table, terms []Term) bool {
	return n != nil && len(terms) == 1 && t.Syms[terms[0].S].Kind == WordSym && n.Keys[t.Syms[terms[0].S].Mem.V]
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

// Quote is a literal as the steps write it; nil if they do not.
func (n *Names) Quote(l Literal) *step.Expr {
	if n == nil {
		return nil
	}
	neg := l.Neg
	l.Neg = false
	if e := n.Quoted[l]; e != nil {
		return expr.When(e, !neg)
	}
	if e := n.Meet[NameKey{l.Dir, l.K}]; e != nil && l.Rel == LeRel { // the direction is what the sides differ in
		return expr.When(expr.New(step.Le, step.BoolType, e.Args...), !neg)
	}
	if l.Rel == EqRel {
		if e := n.Meet[NameKey{l.Dir, l.K}]; e != nil {
			return expr.When(e, !neg)
		}
		for _, by := range []int64{1, -1} {
			if e := n.Meet[NameKey{l.Dir, l.K - by}]; e != nil && !n.Numbers[l.K] && e.Args[1].Op == step.Const {
				return expr.When(expr.New(step.Eq, step.BoolType, e.Args[0], next(e.Args[1], by)), !neg)
			}
		}
	}
	return nil
}

// Unquoted are the same names without quotations.
func (n *Names) Unquoted() *Names {
	if n == nil {
		return nil
	}
	c := *n
	c.Quoted, c.Sides, c.Values, c.Meet, c.Sums, c.Locals, c.Subtracts = nil, nil, nil, nil, nil, nil, false
	return &c
}

// Near is a number that the steps compare nothing with, as the one beside a named constant that they compare a
// direction with: LOW - 1. It is nil for others.
func (n *Names) Near(dir int, k int64) *step.Expr {
	if n == nil || k == 0 || n.Numbers[k] {
		return nil
	}
	for _, by := range []int64{1, -1} {
		if c := n.Constant[NameKey{dir, k + by}]; c != nil && c.Words[0] == k+by {
			return next(c, -by)
		}
	}
	return nil
}

// next is the number behind another one, or before it if by is negative.
func next(e *step.Expr, by int64) *step.Expr {
	op := step.Add
	if by < 0 {
		op = step.Sub
	}
	return expr.New(op, step.IntType, e, expr.Number(1))
}

// SumIn is a sum that the steps compare with something, and the terms beside it; nil if there is none.
func (n *Names) SumIn(terms []Term) (sum *step.Expr, rest []Term) {
	if n != nil {
		for _, s := range n.Sums {
			other := slices.DeleteFunc(slices.Clone(terms), func(x Term) bool { return slices.Contains(s.Terms, x) })
			if len(other) > 0 && len(other)+len(s.Terms) == len(terms) {
				return s.Expr, other
			}
		}
	}
	return nil, terms
}

// Distance is the named constant that the distance of two unknowns is compared with, if it has a value, whichever of
// them is the greater one; nil for others.
func (n *Names) Distance(dir int, k int64) *step.Expr {
	if n == nil || n.Apart[dir] == nil || k != n.Apart[dir].Words[0] && -k != n.Apart[dir].Words[0] {
		return nil
	}
	return n.Apart[dir]
}

// Times is a number as a multiple of a named constant, if that is what an equation with it comes from.
func (n *Names) Times(dir int, k, distance int64) *step.Expr {
	if c := n.Distance(dir, distance); c != nil {
		return c
	}
	if n != nil && n.Locals[distance] != nil {
		return n.Locals[distance]
	}
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
