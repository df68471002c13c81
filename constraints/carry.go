package constraints

import (
	"errors"

	"cdpor/lang"
	"cdpor/lang/step"
)

// A Carried is the constraints of an older version of a program, said of a newer one. Steps are the same if they have
// the same label, or, without one, the same statement.
type Carried struct {
	Set  *Set    // what could be carried, as conditions of the newer program
	Gone []*Pair // older entries of steps that the newer program does not have

	older map[*step.Step]bool     // steps of the newer program that the older one has
	was   map[[2]*step.Step]*Pair // the older entries, by steps of the newer program
	fails map[[2]*step.Step][2]string
}

// Was is the older entry of two steps of the newer program, with its steps in their order; nil if there is none.
func (c *Carried) Was(a, b *step.Step) *Pair {
	if p := c.was[[2]*step.Step{a, b}]; p != nil {
		return p
	}
	if p := c.was[[2]*step.Step{b, a}]; p != nil {
		return p.Exchanged()
	}
	return nil
}

// Had reports whether the older program has both steps.
func (c *Carried) Had(a, b *step.Step) bool { return c.older[a] && c.older[b] }

// Fails says why the conditions of two steps of the newer program, commute and uniform, could not be carried; they are
// false in Set then. Empty if there is no such reason.
func (c *Carried) Fails(a, b *step.Step) (why [2]string) {
	if why, is := c.fails[[2]*step.Step{a, b}]; is {
		return why
	}
	return c.fails[[2]*step.Step{b, a}]
}

// Carry says the constraints of a program of another version of it. A constant is carried by its value.
func Carry(old *Set, prog *step.Program) *Carried {
	c := &Carried{Set: &Set{Program: prog}, older: map[*step.Step]bool{}, was: map[[2]*step.Step]*Pair{},
		fails: map[[2]*step.Step][2]string{}}
	now := map[string]*step.Step{}
	for _, t := range prog.Templates {
		for _, s := range t.Steps {
			now[s.Name()] = s
		}
	}
	unlabelled := foundAgain(statements(old.Program, func(*step.Step) bool { return true }), prog)
	found := func(s *step.Step) *step.Step {
		if again, is := unlabelled[s.Name()]; is {
			return again
		}
		return now[s.Name()]
	}
	for _, t := range old.Program.Templates {
		for _, s := range t.Steps {
			c.older[found(s)] = true
		}
	}
	for ab := range PairsOf(old.Program) {
		p, swapped := old.Find(ab[0], ab[1])
		if p == nil {
			continue
		}
		if swapped {
			p = p.Exchanged()
		}
		a, b := found(p.A), found(p.B)
		if a == nil || b == nil || a == b && a.Template.Count < 2 {
			c.Gone = append(c.Gone, p)
			continue
		}
		commute, why := carried(p.Commute, p, prog, a, b)
		uniform, whyNot := carried(p.Uniform, p, prog, a, b)
		c.Set.Pairs = append(c.Set.Pairs, &Pair{A: a, B: b, Commute: commute, Uniform: uniform, Status: p.Status})
		c.was[[2]*step.Step{a, b}], c.fails[[2]*step.Step{a, b}] = p, [2]string{why, whyNot}
	}
	return c
}

// carried is a condition of a pair as one of the steps a and b of another program; false where that cannot be, and why
// says the reason.
func carried(e *step.Expr, p *Pair, prog *step.Program, a, b *step.Step) (made *step.Expr, why string) {
	if IsTrue(e) || IsFalse(e) {
		return e, ""
	}
	text := lang.FormatExpr(ByValue(e), p.A.Template, p.B.Template)
	made, err := lang.ParseCondition(prog, lang.NewFile("", []byte(text)), step.Pos{Line: 1, Col: 1}, text, a, b)
	var list lang.ErrorList
	if errors.As(err, &list) {
		return Truth(false), "the newer program does not know it: " + list[0].Msg
	} else if err != nil {
		return Truth(false), err.Error()
	}
	before, now := functions(e), functions(made)
	for i, f := range before {
		if i >= len(now) || !sameFunction(f, now[i], map[*step.Func]bool{}) {
			return Truth(false), "the function " + f.Name + " has changed"
		}
	}
	return made, ""
}

// ByValue is an expression with numbers in the place of the names of constants, and of their sums and differences.
func ByValue(e *step.Expr) *step.Expr {
	if e == nil {
		return nil
	}
	c := e.With(ByValue)
	switch {
	case e.Op == step.Const && e.Type.Numeric():
		c.Name = ""
	case e.Type == step.IntType && (e.Op == step.Add || e.Op == step.Sub) &&
		c.Args[0].Op == step.Const && c.Args[1].Op == step.Const:
		n := c.Args[1].Words[0]
		if e.Op == step.Sub {
			n = -n
		}
		return &step.Expr{Op: step.Const, Type: e.Type, Pos: e.Pos, Words: []int64{c.Args[0].Words[0] + n}}
	}
	return c
}

// functions lists those that an expression calls, in its order.
func functions(e *step.Expr) (list []*step.Func) {
	e.Walk(func(e *step.Expr) {
		if e.Op == step.Call {
			list = append(list, e.Func)
		}
	})
	return list
}

// sameFunction reports whether two functions have the same code, with the same constants.
func sameFunction(f, g *step.Func, seen map[*step.Func]bool) bool {
	if seen[f] {
		return true
	}
	seen[f] = true
	if f.Name != g.Name || f.Start != g.Start || len(f.Nodes) != len(g.Nodes) || len(f.Params) != len(g.Params) {
		return false
	}
	same := func(x, y *step.Expr) bool {
		if x == nil || y == nil {
			return x == y
		}
		if lang.FormatExpr(ByValue(x), nil, nil) != lang.FormatExpr(ByValue(y), nil, nil) {
			return false
		}
		left, right := functions(x), functions(y)
		for i := range left {
			if !sameFunction(left[i], right[i], seen) {
				return false
			}
		}
		return true
	}
	for i, n := range f.Nodes {
		m := g.Nodes[i]
		if n.Kind != m.Kind || n.Next != m.Next || n.Else != m.Else || !same(n.Dst, m.Dst) || !same(n.Src, m.Src) ||
			!same(n.Cond, m.Cond) {
			return false
		}
	}
	return true
}
