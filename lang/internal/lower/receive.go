package lower

import (
	"slices"

	"cdpor/lang/internal/check"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/primitive"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// receive { case m if c { } after { } }: one step waits until some case wants a message, removes it and binds it; what
// the case does follows. With after the step does not wait. With after any it is chosen beforehand whether to look into
// the mailbox; where it holds nothing wanted, after is taken as well, so that no choice leads to a deadlock.

// A wanted is a case of receive, elaborated.
type wanted struct {
	c    *syntax.Choice
	m    *step.Var  // the message
	cond *step.Expr // about m; nil: any
}

// A reception is receive with its cases.
type reception struct {
	*lowering
	at    *syntax.Expr
	box   *step.Expr
	cases []wanted
	after *syntax.Choice // nil: none
}

// lowerReceive lowers receive.
func lowerReceive(lo *lowering, s *syntax.Stmt) {
	b := lo.Builder
	r, ok := lo.reception(s)
	if !ok {
		return
	}
	var late []*int // ends that lead to the code of after
	if alternatives(s) > 0 {
		which := lo.chosenAt[s]
		if which == nil {
			if which = emitChoice(lo.Checker, r.at, check.IntConst(r.at, 2), waysOf(lo.loader, s)...); which == nil {
				return
			}
		}
		late = append(late, b.Branch(r.Make(r.at, step.Eq, step.BoolType, which, check.IntConst(r.at, 0))))
	}
	late = append(late, r.take()...)
	var ends []*int
	for i, w := range r.cases {
		if i > 0 && w.m != r.cases[i-1].m {
			b.Assign(build.Ref(w.m, w.c.Pos), build.Ref(r.cases[i-1].m, w.c.Pos))
		}
		var skip *int
		if i < len(r.cases)-1 { // the last case need not be asked: some case wants the message
			last := ""
			if i == len(r.cases)-2 {
				last = r.named(r.cases[i+1].c)
			}
			skip = b.Decide(w.cond, r.named(w.c), last)
		}
		inScope(lo, w.c, w.m)
		b.Turn(&ends, skip)
	}
	if r.after != nil {
		b.Open = late
		lo.stmts(r.after.Body)
		ends = append(ends, b.Open...)
	}
	b.Open = ends
}

// inScope lowers the code of a case.
func inScope(lo *lowering, c *syntax.Choice, m *step.Var) {
	lo.names.Visible = append(lo.names.Visible, map[string]check.Local{})
	if c.Name != "" {
		lo.names.Visible[len(lo.names.Visible)-1][c.Name] = check.Local{Var: m, At: c.NameAt}
	}
	lo.stmts(c.Body)
	lo.names.Visible = lo.names.Visible[:len(lo.names.Visible)-1]
}

// reception elaborates the cases. After an error it lowers their code, for the errors in there.
func (lo *lowering) reception(s *syntax.Stmt) (r *reception, ok bool) {
	before := lo.Count()
	r = &reception{lowering: lo, at: &syntax.Expr{Pos: s.Pos, End: s.HeaderEnd}}
	m := lo.mailbox
	var elem *step.Type // nil after an error
	switch {
	case m == nil && lo.Builder.Actor != nil:
		lo.Fail(r.at, "what is sent to an actor are calls of its methods", "an actor has no mailbox")
	case m == nil:
		lo.Fail(r.at, "write {mailbox: int, run: ...}", "this thread has no mailbox")
	case m.Var != nil:
		m.Read = true
		elem = m.Type.Elem
		r.box = m.At(lo.Checker, r.at, &step.Expr{Op: step.Self, Type: step.IntType, Pos: s.Pos, Of: step.Own})
		if m.Bag() && m.Type.Len > 1 && lo.Builder.Atomic > 0 {
			lo.Fail(r.at, "put the atomic block into the cases",
				"a receive from a bag is a choice, and this one would be inside of a step")
		}
	}
	for i, c := range s.Cases {
		switch {
		case c.After && r.after != nil:
			lo.Report(c.Pos, c.End, "", "a second after")
		case c.After:
			r.after = c
		case r.after != nil:
			lo.Report(c.Pos, c.End, "put it before after", "a case behind after")
		case i > 0 && s.Cases[i-1].Cond == nil:
			lo.Report(c.Pos, c.End, "put it first", "this case is never reached: the one before takes any message")
		}
		if !c.After {
			r.cases = append(r.cases, receptionWants(lo, c, elem))
		}
	}
	if len(r.cases) == 0 {
		lo.Report(s.Pos, s.End, "write case m { } for any message", "receive needs a case")
	}
	ok = lo.Count() == before && r.box != nil
	for _, w := range r.cases {
		if !ok {
			inScope(lo, w.c, w.m)
		}
	}
	if !ok && r.after != nil {
		lo.stmts(r.after.Body)
	}
	return r, ok
}

// receptionWants elaborates a case for messages of a type.
func receptionWants(lo *lowering, c *syntax.Choice, elem *step.Type) wanted {
	w := wanted{c: c}
	lo.names.Visible = append(lo.names.Visible, map[string]check.Local{})
	defer func() { lo.names.Visible = lo.names.Visible[:len(lo.names.Visible)-1] }()
	if c.Name == "" && elem != nil {
		w.m = lo.Builder.CheckedTemp(elem, c.Pos).Var
	} else if c.Name == "" {
		return w
	} else if w.m = lo.declare(&syntax.Stmt{Name: c.Name, NameAt: c.NameAt}, elem, "a message"); w.m == nil {
		w.m = &step.Var{Name: c.Name, Pos: c.NameAt}
		return w
	}
	if c.Cond == nil {
		return w
	}
	if w.cond = lo.Pure().Truth(c.Cond); w.cond != nil && w.cond.TouchesShared() {
		lo.Fail(c.Cond, "copy it to a variable before receive",
			"whether a case wants a message cannot depend on shared data")
	}
	w.cond.EachVar(func(e *step.Expr) {
		if e.Var == w.m { // the step asks the messages in the mailbox, not the variable
			lo.loader.findings.Asked[e.Var.Pos] = true
		}
	})
	return w
}

// wanting is the condition that some case wants the message elem; nil: always.
func (r *reception) wanting(elem *step.Expr) *step.Expr {
	var any *step.Expr
	for _, w := range r.cases {
		if w.cond == nil {
			return nil
		}
		x := *r.Pure()
		x.Bound = append(slices.Clip(x.Bound), check.Binding{Name: w.c.Name, At: w.c.NameAt, Expr: elem})
		any = check.JoinConditions(r.lowering.Checker, w.c.Cond, step.Or, any, x.Truth(w.c.Cond))
	}
	return any
}

// named is a case for traces.
func (r *reception) named(c *syntax.Choice) string {
	return "receive " + r.loader.File.Between(c.Pos, c.End)
}

// only is the name of the case if there is just one; of several it is said later which one wants the message.
func (r *reception) only() string {
	if len(r.cases) > 1 {
		return ""
	}
	return r.named(r.cases[0].c)
}

// take emits taking a message. The ends it returns lead to after.
func (r *reception) take() (none []*int) {
	p := primitive.Reception{Mailbox: primitive.Mailbox{Place: r.box}, Message: build.Ref(r.cases[0].m, r.at.Pos),
		Poll: r.after != nil, Way: r.only(), None: "receive after"}
	several := r.box.Type.Kind == step.Bag && r.box.Type.Len > 1
	if any := r.cases[len(r.cases)-1].cond == nil; !any {
		p.Wants = r.wanting
	} else if !several {
		return p.Take(r.CodeAt(r.at))
	}
	if !check.WritesOut(r.lowering.Checker, r.at, r.box.Type) {
		return nil
	}
	return p.Take(r.CodeAt(r.at))
}
