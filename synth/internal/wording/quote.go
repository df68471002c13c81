package wording

import (
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/decide"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/symbolic"
	"cdpor/synth/internal/term"
)

// Quote notes how two steps write comparisons, so that conditions say stock + LOT <= ROOM where the steps do, and not
// stock <= 3. Each comparison is evaluated in the state that the steps begin in; it is quoted for the literal that it
// equals there.
func Quote(t *term.Table, o *decide.Oracle, n *term.Names, a, b *step.Step) {
	ordered, equated := map[*step.Var]bool{}, map[*step.Var]bool{}
	for slot, s := range []*step.Step{a, b} {
		for _, at := range s.Nodes {
			node := s.Template.Nodes[at]
			for _, e := range []*step.Expr{node.Cond, node.Src, node.Dst} {
				e.Walk(func(e *step.Expr) {
					if e.Op == step.Index || e.Op == step.Has || e.Op == step.Lookup {
						if v := e.Args[1].Var; v != nil {
							n.Keys[v] = true
						}
					}
					if quotable(e) {
						quote(t, o, n, about(e, pairSlots[slot]))
					}
					if e.Op >= step.Eq && e.Op <= step.Ge {
						sorts(e, ordered, equated)
						n.Order[[2]*step.Var{root(e.Args[0]), root(e.Args[1])}] = true
						for _, x := range e.Args {
							if x.Op == step.Const && x.Name == "" {
								n.Numbers[x.Words[0]] = true
							}
						}
					}
				})
			}
		}
	}
	for v := range equated {
		n.Keys[v] = n.Keys[v] || !ordered[v]
	}
	known(t, o, n, a, b)
}

// known notes the locals of the steps that have one value only: the steps say n where a condition would have a number.
func known(t *term.Table, o *decide.Oracle, n *term.Names, a, b *step.Step) {
	said, locals := map[int64]bool{}, []*step.Expr{}
	for slot, s := range []*step.Step{a, b} {
		for _, at := range s.Nodes {
			s.Template.Nodes[at].EachRead(func(e *step.Expr) {
				e.Walk(func(e *step.Expr) {
					switch {
					case e.Op == step.Const && len(e.Words) == 1:
						said[e.Words[0]] = true
					case e.Op == step.VarRef && !e.Var.Shared && !e.Var.Temp && e.Type.Numeric():
						locals = append(locals, about(e, pairSlots[slot]))
					}
				})
			})
		}
	}
	symbolic.Explore(t, o, 1, func(r *symbolic.Run) {
		for _, e := range locals {
			f := r.Scalar(e)
			if k := f.K; f.Constant() && !said[k] && k > 1 {
				if old := n.Locals[k]; old != nil && !step.Equal(old, e) {
					e = nil
				}
				n.Locals[k] = e
			}
		}
	})
}

// sorts notes which variables a comparison asks for being equal to a constant, and which for being less or more.
func sorts(e *step.Expr, ordered, equated map[*step.Var]bool) {
	for i, x := range e.Args {
		switch v := root(x); {
		case v == nil:
		case e.Op > step.Ne:
			ordered[v] = true
		case e.Args[1-i].Op == step.Const && (e.Args[1-i].Name != "" || !e.Args[1-i].Number(0)):
			equated[v] = true
		}
	}
}

// quotable reports whether a comparison says more than a variable and a number: those are written well without.
func quotable(e *step.Expr) bool {
	if e.Op < step.Eq || e.Op > step.Ge || !e.Args[0].Type.Numeric() || !e.Args[1].Type.Numeric() {
		return false
	}
	plain := func(x *step.Expr) bool { return x.Op == step.Const || x.Op == step.Self }
	return !plain(e.Args[0]) && !plain(e.Args[1]) || computes(e)
}

// about is an expression of a step as one of a condition.
func about(e *step.Expr, of int) *step.Expr {
	c := e.With(func(a *step.Expr) *step.Expr { return about(a, of) })
	if c.Of == step.Own && (e.Op == step.Self || e.Op == step.Me || e.Op == step.VarRef && !e.Var.Shared) {
		c.Of = of
	}
	return c
}

// indexed has a number for each index that is a local of one value.
func indexed(r *symbolic.Run, e *step.Expr) *step.Expr {
	c := e.With(func(a *step.Expr) *step.Expr { return indexed(r, a) })
	if e.Op == step.Index && e.Args[1].Op == step.VarRef && !e.Args[1].Var.Shared {
		if f := r.Scalar(e.Args[1]); f.Constant() {
			c.Args[1] = expr.Number(f.K)
		}
	}
	return c
}

// quote quotes a comparison, unless its value depends on more than one literal, or evaluating it can fail.
func quote(t *term.Table, o *decide.Oracle, n *term.Names, e *step.Expr) {
	if e.Has(func(x *step.Expr) bool {
		return x.Op == step.Call || x.Op == step.Cond || x.Op == step.VarRef && x.Var.Temp
	}) {
		return
	}
	for _, x := range e.Args {
		if x.Op != step.Const && !x.Has(func(x *step.Expr) bool { return x.Op == step.Self || x.Op == step.VarRef }) {
			if words, fault, ok := step.Evaluate(x, 0); ok && fault == step.NoFault && n.Values[words[0]] == nil {
				n.Values[words[0]] = x
			}
		}
	}
	var l term.Literal
	var side, apart term.Form
	comparison, beside := false, slices.IndexFunc(e.Args, func(x *step.Expr) bool { return x.Op == step.Const })
	failed := symbolic.Explore(t, o, 1, func(r *symbolic.Run) {
		if l, comparison = r.Compared(e); comparison {
			e = indexed(r, e)
			sides := []term.Form{r.Scalar(e.Args[0]), r.Scalar(e.Args[1])}
			apart = sides[0].Minus(sides[1])
			for i, side := range sides {
				if len(side.Terms) > 1 && side.K == 0 {
					n.Sums = append(n.Sums, term.Sum{Terms: side.Terms, Expr: e.Args[i]})
				}
			}
			if beside >= 0 {
				side = sides[1-beside]
			}
		}
	})
	if failed != "" || !comparison {
		return
	}
	if dir, factor := t.Direction(apart.Terms); (factor == 1 || factor == -1) && computes(e) {
		if at := (term.NameKey{Dir: dir, K: -factor * apart.K}); n.Meet[at] == nil {
			n.Meet[at] = expr.New(step.Eq, step.BoolType, e.Args...)
			if factor < 0 {
				n.Meet[at] = expr.New(step.Eq, step.BoolType, e.Args[1], e.Args[0])
			}
		}
	}
	e = expr.When(e, !l.Neg)
	if l.Neg = false; n.Quoted[l] == nil {
		n.Quoted[l] = e
	}
	if e.Args[1].Op == step.Sub && e.Args[1].Args[1].Op == step.Const && e.Args[0].Op != step.Add {
		n.Subtracts = true
	}
	if beside >= 0 && n.Sides[l.Dir] == nil && side.K == 0 && slices.Equal(side.Terms, t.Dirs[l.Dir].Terms) {
		n.Sides[l.Dir] = e.Args[1-beside]
	}
}
