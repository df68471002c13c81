package lower

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"cdpor/lang/golang/internal/pointsto"
	"cdpor/lang/primitive"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// Channels. A nil channel blocks for good, a receive from a closed one gives zero, and a send on one panics.

func emitMakeChan(c *code, in *pointsto.Instance, i *ssa.MakeChan) {
	if o := c.l.object(in, i); o == nil {
		c.define(in, i, c.Number(0))
		return
	}
	number, r := c.made(in, i)
	if _, known := knownInt(in, i.Size); !known && r != nil {
		n := c.settle(c.word(c.value(in, i.Size)))
		c.Assume(c.Positive(n), "a channel whose capacity is computed and 0")
		c.assumeBound(c.Bool(step.Le, n, c.Number(int64(r.elem.Len))), "elements", "the capacity of a channel")
		c.set(c.Field(c.l.at(c, r, nil, number), "capacity"), n)
	}
	c.define(in, i, number)
}

// eachChannel emits what f does for each channel that a number may name, and what blocks for good for nil.
func eachChannel(c *code, in *pointsto.Instance, v ssa.Value, number *step.Expr, f func(h channel)) {
	spots := c.spots(c.l.r.Targets(in, v))
	number = c.settle(number)
	var skip *int
	if !(number.Op == step.Const && number.Words[0] != 0) && !neverNil(in, v, 0) {
		skip = c.Branch(c.Bool(step.Ne, number, c.Number(0)))
	}
	if len(spots) > 0 {
		c.each(number, spots, func(place *step.Expr, _ spot) { f(channel{channelAt(place)}) })
	}
	if skip != nil {
		after := c.Open
		c.Open = []*int{skip}
		c.Unit(func() { c.Await(c.Const(step.BoolType, 0)) })
		c.Open = after
	}
}

// A channel is one in the sense of Go.
type channel struct{ primitive.Channel }

func channelAt(place *step.Expr) primitive.Channel {
	return primitive.Channel{Place: place, Panics: true}
}

// emitReceive emits a receive.
func emitReceive(c *code, in *pointsto.Instance, i *ssa.UnOp) {
	number := c.value(in, i.X)
	elem := i.X.Type().Underlying().(*types.Chan).Elem()
	t := c.typed(elem)
	var value, ok *step.Expr
	if !isUnused(i) {
		value = c.CheckedTemp(t)
	}
	if i.CommaOk {
		ok = c.Temp(step.BoolType)
	}
	setDoing(c, in, i.Pos(), step.Receives, func() {
		eachChannel(c, in, i.X, number, func(h channel) {
			if h.has("takes") {
				h.takeOffered(c, value, ok)
				return
			}
			c.Unit(func() {
				c.Await(h.CanReceive(c.Code))
				h.TakeOrClosed(c.Code, value, ok)
			})
		})
	})
	switch {
	case i.CommaOk:
		if value == nil {
			value = c.zero(t)
		}
		c.tuples[register{in, i}] = []*step.Expr{value, ok}
	case value != nil:
		c.define(in, i, value)
	}
}

// emitSend emits a send.
func emitSend(c *code, in *pointsto.Instance, i *ssa.Send) {
	number, v := c.value(in, i.Chan), c.settleAny(c.value(in, i.X))
	setDoing(c, in, i.Pos(), step.Sends, func() {
		eachChannel(c, in, i.Chan, number, func(h channel) { h.Send(c.Code, v) })
	})
}

func emitClose(c *code, in *pointsto.Instance, site ssa.CallInstruction, v ssa.Value, number *step.Expr) {
	c.require(c.Bool(step.Ne, number, c.Number(0)), "close of nil channel")
	spots := c.spots(c.l.r.Targets(in, v))
	if len(spots) > 0 {
		setDoing(c, in, site.Pos(), step.Closes, func() {
			c.each(c.settle(number), spots, func(place *step.Expr, _ spot) { channelAt(place).Close(c.Code) })
		})
	}
}

