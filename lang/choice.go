package lang

import (
	"fmt"
	"slices"

	"cdpor/lang/step"
)

// Nondeterminism: choose { } or { }, any(lo..hi), any(xs). A choice is a step of its own that touches nothing shared; the
// code that depends on it follows. Inside a step there can be none, so choices of an atomic block or a simple statement are
// made before it begins.

// choose emits a choice among 0 .. n-1 and returns what was chosen; nil after an error. The ways are the names of the alternatives,
// for traces; none: a name is given later, or there is none.
func (lo *lowering) choose(e *expr, n *step.Expr, ways ...string) *step.Expr {
	if c := constOf(n); c != nil && c.Words[0] > step.MaxAlternatives {
		return lo.errorf(e, "", "a choice among %d; it may be among %d at most", c.Words[0], step.MaxAlternatives)
	}
	if lo.b.atomic > 0 {
		return lo.errorf(e, "put it before the atomic block", "a choice here would be inside of a step")
	}
	t := lo.b.temp(step.IntType, e.pos)
	c := lo.b.emit(step.Node{Kind: step.Choose, Dst: t, Src: n})
	c.Visible = true
	if len(ways) > 0 {
		c.Decides = &step.Decision{Ways: ways}
	}
	return t
}

// hoist makes the choices any(...) of expressions, before the step that uses them.
func (lo *lowering) hoist(list ...*expr) {
	for _, e := range list {
		if e == nil || lo.chosen[e] != nil {
			continue
		}
		lo.hoist(e.args...)
		if e.kind != eCall || e.name != "any" {
			continue
		}
		before := lo.count()
		if lo.chosen[e] = lo.namedChoice(e); lo.chosen[e] == nil && lo.count() > before {
			lo.chosen[e] = intConst(e, 0) // so that it is not reported again
		}
	}
}

// choice emits any(lo..hi) or any(xs).
func (lo *lowering) choice(e *expr) *step.Expr {
	if len(e.args) != 1 {
		return lo.errorf(e, "", "write any(lo..hi) or any(xs)")
	}
	local := func(v *step.Expr) *step.Expr {
		switch {
		case v != nil && v.TouchesShared():
			return lo.errorf(e, "copy it to a variable first", "a choice cannot depend on shared data")
		case v != nil && lo.early && lo.mayChange(v):
			return lo.errorf(e, "choose before the atomic block", "this choice is made before the block, and its bounds may change inside")
		}
		return v
	}
	x, arg := lo.pure(), e.args[0]
	if arg.kind != eRange {
		xs := local(x.base(arg, nil))
		if xs == nil {
			return nil
		}
		if !xs.Type.Counted() && xs.Type.Kind != step.Array {
			return lo.errorf(arg, "", "%s has no elements to choose from", typeString(xs.Type))
		}
		n := lo.sizeOf(e, xs)
		if c := constOf(xs); c != nil && xs.Type.Counted() {
			n = intConst(e, c.Words[0])
		}
		return lo.make(e, step.Index, xs.Type.Elem, xs, lo.choose(e, n))
	}
	from, to := local(x.number(arg.args[0])), local(x.number(arg.args[1]))
	if from == nil || to == nil {
		return nil
	}
	if a, b := constOf(from), constOf(to); a != nil && b != nil {
		if a.Words[0] > b.Words[0] {
			return lo.errorf(e, "", "there is nothing to choose from")
		}
		if a.Words[0] == 0 {
			return lo.choose(e, intConst(e, b.Words[0]+1))
		}
		k := lo.choose(e, intConst(e, b.Words[0]-a.Words[0]+1))
		return lo.make(e, step.Add, step.IntType, from, k)
	}
	n := lo.make(e, step.Add, step.IntType, lo.make(e, step.Sub, step.IntType, to, from), intConst(e, 1))
	return lo.make(e, step.Add, step.IntType, from, lo.choose(e, n))
}

// namedChoice is choice with the value as the name of what was chosen.
func (lo *lowering) namedChoice(e *expr) *step.Expr {
	from := len(lo.b.nodes)
	v := lo.choice(e)
	if k := len(lo.b.nodes) - 1; v != nil && k >= from && lo.b.nodes[k].Kind == step.Choose {
		lo.b.nodes[k].Decides = &step.Decision{Value: v, Of: lo.loader.file.between(e.pos, e.end)}
	}
	return v
}

