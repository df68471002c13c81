package lower

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// Sending in a select on a channel without buffer. Such a case is ready only while a receiver waits, so who
// receives from a channel with such a case (an offering channel) first says so, in a step of its own: it parks an offer
// for each case. The sender completes one of them and notes in won which; the receiver goes on with that, or with what
// else is ready, and takes its offers back. An offer counts while its process has won nothing. Where a select with a
// default receives from such a channel, those who wait in a select to send park offers as well.
//
// Of several offers the first process's is taken. No outcome is lost: only those who could take an offer see it, so the
// parking of the others can be moved behind the exchange.

// offersOf says which offers a channel has.
type offersOf struct {
	takes bool // receivers park
	gives bool // senders in a select park
}

// findOffers finds the channels without buffer on which a select sends.
func findOffers(l *lowerer) {
	l.offers = map[*pointsto.Object]offersOf{}
	each := func(f func(in *pointsto.Instance, s *ssa.Select, k *ssa.SelectState, o *pointsto.Object)) {
		for _, in := range l.r.Instances {
			for _, b := range in.Func.Blocks {
				for _, i := range b.Instrs {
					s, ok := i.(*ssa.Select)
					if !ok {
						continue
					}
					for _, k := range s.States {
						for _, t := range l.r.Targets(in, k.Chan) {
							f(in, s, k, t.Object)
						}
					}
				}
			}
		}
	}
	each(func(_ *pointsto.Instance, _ *ssa.Select, k *ssa.SelectState, o *pointsto.Object) {
		m, ok := o.Site.(*ssa.MakeChan)
		if !ok || k.Dir != types.SendOnly {
			return
		}
		if n, known := knownInt(o.In, m.Size); known && n == 0 {
			l.offers[o] = offersOf{takes: true}
		}
	})
	each(func(_ *pointsto.Instance, s *ssa.Select, k *ssa.SelectState, o *pointsto.Object) {
		if f := l.offers[o]; f.takes && !s.Blocking && k.Dir == types.RecvOnly {
			f.gives = true
			l.offers[o] = f
		}
	})
}

// offered adds the offers to the type of a channel.
func (l *lowerer) offered(o *pointsto.Object, t *step.Type) *step.Type {
	f := l.offers[o]
	if !f.takes {
		return t
	}
	offer := &step.Type{Kind: step.Record, Name: "offer", Fields: []step.Field{{Name: "slot", Type: step.IntType},
		{Name: "value", Type: t.Elem}}}
	all := &step.Type{Kind: step.Array, Elem: offer, Len: l.instances}
	wide := *t
	wide.Fields = append(append([]step.Field(nil), t.Fields...), step.Field{Name: "takes", Type: all})
	if f.gives {
		wide.Fields = append(wide.Fields, step.Field{Name: "gives", Type: all})
	}
	return &wide
}

// wonElement has, for each process, the slot of its offer that was taken; 0 for none.
func wonElement(c *code, k *step.Expr) *step.Expr {
	l := c.l
	if l.won == nil {
		l.won = l.declare("won", &step.Type{Kind: step.Array, Elem: step.IntType, Len: l.instances}, 0)
		l.won.Temp = true
	}
	return c.Elem(build.Ref(l.won, c.At), k)
}

// meOf is the number of this process, from 0.
func meOf(b *build.Code) *step.Expr { return b.Int(step.Sub, b.Me(), b.Number(1)) }

// iWon is the condition that the offer of a slot was taken; any offer if slot is 0.
func iWon(c *code, slot int64) *step.Expr {
	if slot == 0 {
		return c.Positive(wonElement(c, meOf(c.Code)))
	}
	return c.Bool(step.Eq, wonElement(c, meOf(c.Code)), c.Number(slot))
}

// has reports whether a channel has offers of a name.
func (h channel) has(name string) bool {
	for _, f := range h.Place.Type.Fields {
		if f.Name == name {
			return true
		}
	}
	return false
}

// offer is the offer of a process.
func (h channel) offer(c *code, name string, k *step.Expr) *step.Expr {
	return c.Elem(c.Field(h.Place, name), k)
}

// park emits the making of an offer. value is nil for one that takes.
func (h channel) park(c *code, name string, slot int64, value *step.Expr) {
	mine := h.offer(c, name, meOf(c.Code))
	c.Assume(c.Bool(step.Eq, c.Field(mine, "slot"), c.Number(0)), "a channel in two cases of one select")
	c.Set(c.Field(mine, "slot"), slot)
	if value != nil {
		c.set(c.Field(mine, "value"), value)
	}
}