// emitLen is the number of elements of a value, or its capacity.
func emitLen(c *code, in *pointsto.Instance, site ssa.CallInstruction, result ssa.Value, name string,
	of ssa.Value, x *step.Expr) {
	dst := c.CheckedTemp(basics[intKind])
	switch t := of.Type().Underlying().(type) {
	case *types.Slice:
		k := 1
		if name == "cap" {
			k = 2
		}
		c.define(in, result, c.unword(c.field(x, k), basics[intKind]))
		return
	case *types.Chan:
		spots := c.spots(c.l.r.Targets(in, of))
		c.set(dst, c.zero(dst.Type))
		number := c.settle(x)
		c.When(c.Bool(step.Ne, number, c.Number(0)), func() {
			if len(spots) == 0 {
				return
			}
			c.each(number, spots, func(place *step.Expr, _ spot) {
				h := channelAt(place)
				switch {
				case place.Type.Len == 0:
				case name == "cap":
					c.set(dst, c.unword(h.Capacity(c.Code), dst.Type))
				default:
					c.set(dst, c.unword(c.Int(step.Size, h.Buffer(c.Code)), dst.Type)).Visible = c.Atomic == 0
				}
			})
		})
		c.define(in, result, dst)
		return
	case *types.Basic:
		if x.Type == stringType {
			length := func(texts []string) int64 { return int64(len(texts[0])) }
			c.define(in, result, lookAt(c, []*step.Expr{x}, basics[intKind], length))
			return
		}
	case *types.Map:
		emitMapLen(c, in, site, result, of, x)
		return
	case *types.Array:
		c.define(in, result, c.Const(basics[intKind], t.Len()))
		return
	}
	c.refuse("%s of %s is not supported", name, of.Type())
}

// A selectCase is a case of a select: the channels that it may be about, and what it receives into or sends.
type selectCase struct {
	number      *step.Expr
	spots       []spot
	slot        int64
	value, sent *step.Expr
}

// each emits what f does for each channel that the case may be about; nothing for nil.
func (k *selectCase) each(c *code, f func(h channel)) {
	if len(k.spots) == 0 {
		return
	}
	all := func() {
		c.each(k.number, k.spots, func(place *step.Expr, _ spot) { f(channel{channelAt(place)}) })
	}
	if k.number.Op == step.Const && k.number.Words[0] != 0 {
		all()
		return
	}
	c.When(c.Bool(step.Ne, k.number, c.Number(0)), all)
}

// offer is the name of the offers that the case parks on a channel when its select waits; empty for none.
func (k *selectCase) offer(h channel) string {
	name := "takes"
	if k.sent != nil {
		name = "gives"
	}
	if h.has(name) {
		return name
	}
	return ""
}

// selectCases evaluates the operands of a select. The tuple is its result: the number of the case, whether a receive
// got a value, and the values.
func selectCases(c *code, in *pointsto.Instance, i *ssa.Select) (cases []*selectCase, tuple []*step.Expr) {
	tuple = []*step.Expr{c.Temp(basics[intKind]), c.Temp(step.BoolType)}
	for n, s := range i.States {
		number, spots := c.value(in, s.Chan), c.spots(c.l.r.Targets(in, s.Chan))
		if isWatchdog(c.l.r, in, i, n) {
			spots = nil // as a nil channel
		}
		k := &selectCase{number: c.settle(number), spots: spots, slot: int64(n) + 1}
		if s.Dir == types.RecvOnly {
			k.value = c.CheckedTemp(c.typed(s.Chan.Type().Underlying().(*types.Chan).Elem()))
			tuple = append(tuple, k.value)
		} else {
			k.sent = c.settleAny(c.value(in, s.Send))
		}
		cases = append(cases, k)
	}
	return cases, tuple
}

// ready is the condition that a case need not wait.
func (k *selectCase) ready(c *code, waits bool) *step.Expr {
	ready := c.Const(step.BoolType, 0)
	for _, s := range k.spots {
		h := channel{channelAt(c.l.at(c, s.region, s.path, k.number))}
		var is *step.Expr
		switch {
		case k.sent != nil:
			is = h.canGive(c)
		case waits:
			is = h.CanReceive(c.Code)
		default:
			is = h.canTake(c)
		}
		if !(len(k.spots) == 1 && k.number.Op == step.Const) {
			is = c.Bool(step.And, c.within(k.number, s), is)
		}
		if ready.Op == step.Const {
			ready = is
		} else {
			ready = c.Bool(step.Or, ready, is)
		}
	}
	return ready
}