// chooses lowers choose { } or { }.
func (lo *lowering) chooses(s *stmt) {
	e := &expr{pos: s.pos, end: s.headerEnd}
	which := lo.chosenAt[s]
	if which == nil {
		which = lo.choose(e, intConst(e, int64(len(s.cases))), lo.waysOf(s)...)
	}
	lo.oneOf(s, which)
}

// oneOf lowers the blocks of choose, of which one is taken.
func (lo *lowering) oneOf(s *stmt, which *step.Expr) {
	b := lo.b
	e := &expr{pos: s.pos, end: s.headerEnd}
	var after []*int
	for i, c := range s.cases {
		last := i == len(s.cases)-1 || which == nil
		var skip *int
		if !last {
			skip = b.branch(lo.make(e, step.Eq, step.BoolType, which, intConst(e, int64(i))))
		}
		lo.stmts(c.body)
		if last {
			continue
		}
		after = append(after, b.open...)
		b.open = []*int{skip}
	}
	b.open = append(b.open, after...)
}

// hoistBlock makes the choices of an atomic block before it.
func (lo *lowering) hoistBlock(list []*stmt, loop bool) {
	for _, s := range list {
		exprs := []*expr{s.place, s.value, s.to, s.cond}
		for _, c := range s.cases {
			lo.hoistBlock(c.body, loop)
		}
		again := loop || s.kind == sWhile || s.kind == sForRange || s.kind == sForEach
		chooses := lo.alternatives(s) > 0 || slices.ContainsFunc(exprs, hasChoice)
		if chooses && again {
			lo.report(s.pos, s.headerEnd, "put the loop outside of the atomic block", "a choice in a loop inside of a step")
			lo.settle(s, exprs)
			continue
		}
		lo.early = true
		lo.hoist(exprs...)
		lo.early = false
		if n := lo.alternatives(s); n > 0 {
			if lo.chosenAt == nil {
				lo.chosenAt = map[*stmt]*step.Expr{}
			}
			lo.chosenAt[s] = lo.choose(&expr{pos: s.pos, end: s.headerEnd}, intConst(&expr{pos: s.pos}, int64(n)), lo.waysOf(s)...)
		}
		lo.hoistBlock(s.body, again)
		lo.hoistBlock(s.orelse, again)
	}
}

// alternatives is among how many ways a statement chooses before it begins; 0: it does not.
func (lo *lowering) alternatives(s *stmt) int {
	switch {
	case s.kind == sChoose:
		return len(s.cases)
	case s.kind == sReceive && slices.ContainsFunc(s.cases, func(c *choice) bool { return c.anytime }):
		return 2 // to look into the mailbox, or not
	}
	return 0
}

// waysOf names the alternatives of a statement for traces.
func (lo *lowering) waysOf(s *stmt) []string {
	if s.kind == sReceive {
		return []string{"a look into the mailbox", "receive after any"}
	}
	ways := make([]string, len(s.cases))
	for i, c := range s.cases {
		ways[i] = fmt.Sprintf("choose %d", i+1)
		if len(c.body) > 0 {
			ways[i] += ": " + lo.beginning(c.body)
		}
	}
	return ways
}

// beginning is the text of the first statement of a block, with points for the others.
func (lo *lowering) beginning(body []*stmt) string {
	text := lo.loader.file.between(body[0].pos, body[0].headerEnd)
	if len(body) > 1 || body[0].headerEnd != body[0].end {
		text += " ..."
	}
	return text
}

// settle marks the choices of a faulty statement as made, so that they are not reported again.
func (lo *lowering) settle(s *stmt, exprs []*expr) {
	for _, e := range exprs {
		if e != nil {
			lo.chosen[e] = intConst(e, 0)
			lo.settle(s, e.args)
		}
	}
	if lo.chosenAt == nil {
		lo.chosenAt = map[*stmt]*step.Expr{}
	}
	lo.chosenAt[s] = intConst(&expr{pos: s.pos}, 0)
}

// mayChange reports whether an expression depends on variables that are not fixed.
func (lo *lowering) mayChange(v *step.Expr) bool {
	return v.Op == step.VarRef && !v.Var.Temp && lo.names.fixed[v.Var] == "" || slices.ContainsFunc(v.Args, lo.mayChange)
}

func hasChoice(e *expr) bool {
	return e != nil && (e.kind == eCall && e.name == "any" || slices.ContainsFunc(e.args, hasChoice))
}