// withdraw emits the end of an offer.
func (h channel) withdraw(c *code, name string) {
	mine := h.offer(c, name, meOf(c.Code))
	c.set(mine, c.zero(mine.Type))
}

// counts is the condition that the offer of another process counts.
func (h channel) counts(c *code, name string, k int64) *step.Expr {
	at := c.Number(k)
	return c.Bool(step.And, c.Positive(c.Field(h.offer(c, name, at), "slot")),
		c.Bool(step.And, c.Bool(step.Eq, wonElement(c, at), c.Number(0)), c.Bool(step.Ne, c.Me(), c.Number(k+1))))
}

// partner is the condition that some offer counts.
func (h channel) partner(c *code, name string) *step.Expr {
	var any *step.Expr
	for k := range int64(c.l.instances) {
		any = c.Join(step.Or, any, h.counts(c, name, k))
	}
	return any
}

// meet emits what f does with the first offer that counts, which is won; there is one.
func (h channel) meet(c *code, name string, f func(offer *step.Expr)) {
	var after []*int
	for k := range int64(c.l.instances) {
		skip := c.Branch(h.counts(c, name, k))
		offer := h.offer(c, name, c.Number(k))
		f(offer)
		c.set(wonElement(c, c.Number(k)), c.Field(offer, "slot"))
		after = append(after, c.Open...)
		c.Open = []*int{skip}
	}
	c.Open = append(c.Open, after...)
}

// canGive is the condition that a case that sends need not wait.
func (h channel) canGive(c *code) *step.Expr {
	if !h.has("takes") {
		return h.CanSend(c.Code)
	}
	return c.Bool(step.Or, c.Field(h.Place, "closed"), h.partner(c, "takes"))
}

// give emits that a case sends, within a step that knows canGive.
func (h channel) give(c *code, value *step.Expr) {
	if !h.has("takes") {
		h.Give(c.Code, value)
		return
	}
	c.require(c.Not(c.Field(h.Place, "closed")), "send on closed channel")
	h.meet(c, "takes", func(offer *step.Expr) { c.set(c.Field(offer, "value"), value) })
}

// canTake is the condition that a case of a select with a default receives.
func (h channel) canTake(c *code) *step.Expr {
	if !h.has("gives") {
		return h.CanReceive(c.Code)
	}
	return c.Bool(step.Or, h.CanReceive(c.Code), h.partner(c, "gives"))
}

// takeAny emits that it does, within a step that knows canTake.
func (h channel) takeAny(c *code, value, ok *step.Expr) {
	if !h.has("gives") {
		h.TakeOrClosed(c.Code, value, ok)
		return
	}
	other := c.Branch(h.CanReceive(c.Code))
	h.TakeOrClosed(c.Code, value, ok)
	after := c.Open
	c.Open = []*int{other}
	h.meet(c, "gives", func(offer *step.Expr) { setReceived(c, c.Field(offer, "value"), value, ok) })
	c.Open = append(c.Open, after...)
}

// setReceived emits the end of a receive that got a value.
func setReceived(c *code, from, value, ok *step.Expr) {
	if value != nil {
		c.set(value, from)
	}
	if ok != nil {
		c.set(ok, c.Const(step.BoolType, 1))
	}
}

// takeOffered emits a receive in two steps: an offer, and its end.
func (h channel) takeOffered(c *code, value, ok *step.Expr) {
	c.Unit(func() { h.park(c, "takes", 1, nil) })
	c.Unit(func() {
		c.Await(c.Bool(step.Or, iWon(c, 0), h.CanReceive(c.Code)))
		wonOr(c, h, 0, value, ok)
		h.withdraw(c, "takes")
		c.set(wonElement(c, meOf(c.Code)), c.Number(0))
	})
}

// wonOr emits a receive within the step that ends the wait: of what was won, or else of what the channel has.
func wonOr(c *code, h channel, slot int64, value, ok *step.Expr) {
	other := c.Branch(iWon(c, slot))
	setReceived(c, c.Field(h.offer(c, "takes", meOf(c.Code)), "value"), value, ok)
	after := c.Open
	c.Open = []*int{other}
	h.TakeOrClosed(c.Code, value, ok)
	c.Open = append(c.Open, after...)
}
