package lower

import (
	"fmt"
	"slices"

	"cdpor/lang/internal/check"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/step"
)

// Nondeterminism: choose { } or { }, any(lo..hi), any(xs). A choice is a step of its own that touches nothing shared;
// the code that depends on it follows. Inside a step there can be none, so choices of an atomic block or a simple
// statement are made before it begins.

// emitChoice emits a choice among 0 .. n-1 and returns what was chosen; nil after an error. The ways are the names of
// the alternatives, for traces; none: a name is given later, or there is none.
func emitChoice(x *check.Checker, e *syntax.Expr, n *step.Expr, ways ...string) *step.Expr {
	most := int64(0)
	if c := check.ConstOf(n); c != nil {
		most = c.Words[0]
	}
	if !mayChoose(x, e, most) {
		return nil
	}
	return x.CodeAt(e).Choose(n, ways...)
}

// mayChoose reports a choice among too many alternatives, or inside of a step.
func mayChoose(x *check.Checker, e *syntax.Expr, n int64) bool {
	if n > step.MaxAlternatives {
		x.Fail(e, "", "a choice among %d; it may be among %d at most", n, step.MaxAlternatives)
		return false
	}
	if x.Builder.Atomic > 0 {
		x.Fail(e, "put it before the atomic block", "a choice here would be inside of a step")
		return false
	}
	return true
}

// hoistChoices makes the choices any(...) of expressions, before the step that uses them.
func hoistChoices(lo *lowering, list ...*syntax.Expr) {
	for _, e := range list {
		if e == nil || lo.Chosen[e] != nil {
			continue
		}
		hoistChoices(lo, e.Args...)
		if e.Kind != syntax.ECall || e.Name != "any" {
			continue
		}
		before := lo.Count()
		if lo.Chosen[e] = lo.namedChoice(e); lo.Chosen[e] == nil && lo.Count() > before {
			lo.Chosen[e] = check.IntConst(e, 0) // so that it is not reported again
			if len(e.Args) > 0 && e.Args[0].Kind == syntax.EBool {
				lo.Chosen[e] = check.Constant(e, step.BoolType, 0)
			}
		}
	}
}

// lowerChoice emits any(lo..hi) or any(xs).
func lowerChoice(lo *lowering, e *syntax.Expr) *step.Expr {
	if len(e.Args) != 1 {
		hint := "any([a, b, c]) is one of these"
		if len(e.Args) > 0 && e.Args[0].Kind == syntax.EBool {
			hint = "write any(0..1) == 1 for false or true"
		}
		return lo.Fail(e, hint, "write any(lo..hi) or any(xs)")
	}
	local := func(v *step.Expr) *step.Expr {
		switch {
		case v != nil && v.TouchesShared():
			return lo.Fail(e, "copy it to a variable first", "a choice cannot depend on shared data")
		case v != nil && lo.early && lo.mayChange(v):
			return lo.Fail(e, "choose before the atomic block",
				"this choice is made before the block, and its bounds may change inside")
		}
		return v
	}
	x, arg := lo.Pure(), e.Args[0]
	if arg.Kind != syntax.ERange {
		xs := local(x.Base(arg, nil))
		if xs == nil {
			return nil
		}
		if !xs.Type.Counted() && xs.Type.Kind != step.Array {
			return lo.Fail(arg, "", "%s has no elements to choose from", types.String(xs.Type))
		}
		n := check.SizeOf(lo.Checker, e, xs)
		if c := check.ConstOf(xs); c != nil && xs.Type.Counted() {
			n = check.IntConst(e, c.Words[0])
		}
		return lo.Make(e, step.Index, xs.Type.Elem, xs, emitChoice(lo.Checker, e, n))
	}
	from, to := local(x.Integer(arg.Args[0])), local(x.Integer(arg.Args[1]))
	if from == nil || to == nil {
		return nil
	}
	if a, b := check.ConstOf(from), check.ConstOf(to); a != nil && b != nil {
		if a.Words[0] > b.Words[0] {
			return lo.Fail(e, "", "there is nothing to choose from")
		}
		if a.Words[0] == 0 {
			return emitChoice(lo.Checker, e, check.IntConst(e, b.Words[0]+1))
		}
		k := emitChoice(lo.Checker, e, check.IntConst(e, b.Words[0]-a.Words[0]+1))
		return lo.Make(e, step.Add, step.IntType, from, k)
	}
	n := lo.Make(e, step.Add, step.IntType, lo.Make(e, step.Sub, step.IntType, to, from), check.IntConst(e, 1))
	return lo.Make(e, step.Add, step.IntType, from, emitChoice(lo.Checker, e, n))
}

// namedChoice is choice with the value as the name of what was chosen.
func (lo *lowering) namedChoice(e *syntax.Expr) *step.Expr {
	from := len(lo.Builder.Nodes)
	v := lowerChoice(lo, e)
	if k := len(lo.Builder.Nodes) - 1; v != nil && k >= from && lo.Builder.Nodes[k].Kind == step.Choose {
		lo.Builder.Nodes[k].Decides = &step.Decision{Value: v, Of: lo.loader.File.Between(e.Pos, e.End)}
	}
	return v
}

