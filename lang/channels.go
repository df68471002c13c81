package lang

import (
	"cdpor/lang/internal/syntax"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// A channel with a capacity is a queue. A rendezvous is one cell that a sender fills and then watches until a receiver has
// emptied it, so that neither goes on before the other has come.

// channel makes the type of a channel.
func (l *loader) channel(elem *step.Type, capacity int) *step.Type {
	t := &step.Type{Kind: step.Record, Sync: "chan", Len: capacity, Elem: elem}
	if capacity > 0 {
		t.Fields = []step.Field{{Name: "buf", Type: &step.Type{Kind: step.Queue, Elem: elem, Len: capacity}}}
	} else {
		t.Fields = []step.Field{{Name: "sender", Type: step.MutexType}, {Name: "value", Type: elem}}
	}
	t.Fields = append(t.Fields, step.Field{Name: "closed", Type: step.BoolType})
	return t
}

// channelAt elaborates an expression that must be a channel.
func (x *elab) channelAt(e *syntax.Expr) *step.Expr {
	c := x.base(e, nil)
	if c != nil && c.Type.Sync != "chan" {
		return x.errorf(e, "", "this is %s, but a channel is needed", typeString(c.Type))
	}
	return c
}

// ready is the condition under which a receive, or else a send, need not wait. Closing wakes those who wait.
func (x *elab) ready(e *syntax.Expr, c *step.Expr, receive bool) *step.Expr {
	var can *step.Expr
	switch {
	case c.Type.Len > 0:
		size := x.make(e, step.Size, step.IntType, x.partNamed(e, c, "buf"))
		if receive {
			can = x.make(e, step.Gt, step.BoolType, size, intConst(e, 0))
		} else {
			can = x.make(e, step.Lt, step.BoolType, size, intConst(e, int64(c.Type.Len)))
		}
	case receive:
		can = x.make(e, step.Ne, step.BoolType, x.partNamed(e, c, "sender"), constant(e, step.MutexType, 0))
	default:
		can = x.make(e, step.Eq, step.BoolType, x.partNamed(e, c, "sender"), constant(e, step.MutexType, 0))
	}
	return x.make(e, step.Or, step.BoolType, can, x.partNamed(e, c, "closed"))
}

// take emits the removal of a value that is there, and returns it; result nil means that it is not used.
func (x *elab) take(e *syntax.Expr, c *step.Expr, used bool) (result *step.Expr) {
	b := x.b
	there := x.ready(e, c, true).Args[0]
	b.Emit(step.Node{Kind: step.Check, Cond: there, Fault: step.Misused, Msg: "receive from a closed channel"})
	if used {
		result = b.CheckedTemp(c.Type.Elem, e.Pos)
	}
	if c.Type.Len > 0 {
		buf := x.partNamed(e, c, "buf")
		if used {
			b.Assign(result, x.make(e, step.Index, c.Type.Elem, buf, intConst(e, 0)))
		}
		b.Emit(step.Node{Kind: step.PopHead, Dst: buf})
		return result
	}
	value, sender := x.partNamed(e, c, "value"), x.partNamed(e, c, "sender")
	if used {
		b.Assign(result, value)
	}
	b.Assign(value, constant(e, value.Type, defaultWords(value.Type)...))
	b.Assign(sender, constant(e, step.MutexType, 0))
	return result
}

// give emits the delivery of a value into a channel with room.
func (lo *lowering) give(e *syntax.Expr, c, v *step.Expr) {
	lo.check(lo.not(e, lo.partNamed(e, c, "closed")), step.Misused, "send on a closed channel")
	if c.Type.Len > 0 {
		lo.b.Emit(step.Node{Kind: step.Append, Dst: lo.partNamed(e, c, "buf"), Src: v})
		return
	}
	lo.b.Assign(lo.partNamed(e, c, "sender"), lo.me(e, step.Own))
	lo.b.Assign(lo.partNamed(e, c, "value"), v)
}

// receive elaborates recv c.
func (x *elab) receive(e *syntax.Expr, used bool) *step.Expr {
	y := x
	if x.b == nil {
		return x.errorf(e, "", "an expression here must not change anything")
	}
	if !x.b.split() {
		y = x.pure() // nothing may come before the node that blocks
	}
	c := y.channelAt(e.Args[0])
	if c == nil {
		return nil
	}
	var result *step.Expr
	x.b.Unit(func() {
		x.b.Emit(step.Node{Kind: step.Await, Cond: x.ready(e, c, true)})
		result = x.take(e, c, used)
	})
	return result
}

// send lowers send c, v.
func (lo *lowering) send(s *syntax.Stmt) {
	b, e := lo.b, s.Place
	value := lo.called(s.Value)
	lo.hoist(value)
	c := lo.unmoved().channelAt(e)
	if c == nil {
		lo.probe(value)
		return
	}
	t := c.Type.Elem
	var v *step.Expr
	if lo.emits(value) || !contains(t, step.IntType) && t.Kind == step.Range {
		// What has an effect, or may be outside of the range, is a step of its own before the send.
		b.Simple(func() {
			if v = lo.assignable(value, t); v != nil {
				kept := b.CheckedTemp(t, v.Pos)
				b.Assign(kept, v)
				v = kept
			}
		})
	} else {
		v = lo.unmoved().assignable(value, t)
	}
	if v == nil {
		return
	}
	b.Unit(func() {
		lo.await(lo.ready(e, c, false))
		lo.give(e, c, v)
	})
	if c.Type.Len > 0 {
		return
	}
	b.Unit(func() {
		waits := lo.mine(e, lo.partNamed(e, c, "sender"))
		lo.await(lo.make(e, step.Or, step.BoolType, lo.not(e, waits), lo.partNamed(e, c, "closed")))
		lo.check(lo.not(e, waits), step.Misused, "the channel was closed during a send")
	})
}

// forReceived lowers for v in c { }, which receives until the channel is closed and empty.
func (lo *lowering) forReceived(s *syntax.Stmt) {
	b, e := lo.b, s.Value
	lo.names.visible = append(lo.names.visible, map[string]local{})
	defer func() { lo.names.visible = lo.names.visible[:len(lo.names.visible)-1] }()
	c := lo.pure().channelAt(e)
	if c == nil {
		return
	}
	v := lo.declare(s, c.Type.Elem, "a loop variable")
	if v == nil {
		lo.forget(s)
		lo.loop(s.Body, 1, func() {})
		return
	}
	head := len(b.Nodes)
	var exit *int
	b.Unit(func() {
		ready := lo.ready(e, c, true)
		lo.await(ready)
		if ready != nil {
			exit = b.Branch(ready.Args[0])
			b.Assign(build.Ref(v, s.NameAt), lo.take(e, c, true))
		}
	})
	lo.loop(s.Body, 0, func() { b.Connect(b.Open, head) })
	if exit != nil {
		b.Open = append(b.Open, exit)
	}
}

func (lo *lowering) closeChannel(e *syntax.Expr, c *step.Expr) {
	closed := lo.partNamed(e, c, "closed")
	lo.b.Unit(func() {
		lo.check(lo.not(e, closed), step.Misused, "the channel is already closed")
		lo.set(e, closed, 1)
	})
}

// A selectCase is one case of select, elaborated as far as its condition needs.
type selectCase struct {
	c       *syntax.Choice
	name    string       // case and what it does, as it is written
	at      *syntax.Expr // the channel, for places
	channel *step.Expr
	receive bool
	value   *step.Expr // of a send
	ready   *step.Expr
}

// selects lowers select: one step waits until some case can go on and takes part in it; with several cases the scheduler
// chooses where to begin to look.
func (lo *lowering) selects(s *syntax.Stmt) {
	b := lo.b
	cases, otherwise, ok := lo.selectCases(s)
	if !ok {
		for _, c := range s.Cases {
			lo.stmts(c.Body)
		}
		return
	}
	e := &syntax.Expr{Pos: s.Pos, End: s.HeaderEnd}
	var start *step.Expr
	if len(cases) > 1 {
		ways := make([]string, len(cases))
		for i, c := range cases {
			ways[i] = "first look at " + c.name
		}
		if start = lo.choose(e, intConst(e, int64(len(cases))), ways...); start == nil {
			return
		}
	}
	var any *step.Expr
	for _, c := range cases {
		any = lo.join(e, step.Or, any, c.ready)
	}
	from := len(b.Nodes)
	b.Atomic++
	if otherwise == nil {
		lo.await(any)
	}
	chosen := b.Temp(step.IntType, s.Pos)
	b.Assign(chosen, lo.firstReady(e, cases, start))
	b.Atomic--
	if b.Atomic == 0 && len(b.Nodes) > from {
		b.Nodes[from].Visible = true
	}
	var after []*int
	for i, c := range cases {
		other := ""
		if i == len(cases)-1 && otherwise != nil {
			other = "select default"
		}
		skip := b.Decide(lo.make(e, step.Eq, step.BoolType, chosen, intConst(e, int64(i))), "select "+c.name, other)
		lo.names.visible = append(lo.names.visible, map[string]local{})
		b.Atomic++
		lo.communicate(c)
		b.Atomic--
		lo.stmts(c.c.Body)
		lo.names.visible = lo.names.visible[:len(lo.names.visible)-1]
		after = append(after, b.Open...)
		b.Open = []*int{skip}
	}
	if otherwise != nil {
		lo.stmts(otherwise.Body)
		after = append(after, b.Open...)
	}
	// Without default one of the cases was chosen, and the last test cannot fail: where it would lead is where all go on.
	b.Open = append(after, b.Open...)
	if otherwise != nil {
		b.Open = after
	}
}

// firstReady is the number of the first case that can go on, counted from start, or -1.
func (lo *lowering) firstReady(e *syntax.Expr, cases []selectCase, start *step.Expr) *step.Expr {
	from := func(first int) *step.Expr {
		v := intConst(e, -1)
		for k := len(cases) - 1; k >= 0; k-- {
			i := (first + k) % len(cases)
			v = lo.make(e, step.Cond, step.IntType, cases[i].ready, intConst(e, int64(i)), v)
		}
		return v
	}
	v := from(0)
	for i := 1; i < len(cases); i++ {
		v = lo.make(e, step.Cond, step.IntType, lo.make(e, step.Eq, step.BoolType, start, intConst(e, int64(i))), from(i), v)
	}
	return v
}

// selectCases elaborates the cases; a default stands apart.
func (lo *lowering) selectCases(s *syntax.Stmt) (cases []selectCase, otherwise *syntax.Choice, ok bool) {
	before := lo.Count()
	for _, c := range s.Cases {
		if c.Comm == nil {
			if otherwise != nil {
				lo.Report(c.Pos, c.End, "", "a second default")
			}
			otherwise = c
			continue
		}
		k := selectCase{c: c, name: lo.loader.File.Between(c.Pos, c.End)}
		if c.Comm.Kind == syntax.SSend {
			k.at = c.Comm.Place
		} else if v := c.Comm.Value; v != nil && v.Kind == syntax.ERecv && c.Comm.Op == "" {
			k.at, k.receive = v.Args[0], true
		} else {
			lo.Report(c.Pos, c.End, "", "a case is send c, v or recv c, with let v = or v = in front")
			continue
		}
		x := lo.pure()
		if k.channel = x.channelAt(k.at); k.channel == nil {
			continue
		}
		if !k.receive {
			if k.channel.Type.Len == 0 {
				lo.Report(c.Pos, c.End, "give the channel a capacity", "a rendezvous can be received from in select, but not sent to")
				continue
			}
			if k.value = x.assignable(c.Comm.Value, k.channel.Type.Elem); k.value == nil {
				continue
			}
		}
		k.ready = x.ready(k.at, k.channel, k.receive)
		cases = append(cases, k)
	}
	if len(cases) == 0 && lo.Count() == before {
		lo.Report(s.Pos, s.End, "", "select needs a case")
	}
	return cases, otherwise, lo.Count() == before
}

// communicate emits what a case of select does, in the step that chose it.
func (lo *lowering) communicate(k selectCase) {
	comm := *k.c.Comm
	if !k.receive {
		lo.give(k.at, k.channel, k.value)
		return
	}
	v := lo.take(comm.Value, k.channel, comm.Kind != syntax.SExpr)
	comm.Value = &syntax.Expr{Kind: syntax.EDone, Pos: comm.Value.Pos, End: comm.Value.End, Done: v}
	switch comm.Kind {
	case syntax.SVar:
		lo.declaration(&comm)
	case syntax.SAssign:
		lo.assignment(&comm)
	}
}
