package lower

import (
	"slices"

	"cdpor/lang/internal/check"
	"cdpor/lang/internal/syntax"
	"cdpor/lang/internal/types"
	"cdpor/lang/primitive"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// lowerSend lowers send c, v.
func lowerSend(lo *lowering, s *syntax.Stmt) {
	b, e := lo.Builder, s.Place
	value := inlineCalled(lo, s.Value)
	hoistChoices(lo, value)
	c, ok := check.ChannelAt(unmoved(lo.Checker), e)
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
		v = unmoved(lo.Checker).Assignable(value, t)
	}
	if v == nil {
		return
	}
	c.Send(lo.CodeAt(e), v)
}

// forReceived lowers for v in c { }, which receives until the channel is closed and empty.
func forReceived(lo *lowering, s *syntax.Stmt) {
	b, e := lo.Builder, s.Value
	lo.names.Visible = append(lo.names.Visible, map[string]check.Local{})
	defer func() { lo.names.Visible = lo.names.Visible[:len(lo.names.Visible)-1] }()
	c, ok := check.ChannelAt(lo.Pure(), e)
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

// receiveTwo lowers v, ok = recv c, also with let or var in front.
func receiveTwo(lo *lowering, s *syntax.Stmt) {
	if s.Value.Kind != syntax.ERecv {
		lo.Fail(s.Value, "write v, ok = recv c", "two variables are for recv alone")
		storeTwo(lo, s, nil, nil)
		return
	}
	hoistChoices(lo, s.Place, s.Ok.Place, s.Value)
	lo.Builder.Simple(func() {
		value, ok := check.ReceiveOrClosed(lo.Checker, s.Value, !ignored(s))
		storeTwo(lo, s, value, ok)
	})
}

// storeTwo assigns to v and ok what has been received.
func storeTwo(lo *lowering, s *syntax.Stmt, value, ok *step.Expr) {
	v := *s
	v.Ok = nil
	for _, one := range []struct {
		s    *syntax.Stmt
		done *step.Expr
	}{{&v, value}, {s.Ok, ok}} {
		if ignored(one.s) {
			continue
		}
		whole := *one.s
		whole.Value = &syntax.Expr{Kind: syntax.EDone, Pos: s.Value.Pos, End: s.Value.End, Done: one.done}
		lo.store(&whole)
	}
}

// ignored reports whether a value is received for _.
func ignored(s *syntax.Stmt) bool {
	return s.Kind == syntax.SVar && s.Name == "_" ||
		s.Kind == syntax.SAssign && s.Place.Kind == syntax.EName && s.Place.Name == "_"
}

// A selectCase is one case of select, elaborated as far as its condition needs.
type selectCase struct {
	c       *syntax.Choice
	at      *syntax.Expr // the channel, for places
	channel primitive.Channel
	kind    communication
	value   *step.Expr // of a send
}

type communication uint8

const (
	sends        communication = iota // case send c, v
	receives                          // case v = recv c, an error if the channel is closed and empty
	receivesFull                      // the same beside case closed c: only where there is a value
	receivesTwo                       // case v, ok = recv c
	isClosed                          // case closed c
)

// ready is the condition under which a case takes part.
func (k *selectCase) ready(c *build.Code) *step.Expr {
	switch k.kind {
	case sends:
		return k.channel.CanSend(c)
	case receivesFull:
		return k.channel.Full(c)
	case isClosed:
		return k.channel.Drained(c)
	}
	return k.channel.CanReceive(c)
}

// lowerSelect lowers select.
func lowerSelect(lo *lowering, s *syntax.Stmt) {
	elaborated, otherwise, ok := selectCases(lo.Checker, lo.loader, s)
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
	if len(elaborated) > 1 && !mayChoose(lo.Checker, e, ways) {
		return
	}
	cases := make([]primitive.Case, len(elaborated))
	for i, k := range elaborated {
		cases[i] = primitive.Case{Name: lo.loader.File.Between(k.c.Pos, k.c.End), Ready: k.ready(lo.CodeAt(k.at)),
			Communicate: func() {
				lo.names.Visible = append(lo.names.Visible, map[string]check.Local{})
				communicate(lo, k)
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
func selectCases(x *check.Checker, l *loader, s *syntax.Stmt) (cases []selectCase, otherwise *syntax.Choice, ok bool) {
	before := x.Count()
	for _, c := range s.Cases {
		if c.Communication == nil {
			if otherwise != nil {
				x.Report(c.Pos, c.End, "", "a second default")
			}
			otherwise = c
			continue
		}
		k := selectCase{c: c}
		switch v := c.Communication.Value; {
		case c.Communication.Kind == syntax.SSend:
			k.at = c.Communication.Place
		case c.Communication.Kind == syntax.SClosed:
			k.at, k.kind = c.Communication.Place, isClosed
		case v != nil && v.Kind == syntax.ERecv && c.Communication.Op == "":
			if k.at, k.kind = v.Args[0], receives; c.Communication.Ok != nil {
				k.kind = receivesTwo
			}
		default:
			hint := ""
			if v != nil && v.Kind == syntax.ECall && v.Name == "closed" && len(v.Args) == 1 {
				hint = "write closed " + l.File.Between(v.Args[0].Pos, v.Args[0].End)
			}
			x.Report(c.Pos, c.End, hint,
				"a case is send c, v, closed c or recv c, perhaps with let v = or let v, ok = in front")
			continue
		}
		x := x.Pure()
		if k.channel, ok = check.ChannelAt(x, k.at); !ok {
			continue
		}
		if k.kind == sends {
			if k.channel.Place.Type.Len == 0 {
				x.Report(c.Pos, c.End, "give the channel a capacity",
					"a rendezvous can be received from in select, but not sent to")
				continue
			}
			if k.value = x.Assignable(c.Communication.Value, k.channel.Place.Type.Elem); k.value == nil {
				continue
			}
		}
		cases = append(cases, k)
	}
	if len(cases) == 0 && x.Count() == before {
		x.Report(s.Pos, s.End, "", "select needs a case")
	}
	for i := range cases {
		if k := &cases[i]; k.kind == receives && slices.ContainsFunc(cases, func(other selectCase) bool {
			return other.kind == isClosed && step.Equal(other.channel.Place, k.channel.Place)
		}) {
			k.kind = receivesFull
		}
	}
	return cases, otherwise, x.Count() == before
}

// communicate emits what a case of select does, in the step that chose it.
func communicate(lo *lowering, k selectCase) {
	comm := *k.c.Communication
	switch k.kind {
	case sends:
		k.channel.Give(lo.CodeAt(k.at), k.value)
		return
	case isClosed:
		return
	case receivesTwo:
		var value *step.Expr
		c := lo.CodeAt(comm.Value)
		if !ignored(&comm) {
			value = c.CheckedTemp(k.channel.Place.Type.Elem)
		}
		ok := c.Temp(step.BoolType)
		k.channel.TakeOrClosed(c, value, ok)
		storeTwo(lo, &comm, value, ok)
		return
	}
	v := k.channel.Take(lo.CodeAt(comm.Value), comm.Kind != syntax.SExpr)
	comm.Value = &syntax.Expr{Kind: syntax.EDone, Pos: comm.Value.Pos, End: comm.Value.End, Done: v}
	if comm.Kind != syntax.SExpr {
		lo.store(&comm)
	}
}
