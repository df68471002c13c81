package lang

import (
	"slices"

	"cdpor/lang/internal/syntax"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// receive { case m if c { } after { } }: one step waits until some case wants a message, removes it and binds it; what the
// case does follows. With after the step does not wait. With after any it is chosen beforehand whether to look into the
// mailbox; where it holds nothing wanted, after is taken as well, so that no choice leads to a deadlock.

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

// receives lowers receive.
func (lo *lowering) receives(s *syntax.Stmt) {
	b := lo.b
	r, ok := lo.reception(s)
	if !ok {
		return
	}
	var late []*int // ends that lead to the code of after
	if lo.alternatives(s) > 0 {
		which := lo.chosenAt[s]
		if which == nil {
			if which = lo.choose(r.at, intConst(r.at, 2), lo.waysOf(s)...); which == nil {
				return
			}
		}
		late = append(late, b.Branch(r.make(r.at, step.Eq, step.BoolType, which, intConst(r.at, 0))))
	}
	if r.box.Type.Kind == step.Bag && r.box.Type.Len > 1 {
		late = append(late, r.takeAny()...)
	} else {
		late = append(late, r.takeFirst()...)
	}
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
		lo.inScope(w.c, w.m)
		ends = append(ends, b.Open...)
		b.Open = nil
		if skip != nil {
			b.Open = []*int{skip}
		}
	}
	if r.after != nil {
		b.Open = late
		lo.stmts(r.after.Body)
		ends = append(ends, b.Open...)
	}
	b.Open = ends
}

// inScope lowers the code of a case.
func (lo *lowering) inScope(c *syntax.Choice, m *step.Var) {
	lo.names.visible = append(lo.names.visible, map[string]local{})
	if c.Name != "" {
		lo.names.visible[len(lo.names.visible)-1][c.Name] = local{m, c.NameAt}
	}
	lo.stmts(c.Body)
	lo.names.visible = lo.names.visible[:len(lo.names.visible)-1]
}

// reception elaborates the cases. After an error it lowers their code, for the errors in there.
func (lo *lowering) reception(s *syntax.Stmt) (r *reception, ok bool) {
	before := lo.Count()
	r = &reception{lowering: lo, at: &syntax.Expr{Pos: s.Pos, End: s.HeaderEnd}}
	m := lo.mailbox
	var elem *step.Type // nil after an error
	switch {
	case m == nil && lo.b.actor != nil:
		lo.errorf(r.at, "what is sent to an actor are calls of its methods", "an actor has no mailbox")
	case m == nil:
		lo.errorf(r.at, "write {mailbox: int, run: ...}", "this thread has no mailbox")
	case m.v != nil:
		m.read = true
		elem = m.typ.Elem
		r.box = m.at(lo.elab, r.at, &step.Expr{Op: step.Self, Type: step.IntType, Pos: s.Pos, Of: step.Own})
		if m.bag() && m.typ.Len > 1 && lo.b.Atomic > 0 {
			lo.errorf(r.at, "put the atomic block into the cases", "a receive from a bag is a choice, and this one would be inside of a step")
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
			r.cases = append(r.cases, lo.wants(c, elem))
		}
	}
	if len(r.cases) == 0 {
		lo.Report(s.Pos, s.End, "write case m { } for any message", "receive needs a case")
	}
	ok = lo.Count() == before && r.box != nil
	for _, w := range r.cases {
		if !ok {
			lo.inScope(w.c, w.m)
		}
	}
	if !ok && r.after != nil {
		lo.stmts(r.after.Body)
	}
	return r, ok
}

