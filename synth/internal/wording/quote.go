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
			sides := []term.Form{r.Scalar(e.Args[0]), r.Scalar(e.Args[1])}
			apart = sides[0].Minus(sides[1])
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
