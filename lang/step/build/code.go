package build

import (
	"iter"
	"slices"

	"cdpor/lang/step"
)

// A Code is a place of a program that code is made for: nodes in its Builder, and expressions with its position.
// Without a Builder there are expressions only. What is made of a nil expression is nil, and no node.
type Code struct {
	*Builder
	At step.Pos
	// Make, if there is one, makes the expressions: it may refuse one by nil, for instance because it is too large when
	// it is written out as a tree.
	Make func(op step.Op, t *step.Type, args ...*step.Expr) *step.Expr
	// Failing, if there is one, is asked before Check emits a run-time error; true says that it has emitted something
	// else.
	Failing func(cond *step.Expr, fault step.Fault, msg string) bool
}

// Expr is an expression of operands.
func (c *Code) Expr(op step.Op, t *step.Type, args ...*step.Expr) *step.Expr {
	switch {
	case slices.Contains(args, nil):
		return nil
	case c.Make != nil:
		return c.Make(op, t, args...)
	}
	return &step.Expr{Op: op, Type: t, Pos: c.At, Args: args, Of: step.Own}
}

// Bool is an expression that is true or false.
func (c *Code) Bool(op step.Op, args ...*step.Expr) *step.Expr {
	return c.Expr(op, step.BoolType, args...)
}

// Int is an expression of type int.
func (c *Code) Int(op step.Op, args ...*step.Expr) *step.Expr {
	return c.Expr(op, step.IntType, args...)
}

// Const is a constant of a type.
func (c *Code) Const(t *step.Type, words ...int64) *step.Expr {
	return &step.Expr{Op: step.Const, Type: t, Pos: c.At, Words: words, Of: step.Own}
}

// Number is a constant of type int.
func (c *Code) Number(v int64) *step.Expr { return c.Const(step.IntType, v) }

// Not negates a condition.
func (c *Code) Not(cond *step.Expr) *step.Expr { return c.Bool(step.Not, cond) }

// Positive is the condition that a number is above 0.
func (c *Code) Positive(v *step.Expr) *step.Expr { return c.Bool(step.Gt, v, c.Number(0)) }

// Me is the process that runs the code, as what a mutex holds.
func (c *Code) Me() *step.Expr {
	return &step.Expr{Op: step.Me, Type: step.MutexType, Pos: c.At, Of: step.Own}
}

// Elem is an element of an array, list, queue, set or bag.
func (c *Code) Elem(of, index *step.Expr) *step.Expr {
	if of == nil {
		return nil
	}
	return c.Expr(step.Index, of.Type.Elem, of, index)
}

// Field is a field of a record.
func (c *Code) Field(of *step.Expr, name string) *step.Expr {
	if of == nil {
		return nil
	}
	i := slices.IndexFunc(of.Type.Fields, func(f step.Field) bool { return f.Name == name })
	p := c.Expr(step.Part, of.Type.Fields[i].Type, of)
	if p != nil {
		p.Field = i
	}
	return p
}

// Join combines conditions; nil means none yet.
func (c *Code) Join(op step.Op, a, b *step.Expr) *step.Expr {
	if a == nil {
		return b
	}
	return c.Bool(op, a, b)
}

// Elements has the elements of a value, each with the condition under which it is there; nil: always.
func (c *Code) Elements(v *step.Expr) iter.Seq2[*step.Expr, *step.Expr] {
	return func(yield func(elem, present *step.Expr) bool) {
		for i := 0; v != nil && i < v.Type.Len; i++ {
			at := c.Number(int64(i))
			elem, present := c.Elem(v, at), (*step.Expr)(nil)
			if v.Type.Kind != step.Array {
				present = c.Bool(step.Gt, c.Int(step.Size, v), at)
			}
			if !yield(elem, present) {
				return
			}
		}
	}
}

// Among is the condition that a value has an element, written out.
func (c *Code) Among(v, what *step.Expr) *step.Expr {
	var any *step.Expr
	for elem, present := range c.Elements(v) {
		if any = c.Join(step.Or, any, c.Join(step.And, present, c.Bool(step.Eq, elem, what))); any == nil {
			return nil
		}
	}
	if any == nil {
		return c.Const(step.BoolType, 0)
	}
	return any
}

// Await emits waiting for a condition.
func (c *Code) Await(cond *step.Expr) {
	if cond != nil {
		c.Emit(step.Node{Kind: step.Await, Cond: cond})
	}
}

// Check emits a run-time error unless a condition holds.
func (c *Code) Check(cond *step.Expr, fault step.Fault, msg string) {
	if cond != nil && (c.Failing == nil || !c.Failing(cond, fault, msg)) {
		c.Emit(step.Node{Kind: step.Check, Cond: cond, Fault: fault, Msg: msg})
	}
}

// Add emits adding a number to a place, or taking it away if it is below 0.
func (c *Code) Add(place *step.Expr, k int64) {
	op := step.Add
	if k < 0 {
		op, k = step.Sub, -k
	}
	c.Assign(place, c.Int(op, place, c.Number(k)))
}

// Set emits the assignment of a constant.
func (c *Code) Set(place *step.Expr, words ...int64) {
	if place != nil {
		c.Assign(place, c.Const(place.Type, words...))
	}
}

// Choose emits a choice among 0 .. n-1, which is a step of its own, and returns the local with what was chosen. The
// ways are the names of the alternatives, for traces.
func (c *Code) Choose(n *step.Expr, ways ...string) *step.Expr {
	t := c.Temp(step.IntType)
	node := c.Emit(step.Node{Kind: step.Choose, Dst: t, Src: n})
	node.Visible = true
	if len(ways) > 0 {
		node.Decides = &step.Decision{Ways: ways}
	}
	return t
}

// Temp declares a local without a name in the source. One of a range takes any integer.
func (c *Code) Temp(t *step.Type) *step.Expr { return c.Builder.Temp(t, c.At) }

// CheckedTemp is Temp that keeps the bounds of a range: assigning to it checks them.
func (c *Code) CheckedTemp(t *step.Type) *step.Expr { return c.Builder.CheckedTemp(t, c.At) }

// When emits what f does where a condition holds, and goes on behind it in any case.
func (c *Code) When(cond *step.Expr, f func()) {
	skip := c.Branch(cond)
	f()
	c.Open = append(c.Open, skip)
}
