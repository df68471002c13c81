package lower

import (
	"cdpor/lang/internal/check"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/primitive"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// send lowers send c, v.
func (lo *lowering) send(s *syntax.Stmt) {
	b, e := lo.Builder, s.Place
	value := lo.called(s.Value)
	lo.hoist(value)
	c, ok := lo.unmoved().ChannelAt(e)
	if !ok {
		lo.Probe(value)
		return
	}
	t := c.Place.Type.Elem
	var v *step.Expr
	if lo.Emits(value) || !types.Contains(t, step.IntType) && t.Kind == step.Range {
		// What has an effect, or may be outside of the range, is a step of its own before the send.
		b.Simple(func() {
			if v = lo.Assignable(value, t); v != nil {
				kept := b.CheckedTemp(t, v.Pos)
				b.Assign(kept, v)
				v = kept
			}
		})
	} else {
		v = lo.unmoved().Assignable(value, t)
	}
	if v == nil {
		return
	}
	c.Send(lo.CodeAt(e), v)
}

// forReceived lowers for v in c { }, which receives until the channel is closed and empty.
func (lo *lowering) forReceived(s *syntax.Stmt) {
	b, e := lo.Builder, s.Value
	lo.names.Visible = append(lo.names.Visible, map[string]check.Local{})
	defer func() { lo.names.Visible = lo.names.Visible[:len(lo.names.Visible)-1] }()
	c, ok := lo.Pure().ChannelAt(e)
	if !ok {
		return
	}
	v := lo.declare(s, c.Place.Type.Elem, "a loop variable")
	if v == nil {
		lo.forget(s)
		lo.loop(s.Body, 1, func() {})
		return
	}
	head := len(b.Nodes)
	exit := c.Next(lo.CodeAt(e), build.Ref(v, s.NameAt))
	lo.loop(s.Body, 0, func() { b.Connect(b.Open, head) })
	if exit != nil {
		b.Open = append(b.Open, exit)
	}
}

// A selectCase is one case of select, elaborated as far as its condition needs.
type selectCase struct {
	c       *syntax.Choice
	at      *syntax.Expr // the channel, for places
	channel primitive.Channel
	receive bool
	value   *step.Expr // of a send
}

// selects lowers select.
func (lo *lowering) selects(s *syntax.Stmt) {
	elaborated, otherwise, ok := lo.selectCases(s)
	if !ok {
		for _, c := range s.Cases {
			lo.stmts(c.Body)
		}
		return
	}
	e := &syntax.Expr{Pos: s.Pos, End: s.HeaderEnd}
	ways := int64(len(elaborated))
	if otherwise != nil {
		ways++
	}
	if len(elaborated) > 1 && !lo.mayChoose(e, ways) {
		return
	}
	cases := make([]primitive.Case, len(elaborated))
	for i, k := range elaborated {
		ready := k.channel.CanSend
		if k.receive {
			ready = k.channel.CanReceive
		}
		cases[i] = primitive.Case{Name: lo.loader.File.Between(k.c.Pos, k.c.End), Ready: ready(lo.CodeAt(k.at)),
			Communicate: func() {
				lo.names.Visible = append(lo.names.Visible, map[string]check.Local{})
				lo.communicate(k)
			},
			Body: func() {
				lo.stmts(k.c.Body)
				lo.names.Visible = lo.names.Visible[:len(lo.names.Visible)-1]
			}}
	}
	var none func()
	if otherwise != nil {
		none = func() { lo.stmts(otherwise.Body) }
	}
	primitive.Select(lo.CodeAt(e), cases, none)
}

// selectCases elaborates the cases; a default stands apart.
func (lo *lowering) selectCases(s *syntax.Stmt) (cases []selectCase, otherwise *syntax.Choice, ok bool) {
	before := lo.Count()
	for _, c := range s.Cases {
		if c.Communication == nil {
			if otherwise != nil {
				lo.Report(c.Pos, c.End, "", "a second default")
			}
			otherwise = c
			continue
		}
		k := selectCase{c: c}
		if c.Communication.Kind == syntax.SSend {
			k.at = c.Communication.Place
		} else if v := c.Communication.Value; v != nil && v.Kind == syntax.ERecv && c.Communication.Op == "" {
			k.at, k.receive = v.Args[0], true
		} else {
			lo.Report(c.Pos, c.End, "", "a case is send c, v or recv c, with let v = or v = in front")
			continue
		}
		x := lo.Pure()
		if k.channel, ok = x.ChannelAt(k.at); !ok {
			continue
		}
		if !k.receive {
			if k.channel.Place.Type.Len == 0 {
				lo.Report(c.Pos, c.End, "give the channel a capacity",
					"a rendezvous can be received from in select, but not sent to")
				continue
			}
			if k.value = x.Assignable(c.Communication.Value, k.channel.Place.Type.Elem); k.value == nil {
				continue
			}
		}
		cases = append(cases, k)
	}
	if len(cases) == 0 && lo.Count() == before {
		lo.Report(s.Pos, s.End, "", "select needs a case")
	}
	return cases, otherwise, lo.Count() == before
}

// communicate emits what a case of select does, in the step that chose it.
func (lo *lowering) communicate(k selectCase) {
	comm := *k.c.Communication
	if !k.receive {
		k.channel.Give(lo.CodeAt(k.at), k.value)
		return
	}
	v := k.channel.Take(lo.CodeAt(comm.Value), comm.Kind != syntax.SExpr)
	comm.Value = &syntax.Expr{Kind: syntax.EDone, Pos: comm.Value.Pos, End: comm.Value.End, Done: v}
	switch comm.Kind {
	case syntax.SVar:
		lo.declaration(&comm)
	case syntax.SAssign:
		lo.assignment(&comm)
	}
}
