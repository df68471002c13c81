package primitive

import (
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// A Mailbox is a place that is a queue or a bag of messages, to which all append and from which only its owner takes. A
// bag is kept sorted, so that states that differ in the order of arrival alone are equal.
type Mailbox struct{ Place *step.Expr }

// Put delivers a message; a full mailbox is an error of the run.
func (m Mailbox) Put(c *build.Code, message *step.Expr) {
	c.Unit(func() {
		if m.Place.Type.Kind == step.Bag {
			c.Assign(m.Place, c.Expr(step.Put, m.Place.Type, m.Place, message))
		} else {
			c.Emit(step.Node{Kind: step.Append, Dst: m.Place, Src: message})
		}
	})
}

// A Reception takes a message out of a mailbox: the first in the order of arrival that is wanted, or, from a bag, any
// such message.
type Reception struct {
	Mailbox
	Message *step.Expr                          // the local that gets it
	Wants   func(message *step.Expr) *step.Expr // when a message is wanted; nil, or a nil condition: always
	Poll    bool                                // goes on where nothing is wanted, and does not wait
	Way     string                              // for traces, with Poll: the name of taking a message, and below of not
	None    string
}

// Take emits taking a message, in a bag of several in two steps with a choice in between, which must not stand in an
// atomic block. The ends that it returns are taken where nothing is wanted.
func (r Reception) Take(c *build.Code) (none []*int) {
	if r.Place.Type.Kind == step.Bag && r.Place.Type.Len > 1 {
		return r.takeAny(c)
	}
	return r.takeFirst(c)
}

func (r Reception) wanted(message *step.Expr) *step.Expr {
	if r.Wants == nil {
		return nil
	}
	return r.Wants(message)
}

// matches are, for each place of the mailbox, the condition that there is a message which is wanted.
func (r Reception) matches(c *build.Code) (list []*step.Expr) {
	for elem, present := range c.Elements(r.Place) {
		if w := r.wanted(elem); w != nil {
			present = c.Bool(step.And, present, w)
		}
		list = append(list, present)
	}
	return list
}

// firstOf is the number of the first place where a condition holds, or -1.
func firstOf(c *build.Code, list []*step.Expr) *step.Expr {
	v := c.Number(-1)
	for i := len(list) - 1; i >= 0; i-- {
		v = c.Int(step.Cond, list[i], c.Number(int64(i)), v)
	}
	return v
}

func (r Reception) awaitAny(c *build.Code, list []*step.Expr) {
	var some *step.Expr
	for _, is := range list {
		some = c.Join(step.Or, some, is)
	}
	c.Await(some)
}

// poll emits going on behind where a condition does not hold.
func (r Reception) poll(c *build.Code, cond *step.Expr) (none []*int) {
	return []*int{c.Decide(cond, r.Way, r.None)}
}

func (r Reception) takeFirst(c *build.Code) (none []*int) {
	at := func(i int) *step.Expr { return c.Elem(r.Place, c.Number(int64(i))) }
	c.Unit(func() {
		if r.Wants == nil { // so the first message is
			there := c.Positive(c.Int(step.Size, r.Place))
			if r.Poll {
				none = r.poll(c, there)
			} else {
				c.Await(there)
			}
			c.Assign(r.Message, at(0))
			r.removeHead(c)
			return
		}
		list := r.matches(c)
		if !r.Poll {
			r.awaitAny(c, list)
		}
		i := c.Temp(step.IntType)
		c.Assign(i, firstOf(c, list))
		if r.Poll {
			none = r.poll(c, c.Bool(step.Ge, i, c.Number(0)))
		}
		c.Assign(r.Message, c.Elem(r.Place, i))
		// Those before it move up, and the head goes.
		for k := r.Place.Type.Len - 1; k > 0; k-- {
			c.When(c.Bool(step.Ge, i, c.Number(int64(k))), func() { c.Assign(at(k), at(k-1)) })
		}
		r.removeHead(c)
	})
	return none
}

func (r Reception) removeHead(c *build.Code) {
	if r.Place.Type.Kind == step.Bag {
		r.removeMessage(c)
		return
	}
	c.Emit(step.Node{Kind: step.PopHead, Dst: r.Place})
}

func (r Reception) removeMessage(c *build.Code) {
	c.Assign(r.Place, c.Expr(step.Drop, r.Place.Type, r.Place, r.Message))
}

// takeAny takes any message that is wanted, from a bag. Where there are different ones, the step keeps a copy of the
// bag, one of them is chosen, and a second step removes it: only the owner takes messages away.
func (r Reception) takeAny(c *build.Code) (none []*int) {
	kept, number := c.CheckedTemp(r.Place.Type), c.Temp(step.IntType)
	at := func(i int) *step.Expr { return c.Elem(r.Place, c.Number(int64(i))) }
	var one []*int
	c.Unit(func() {
		list := r.matches(c)
		if !r.Poll {
			r.awaitAny(c, list)
		}
		for i, is := range list {
			if i > 0 {
				is = c.Bool(step.And, is, c.Bool(step.Ne, at(i), at(i-1)))
			}
			count := c.Int(step.Cond, is, c.Number(1), c.Number(0))
			if i > 0 {
				count = c.Int(step.Add, number, count)
			}
			c.Assign(number, count)
		}
		if r.Poll {
			none = r.poll(c, c.Positive(number))
		}
		several := c.Branch(c.Bool(step.Eq, number, c.Number(1)))
		c.Assign(r.Message, c.Elem(r.Place, firstOf(c, list)))
		r.removeMessage(c)
		one, c.Open = c.Open, []*int{several}
		c.Assign(kept, r.Place)
	})
	r.chosen(c, kept, c.Choose(number))
	c.Unit(func() { r.removeMessage(c) })
	c.Open = append(c.Open, one...)
	return none
}

// chosen emits finding a wanted message in a sorted copy of the bag, behind so many different ones.
func (r Reception) chosen(c *build.Code, kept, left *step.Expr) {
	i := c.Temp(step.IntType)
	c.Set(i, 0)
	loop := len(c.Nodes)
	before := c.Elem(kept, c.Int(step.Sub, i, c.Number(1)))
	is := c.Bool(step.Or, c.Bool(step.Eq, i, c.Number(0)), c.Bool(step.Ne, c.Elem(kept, i), before))
	if w := r.wanted(c.Elem(kept, i)); w != nil {
		is = c.Bool(step.And, is, w)
	}
	other := c.Branch(is)
	found := c.Branch(c.Positive(left))
	c.Add(left, -1)
	c.Open = append(c.Open, other)
	c.Add(i, 1)
	c.Connect(c.Open, loop)
	c.Open = []*int{found}
	c.Assign(r.Message, c.Elem(kept, i))
}
