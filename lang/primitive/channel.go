package primitive

import (
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// A Channel is a place of a ChannelType.
type Channel struct {
	Place *step.Expr
	// Panics says that what is against the rules is a panic, with the words of Go; and what waits in a rendezvous for a
	// receiver is lost when the channel is closed.
	Panics bool
}

// demand emits the error of a use against the rules unless a condition holds.
func (h Channel) demand(c *build.Code, cond *step.Expr, msg, panics string) {
	if h.Panics {
		c.Check(cond, step.Panicked, panics)
		return
	}
	c.Check(cond, step.Misused, msg)
}

func (h Channel) buffered() bool { return h.Place.Type.Len > 0 }

// Capacity is the number of values that the buffer takes: that of the type, or what the channel has in a field of this
// name.
func (h Channel) Capacity(c *build.Code) *step.Expr {
	for _, f := range h.Place.Type.Fields {
		if f.Name == "capacity" {
			return c.Field(h.Place, f.Name)
		}
	}
	return c.Number(int64(h.Place.Type.Len))
}

// Buffer is the queue of values of a channel with a buffer.
func (h Channel) Buffer(c *build.Code) *step.Expr { return c.Field(h.Place, "buf") }

// sender is who waits in a rendezvous until its value is taken.
func (h Channel) sender(c *build.Code) Mutex { return Mutex{c.Field(h.Place, "sender")} }

func (h Channel) closed(c *build.Code) *step.Expr { return c.Field(h.Place, "closed") }

// Full is the condition that there is a value to receive.
func (h Channel) Full(c *build.Code) *step.Expr {
	full := h.filled(c)
	if h.Panics && !h.buffered() {
		full = c.Bool(step.And, full, c.Not(h.closed(c)))
	}
	return full
}

// filled is the condition that there is a value.
func (h Channel) filled(c *build.Code) *step.Expr {
	if h.buffered() {
		return c.Positive(c.Int(step.Size, h.Buffer(c)))
	}
	return c.Bool(step.Ne, h.sender(c).Place, c.Const(step.MutexType, 0))
}

// Drained is the condition that nothing will be received any more.
func (h Channel) Drained(c *build.Code) *step.Expr {
	return c.Bool(step.And, c.Not(h.Full(c)), h.closed(c))
}

// CanReceive is the condition under which a receive need not wait. Closing wakes those who wait.
func (h Channel) CanReceive(c *build.Code) *step.Expr {
	return c.Bool(step.Or, h.filled(c), h.closed(c))
}

// CanSend is the condition under which a send need not wait for room.
func (h Channel) CanSend(c *build.Code) *step.Expr {
	room := func() *step.Expr {
		if h.buffered() {
			return c.Bool(step.Lt, c.Int(step.Size, h.Buffer(c)), h.Capacity(c))
		}
		return h.sender(c).Free(c)
	}
	return c.Bool(step.Or, room(), h.closed(c))
}

// Take emits the removal of a value, within a step that knows CanReceive, and returns a local with it; nil if it is not
// used.
func (h Channel) Take(c *build.Code, used bool) (result *step.Expr) {
	c.Check(h.Full(c), step.Misused, "receive from a closed channel")
	if used {
		result = c.CheckedTemp(h.Place.Type.Elem)
	}
	if h.buffered() {
		if used {
			c.Assign(result, c.Elem(h.Buffer(c), c.Number(0)))
		}
		c.Emit(step.Node{Kind: step.PopHead, Dst: h.Buffer(c)})
		return result
	}
	value := c.Field(h.Place, "value")
	if used {
		c.Assign(result, value)
	}
	c.Set(value, Initial(h.Place.Type.Elem)...)
	c.Set(h.sender(c).Place, 0)
	return result
}

// TakeOrClosed emits the end of a receive, within a step that knows CanReceive: the value, which is the default of the
// type if the channel is closed and empty, and whether there was one go to locals that are not nil.
func (h Channel) TakeOrClosed(c *build.Code, value, ok *step.Expr) {
	there := h.Full(c)
	if there == nil {
		return
	}
	store := func(got *step.Expr, is int64) {
		if value != nil {
			c.Assign(value, got)
		}
		if ok != nil {
			c.Set(ok, is)
		}
	}
	closed := c.Branch(there)
	store(h.Take(c, value != nil), 1)
	elem := h.Place.Type.Elem
	c.Otherwise(closed, func() { store(c.Const(elem, Initial(elem)...), 0) })
}

// Give emits the delivery of a value, within a step that knows CanSend.
func (h Channel) Give(c *build.Code, value *step.Expr) {
	h.demand(c, c.Not(h.closed(c)), "send on a closed channel", "send on closed channel")
	if h.buffered() {
		c.Emit(step.Node{Kind: step.Append, Dst: h.Buffer(c), Src: value})
		return
	}
	h.sender(c).take(c)
	c.Assign(c.Field(h.Place, "value"), value)
}

// Receive waits for a value, and returns a local with it; nil if it is not used.
func (h Channel) Receive(c *build.Code, used bool) (result *step.Expr) {
	c.Unit(func() {
		c.Await(h.CanReceive(c))
		result = h.Take(c, used)
	})
	return result
}

// ReceiveOrClosed waits for a value or the end of the channel, and returns locals with the value, nil if it is not
// used, and whether there was one.
func (h Channel) ReceiveOrClosed(c *build.Code, used bool) (value, ok *step.Expr) {
	c.Unit(func() {
		c.Await(h.CanReceive(c))
		if used {
			value = c.CheckedTemp(h.Place.Type.Elem)
		}
		ok = c.Temp(step.BoolType)
		h.TakeOrClosed(c, value, ok)
	})
	return value, ok
}

// Next receives a value into a local. The end that it returns is taken where the channel is closed and empty.
func (h Channel) Next(c *build.Code, into *step.Expr) (closed *int) {
	c.Unit(func() {
		c.Await(h.CanReceive(c))
		if there := h.Full(c); there != nil {
			closed = c.Branch(there)
			c.Assign(into, h.Take(c, true))
		}
	})
	return closed
}

// Send waits for room and delivers a value; in a rendezvous it waits in a second step until a receiver has taken it.
func (h Channel) Send(c *build.Code, value *step.Expr) {
	c.Unit(func() {
		c.Await(h.CanSend(c))
		h.Give(c, value)
	})
	if h.buffered() {
		return
	}
	c.Unit(func() {
		waits := h.sender(c).Mine(c)
		c.Await(c.Bool(step.Or, c.Not(waits), h.closed(c)))
		h.demand(c, c.Not(waits), "the channel was closed during a send", "send on closed channel")
	})
}

// Close closes the channel, which must be open.
func (h Channel) Close(c *build.Code) {
	c.Unit(func() {
		h.demand(c, c.Not(h.closed(c)), "the channel is already closed", "close of closed channel")
		c.Set(h.closed(c), 1)
	})
}