// wants elaborates a case for messages of a type.
func (lo *lowering) wants(c *syntax.Choice, elem *step.Type) wanted {
	w := wanted{c: c}
	lo.names.visible = append(lo.names.visible, map[string]local{})
	defer func() { lo.names.visible = lo.names.visible[:len(lo.names.visible)-1] }()
	if c.Name == "" && elem != nil {
		w.m = lo.b.CheckedTemp(elem, c.Pos).Var
	} else if c.Name == "" {
		return w
	} else if w.m = lo.declare(&syntax.Stmt{Name: c.Name, NameAt: c.NameAt}, elem, "a message"); w.m == nil {
		w.m = &step.Var{Name: c.Name, Pos: c.NameAt}
		return w
	}
	if c.Cond == nil {
		return w
	}
	if w.cond = lo.pure().truth(c.Cond); w.cond != nil && w.cond.TouchesShared() {
		lo.errorf(c.Cond, "copy it to a variable before receive", "whether a case wants a message cannot depend on shared data")
	}
	eachVar(w.cond, func(v *step.Var) {
		if v == w.m { // the step asks the messages in the mailbox, not the variable
			lo.loader.asked[v.Pos] = true
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
		x := *r.pure()
		x.bound = append(slices.Clip(x.bound), binding{w.c.Name, w.c.NameAt, elem})
		any = r.join(w.c.Cond, step.Or, any, x.truth(w.c.Cond))
	}
	return any
}

// matches are, for each place of a mailbox, the condition that there is a message which is wanted.
func (r *reception) matches(box *step.Expr) (list []*step.Expr) {
	r.elements(r.at, box, func(elem, present *step.Expr) bool {
		is := present
		if w := r.wanting(elem); w != nil {
			is = r.make(r.at, step.And, step.BoolType, present, w)
		}
		list = append(list, is)
		return is != nil
	})
	return list
}

// firstOf is the number of the first place where a condition holds, or -1.
func (r *reception) firstOf(list []*step.Expr) *step.Expr {
	v := intConst(r.at, -1)
	for i := len(list) - 1; i >= 0; i-- {
		v = r.make(r.at, step.Cond, step.IntType, list[i], intConst(r.at, int64(i)), v)
	}
	return v
}

func (r *reception) anyOf(list []*step.Expr) (some *step.Expr) {
	for _, is := range list {
		some = r.join(r.at, step.Or, some, is)
	}
	return some
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

// message is where the message goes that is taken.
func (r *reception) message() *step.Expr { return build.Ref(r.cases[0].m, r.at.Pos) }

func (r *reception) elem(box, i *step.Expr) *step.Expr {
	return r.make(r.at, step.Index, box.Type.Elem, box, i)
}

// takeFirst emits taking the first message that is wanted. The ends it returns lead to after.
func (r *reception) takeFirst() (none []*int) {
	b := r.b
	b.Unit(func() {
		if r.cases[len(r.cases)-1].cond == nil { // so the first message is
			there := r.positive(r.at, r.sizeOf(r.at, r.box))
			if r.after == nil {
				r.await(there)
			} else {
				none = append(none, b.Decide(there, r.only(), "receive after"))
			}
			b.Assign(r.message(), r.elem(r.box, intConst(r.at, 0)))
			r.removeHead()
			return
		}
		list := r.matches(r.box)
		if r.after == nil {
			r.await(r.anyOf(list))
		}
		i := b.Temp(step.IntType, r.at.Pos)
		b.Assign(i, r.firstOf(list))
		if r.after != nil {
			none = append(none, b.Decide(r.make(r.at, step.Ge, step.BoolType, i, intConst(r.at, 0)), r.only(), "receive after"))
		}
		b.Assign(r.message(), r.elem(r.box, i))
		// Those before it move up, and the head goes.
		for k := r.box.Type.Len - 1; k > 0; k-- {
			skip := b.Branch(r.make(r.at, step.Ge, step.BoolType, i, intConst(r.at, int64(k))))
			b.Assign(r.elem(r.box, intConst(r.at, int64(k))), r.elem(r.box, intConst(r.at, int64(k-1))))
			b.Open = append(b.Open, skip)
		}
		r.removeHead()
	})
	return none
}

func (r *reception) removeHead() {
	if r.box.Type.Kind == step.Bag {
		r.removeMessage()
		return
	}
	r.b.Emit(step.Node{Kind: step.PopHead, Dst: r.box})
}

func (r *reception) removeMessage() {
	r.b.Assign(r.box, r.make(r.at, step.Drop, r.box.Type, r.box, r.message()))
}

// takeAny emits taking any message that is wanted, from a bag. Where there are different ones, the step keeps a copy of the
// bag, one of them is chosen, and a second step removes it: nobody else takes messages away.
func (r *reception) takeAny() (none []*int) {
	b := r.b
	kept, number := b.CheckedTemp(r.box.Type, r.at.Pos), b.Temp(step.IntType, r.at.Pos)
	var one []*int
	b.Unit(func() {
		list := r.matches(r.box)
		if r.after == nil {
			r.await(r.anyOf(list))
		}
		for i, is := range list {
			if i > 0 {
				is = r.make(r.at, step.And, step.BoolType, is, r.make(r.at, step.Ne, step.BoolType,
					r.elem(r.box, intConst(r.at, int64(i))), r.elem(r.box, intConst(r.at, int64(i-1)))))
			}
			count := r.make(r.at, step.Cond, step.IntType, is, intConst(r.at, 1), intConst(r.at, 0))
			if i > 0 {
				count = r.make(r.at, step.Add, step.IntType, number, count)
			}
			b.Assign(number, count)
		}
		if r.after != nil {
			none = append(none, b.Decide(r.positive(r.at, number), r.only(), "receive after"))
		}
		several := b.Branch(r.make(r.at, step.Eq, step.BoolType, number, intConst(r.at, 1)))
		b.Assign(r.message(), r.elem(r.box, r.firstOf(list)))
		r.removeMessage()
		one, b.Open = b.Open, []*int{several}
		b.Assign(kept, r.box)
	})
	left := r.choose(r.at, number)
	if left == nil {
		return none
	}
	i := b.Temp(step.IntType, r.at.Pos)
	b.Assign(i, intConst(r.at, 0))
	loop := len(b.Nodes)
	is := r.make(r.at, step.Or, step.BoolType, r.make(r.at, step.Eq, step.BoolType, i, intConst(r.at, 0)),
		r.make(r.at, step.Ne, step.BoolType, r.elem(kept, i), r.elem(kept, r.make(r.at, step.Sub, step.IntType, i, intConst(r.at, 1)))))
	if w := r.wanting(r.elem(kept, i)); w != nil {
		is = r.make(r.at, step.And, step.BoolType, is, w)
	}
	other := b.Branch(is)
	found := b.Branch(r.positive(r.at, left))
	r.plus(r.at, left, -1)
	b.Open = append(b.Open, other)
	r.plus(r.at, i, 1)
	b.Connect(b.Open, loop)
	b.Open = []*int{found}
	b.Assign(r.message(), r.elem(kept, i))
	b.Unit(r.removeMessage)
	b.Open = append(b.Open, one...)
	return none
}
