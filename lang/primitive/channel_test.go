package primitive_test

import (
	"testing"

	"cdpor/lang/primitive"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// TestChannels: with and without a buffer, open and closed.
func TestChannels(t *testing.T) {
	ahead := func(capacity int) func(p *program) {
		return func(p *program) {
			x, sent, h := p.number("x"), p.shared("sent", step.IntType), channel(p, capacity)
			p.thread(func(c *build.Code) { h.Send(c, c.Number(7)); set(c, sent, 1) })
			p.thread(func(c *build.Code) {
				keep(c, x, sent) // whether the sender was let go before anybody received
				h.Receive(c, false)
			})
		}
	}
	inAllInterleavings(t, []interleaved{
		{"a rendezvous lets the sender go when the receiver has come", ahead(0), []string{"ends ends x=0"}},
		{"a buffer lets the sender go ahead", ahead(1), []string{"ends ends x=0", "ends ends x=1"}},
		{"a rendezvous without a receiver", func(p *program) {
			h := channel(p, 0)
			p.thread(func(c *build.Code) { h.Send(c, c.Number(1)) })
		}, []string{"waits"}},
		{"two senders, one receiver", func(p *program) {
			x, h := p.number("x"), channel(p, 0)
			p.thread(func(c *build.Code) { h.Send(c, c.Number(1)) })
			p.thread(func(c *build.Code) { h.Send(c, c.Number(2)) })
			p.thread(func(c *build.Code) { keep(c, x, h.Receive(c, true)) })
		}, []string{"ends waits ends x=1", "waits ends ends x=2"}},
		{"a buffer keeps the order and has an end", func(p *program) {
			x, h := p.number("x"), channel(p, 2)
			p.thread(func(c *build.Code) {
				for v := range int64(4) {
					h.Send(c, c.Number(v+1))
				}
			})
			p.thread(func(c *build.Code) {
				a := h.Receive(c, true)
				keep(c, x, c.Int(step.Sub, a, h.Receive(c, true)))
			})
		}, []string{"ends ends x=-1"}},
		{"a buffer that is full", func(p *program) {
			h := channel(p, 2)
			p.thread(func(c *build.Code) {
				for v := range int64(3) {
					h.Send(c, c.Number(v))
				}
			})
		}, []string{"waits"}},
		{"closing wakes the receivers", func(p *program) {
			x, y, h := p.number("x"), p.number("y"), channel(p, 0)
			for _, closed := range []*step.Expr{x, y} {
				p.thread(func(c *build.Code) {
					end := h.Next(c, c.Temp(step.IntType))
					received := c.Open
					c.Open = []*int{end}
					set(c, closed, 1)
					c.Open = append(c.Open, received...)
				})
			}
			p.thread(h.Close)
		}, []string{"ends ends ends x=1 y=1"}},
		{"what is in the buffer is received after closing", func(p *program) {
			x, h := p.number("x"), channel(p, 2)
			p.thread(func(c *build.Code) { h.Send(c, c.Number(4)); h.Close(c); h.Close(c) })
			p.thread(func(c *build.Code) { keep(c, x, h.Receive(c, true)); h.Receive(c, false) })
		}, []string{"the channel is already closed receive from a closed channel x=4"}},
		{"a receive that says whether there was a value", func(p *program) {
			x, y, h := p.number("x"), p.number("y"), channel(p, 1)
			p.thread(func(c *build.Code) { h.Send(c, c.Number(4)); h.Close(c) })
			p.thread(func(c *build.Code) {
				for _, to := range []*step.Expr{x, y, y} {
					value, ok := h.ReceiveOrClosed(c, true)
					keep(c, to, c.Int(step.Cond, ok, value, c.Int(step.Sub, value, c.Number(1))))
				}
			})
		}, []string{"ends ends x=4 y=-1"}},
		{"closing during a send, and a send afterwards", func(p *program) {
			h := channel(p, 0)
			p.thread(func(c *build.Code) { h.Send(c, c.Number(4)) })
			p.thread(h.Close)
		}, []string{"send on a closed channel ends", "the channel was closed during a send ends"}},
	})
}

// TestSelect: the case that is ready is taken, any of several.
func TestSelect(t *testing.T) {
	inAllInterleavings(t, []interleaved{
		{"select takes any case that is ready", func(p *program) {
			x, h := p.number("x"), [2]primitive.Channel{channel(p, 1), channel(p, 1)}
			p.thread(func(c *build.Code) {
				for i := range h {
					h[i].Send(c, c.Number(int64(i)))
				}
				set(c, x, 9)
				primitive.Select(c, []primitive.Case{receiving(c, h[0], x, 1), receiving(c, h[1], x, 2)}, nil)
			})
		}, []string{"ends x=1", "ends x=2"}},
		{"select waits for the case that becomes ready", func(p *program) {
			x, h := p.number("x"), [2]primitive.Channel{channel(p, 1), channel(p, 0)}
			p.thread(func(c *build.Code) { h[1].Send(c, c.Number(0)) })
			p.thread(func(c *build.Code) {
				primitive.Select(c, []primitive.Case{receiving(c, h[0], x, 1), receiving(c, h[1], x, 2)}, nil)
			})
		}, []string{"ends ends x=2"}},
		{"select with a default does not wait", func(p *program) {
			x, h := p.number("x"), channel(p, 1)
			p.thread(func(c *build.Code) { h.Send(c, c.Number(0)) })
			p.thread(func(c *build.Code) {
				primitive.Select(c, []primitive.Case{receiving(c, h, x, 1)}, func() { set(c, x, 2) })
			})
		}, []string{"ends ends x=1", "ends ends x=2"}},
	})
}

// TestMailboxes: a queue gives the first message that is wanted, a bag any.
func TestMailboxes(t *testing.T) {
	mailbox := func(p *program, kind step.Kind, values ...int64) primitive.Mailbox {
		m := primitive.Mailbox{Place: p.shared("box", &step.Type{Kind: kind, Elem: step.IntType, Len: 3})}
		p.thread(func(c *build.Code) {
			c.Unit(func() {
				for _, v := range values {
					m.Put(c, c.Number(v))
				}
			})
		})
		return m
	}
	// take receives two messages, each of which must be above 1, as x and y.
	take := func(kind step.Kind, poll bool, values ...int64) func(p *program) {
		return func(p *program) {
			x, y, m := p.number("x"), p.number("y"), mailbox(p, kind, values...)
			p.thread(func(c *build.Code) {
				for _, to := range []*step.Expr{x, y} {
					message := c.Temp(step.IntType)
					none := primitive.Reception{Mailbox: m, Message: message, Poll: poll,
						Wants: func(v *step.Expr) *step.Expr {
							return c.Bool(step.Gt, v, c.Number(1))
						}}.Take(c)
					keep(c, to, message)
					c.Open = append(c.Open, none...)
				}
			})
		}
	}
	inAllInterleavings(t, []interleaved{
		{"a queue gives the first message that is wanted", take(step.Queue, false, 1, 3, 2),
			[]string{"ends ends x=3 y=2"}},
		{"a bag gives any", take(step.Bag, false, 1, 3, 2), []string{"ends ends x=2 y=3", "ends ends x=3 y=2"}},
		{"of equal messages there is one choice", take(step.Bag, false, 2, 2), []string{"ends ends x=2 y=2"}},
		{"nothing that is wanted", take(step.Queue, false, 1, 4), []string{"ends waits x=4 y=0"}},
		{"polling goes on", take(step.Queue, true, 4),
			[]string{"ends ends x=0 y=0", "ends ends x=0 y=4", "ends ends x=4 y=0"}},
		{"polling a bag goes on", take(step.Bag, true, 4, 1),
			[]string{"ends ends x=0 y=0", "ends ends x=0 y=4", "ends ends x=4 y=0"}},
		{"a mailbox that is full", func(p *program) { mailbox(p, step.Queue, 1, 2, 3, 4) },
			[]string{"capacity exceeded"}},
	})
}

// channel is a shared one of integers.
func channel(p *program, capacity int) primitive.Channel {
	return primitive.Channel{Place: p.shared("h", primitive.ChannelType(step.IntType, capacity))}
}

// receiving is a case that receives and then sets a number.
func receiving(c *build.Code, h primitive.Channel, x *step.Expr, v int64) primitive.Case {
	return primitive.Case{Name: "recv", Ready: h.CanReceive(c),
		Communicate: func() { h.Take(c, false) }, Body: func() { set(c, x, v) }}
}