// emitSelect emits a select. One that waits and makes offers is two steps.
func emitSelect(c *code, in *pointsto.Instance, i *ssa.Select) {
	cases, tuple := selectCases(c, in, i)
	chosen, ok := tuple[0], tuple[1]
	parks := false
	for _, k := range cases {
		for _, s := range k.spots {
			parks = parks || i.Blocking && k.offer(channel{channelAt(c.l.at(c, s.region, s.path, k.number))}) != ""
		}
	}
	if parks {
		c.Unit(func() {
			for n, k := range cases {
				c.Deed = selectWait(c.l, in, i.States[n], nil).Deed
				k.each(c, func(h channel) {
					if name := k.offer(h); name != "" {
						h.park(c, name, k.slot, k.sent)
					}
				})
			}
			c.Deed = ""
		})
	}
	var list []primitive.Case
	var waits []step.Wait
	for n, k := range cases {
		kase := primitive.Case{Name: caseName(c.l, in, i.States[n]), Ready: k.ready(c, i.Blocking), Body: func() {}}
		if parks {
			kase.Ready = c.Bool(step.Or, iWon(c, k.slot), c.Bool(step.And, c.Not(iWon(c, 0)), kase.Ready))
		}
		wait := selectWait(c.l, in, i.States[n], kase.Ready)
		if !isWatchdog(c.l.r, in, i, n) { // which is never waited for
			waits = append(waits, wait)
		}
		kase.Communicate = func() {
			c.set(chosen, c.Const(chosen.Type, int64(n)))
			c.Deed = wait.Deed
			k.communicate(c, i.Blocking, ok)
			c.Deed = ""
			if parks {
				withdrawOffer(c, cases)
			}
		}
		list = append(list, kase)
	}
	var otherwise func()
	if !i.Blocking {
		otherwise = func() { c.set(chosen, c.Const(chosen.Type, -1)) }
	}
	switch {
	case len(list) == 0 && i.Blocking:
		c.Waits = []step.Wait{{In: "a select without cases"}}
		c.Unit(func() { c.Await(c.Const(step.BoolType, 0)) })
		c.Waits = nil
	case len(list) == 0:
		otherwise()
	default:
		c.Waits = waits
		primitive.Select(c.Code, list, otherwise)
		c.Waits = nil
	}
	c.tuples[register{in, i}] = tuple
}

// communicate emits what a case does, within the step that finds it ready.
func (k *selectCase) communicate(c *code, waits bool, ok *step.Expr) {
	k.each(c, func(h channel) {
		switch offers := waits && k.offer(h) != ""; {
		case k.sent != nil && offers:
			c.When(c.Not(iWon(c, k.slot)), func() { h.give(c, k.sent) })
		case k.sent != nil:
			h.give(c, k.sent)
		case offers:
			wonOr(c, h, k.slot, k.value, ok)
		case waits:
			h.TakeOrClosed(c.Code, k.value, ok)
		default:
			h.takeAny(c, k.value, ok)
		}
	})
}

// withdrawOffer emits that the offers of a select end.
func withdrawOffer(c *code, cases []*selectCase) {
	for _, k := range cases {
		k.each(c, func(h channel) {
			if name := k.offer(h); name != "" {
				h.withdraw(c, name)
			}
		})
	}
	c.set(wonElement(c, meOf(c.Code)), c.Number(0))
}

// caseName is the name of a case in traces.
func caseName(l *lowerer, in *pointsto.Instance, s *ssa.SelectState) string {
	w := selectWait(l, in, s, nil)
	name := "receive from "
	if w.Deed == step.Sends {
		name = "send to "
	}
	if w.What == "" {
		return string(w.Deed)
	}
	return name + w.What
}

// Sending in a select on a channel without buffer. Such a case is ready only while a receiver waits, so who
// receives from a channel with such a case (an offering channel) first says so, in a step of its own: it parks an offer
// for each case. The sender completes one of them and notes in won which; the receiver goes on with that, or with what
// else is ready, and takes its offers back. An offer counts while its process has won nothing. Where a select with a
// default receives from such a channel, those who wait in a select to send park offers as well.
//
// Of several offers the first process's is taken. No outcome is lost: only those who could take an offer see it, so the
// parking of the others can be moved behind the exchange.

// findOffers finds the channels without buffer on which a select sends.
func findOffers(l *lowerer) {
	l.offers = map[*pointsto.Object]offersOf{}
	each := func(f func(in *pointsto.Instance, s *ssa.Select, k *ssa.SelectState, o *pointsto.Object)) {
		for _, in := range l.r.Instances {
			for i := range pointsto.Instructions(in.Func) {
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
	return slices.ContainsFunc(h.Place.Type.Fields, func(f step.Field) bool { return f.Name == name })
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
		c.Turn(&after, skip)
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
	c.Otherwise(other, func() {
		h.meet(c, "gives", func(offer *step.Expr) { setReceived(c, c.Field(offer, "value"), value, ok) })
	})
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
	c.Otherwise(other, func() { h.TakeOrClosed(c.Code, value, ok) })
}