// lowerChoose lowers choose { } or { }.
func lowerChoose(lo *lowering, s *syntax.Stmt) {
	e := &syntax.Expr{Pos: s.Pos, End: s.HeaderEnd}
	which := lo.chosenAt[s]
	if which == nil {
		which = emitChoice(lo.Checker, e, check.IntConst(e, int64(len(s.Cases))), waysOf(lo.loader, s)...)
	}
	emitOneOf(lo, s, which)
}

// emitOneOf lowers the blocks of choose; one of them is taken.
func emitOneOf(lo *lowering, s *syntax.Stmt, which *step.Expr) {
	b := lo.Builder
	e := &syntax.Expr{Pos: s.Pos, End: s.HeaderEnd}
	var after []*int
	for i, c := range s.Cases {
		var skip *int
		if i < len(s.Cases)-1 && which != nil {
			skip = b.Branch(lo.Make(e, step.Eq, step.BoolType, which, check.IntConst(e, int64(i))))
		}
		lo.stmts(c.Body)
		b.Turn(&after, skip)
	}
	b.Open = append(b.Open, after...)
}

// hoistBlock makes the choices of an atomic block before it.
func hoistBlock(lo *lowering, list []*syntax.Stmt, loop bool) {
	for _, s := range list {
		exprs := []*syntax.Expr{s.Place, s.Value, s.To, s.Cond}
		for _, c := range s.Cases {
			hoistBlock(lo, c.Body, loop)
		}
		again := loop || s.Kind == syntax.SWhile || s.Kind == syntax.SForRange || s.Kind == syntax.SForEach
		chooses := alternatives(s) > 0 || slices.ContainsFunc(exprs, (*syntax.Expr).Chooses)
		if chooses && again {
			lo.Report(s.Pos, s.HeaderEnd, "put the loop outside of the atomic block",
				"a choice in a loop inside of a step")
			settleChoices(lo, s, exprs)
			continue
		}
		lo.early = true
		hoistChoices(lo, exprs...)
		lo.early = false
		if n := alternatives(s); n > 0 {
			if lo.chosenAt == nil {
				lo.chosenAt = map[*syntax.Stmt]*step.Expr{}
			}
			lo.chosenAt[s] = emitChoice(lo.Checker, &syntax.Expr{Pos: s.Pos, End: s.HeaderEnd},
				check.IntConst(&syntax.Expr{Pos: s.Pos}, int64(n)), waysOf(lo.loader, s)...)
		}
		hoistBlock(lo, s.Body, again)
		hoistBlock(lo, s.Orelse, again)
	}
}

// alternatives is among how many ways a statement chooses before it begins; 0: it does not.
func alternatives(s *syntax.Stmt) int {
	switch {
	case s.Kind == syntax.SChoose:
		return len(s.Cases)
	case s.Kind == syntax.SReceive && slices.ContainsFunc(s.Cases, func(c *syntax.Choice) bool { return c.Anytime }):
		return 2 // to look into the mailbox, or not
	}
	return 0
}

// waysOf names the alternatives of a statement for traces.
func waysOf(l *loader, s *syntax.Stmt) []string {
	if s.Kind == syntax.SReceive {
		return []string{"a look into the mailbox", "receive after any"}
	}
	ways := make([]string, len(s.Cases))
	for i, c := range s.Cases {
		ways[i] = fmt.Sprintf("choose %d", i+1)
		if len(c.Body) > 0 {
			ways[i] += ": " + beginningOf(l, c.Body)
		}
	}
	return ways
}

// beginningOf is the text of the first statement of a block, with points for the others.
func beginningOf(l *loader, body []*syntax.Stmt) string {
	text := l.File.Between(body[0].Pos, body[0].HeaderEnd)
	if len(body) > 1 || body[0].HeaderEnd != body[0].End {
		text += " ..."
	}
	return text
}

// settleChoices marks the choices of a faulty statement as made, so that they are not reported again.
func settleChoices(lo *lowering, s *syntax.Stmt, exprs []*syntax.Expr) {
	for _, e := range exprs {
		if e != nil {
			lo.Chosen[e] = check.IntConst(e, 0)
			settleChoices(lo, s, e.Args)
		}
	}
	if lo.chosenAt == nil {
		lo.chosenAt = map[*syntax.Stmt]*step.Expr{}
	}
	lo.chosenAt[s] = check.IntConst(&syntax.Expr{Pos: s.Pos}, 0)
}

// mayChange reports whether an expression depends on variables that are not fixed.
func (lo *lowering) mayChange(v *step.Expr) bool {
	return v.Op == step.VarRef && !v.Var.Temp && lo.names.Fixed[v.Var] == "" ||
		slices.ContainsFunc(v.Args, lo.mayChange)
}

// condition emits the evaluation of a condition and what is made of it, as one simple statement.
func (lo *lowering) condition(s *syntax.Stmt, use func(*step.Expr)) (ok bool) {
	hoistChoices(lo, s.Cond)
	lo.Builder.Simple(func() {
		if c := lo.Truth(s.Cond); c != nil {
			use(c)
			ok = true
		}
	})
	return ok
}
