package primitive

import (
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// A Cond is a place of a CondType. It wakes the processes in the order in which they began to wait. One that may wake
// up by itself decides at the start of its wait whether it will.
type Cond struct{ Place *step.Expr }

func (v Cond) waiters(c *build.Code) *step.Expr { return c.Field(v.Place, "waiters") }

// Waits is the condition that a process, as a value of step.MutexType, waits and has not been woken.
func (v Cond) Waits(c *build.Code, process *step.Expr) *step.Expr {
	return c.Among(v.waiters(c), process)
}

// Signal wakes the first that waits, if there is one.
func (v Cond) Signal(c *build.Code) {
	waiters := v.waiters(c)
	c.Unit(func() {
		c.When(c.Positive(c.Int(step.Size, waiters)), func() { c.Emit(step.Node{Kind: step.PopHead, Dst: waiters}) })
	})
}

// Broadcast wakes all that wait.
func (v Cond) Broadcast(c *build.Code) {
	c.Unit(func() {
		if waiters := v.waiters(c); waiters != nil {
			c.Set(waiters, Initial(waiters.Type)...)
		}
	})
}

// Wait releases a mutex, which the process must hold, and begins to wait; in a second step it goes on when it has been
// woken and the mutex is free, which it takes again. Where it may wake up by itself, a step that chooses is in between:
// then Wait must not stand in an atomic block.
func (v Cond) Wait(c *build.Code, m Mutex) {
	waiters := v.waiters(c)
	c.Unit(func() {
		m.release(c)
		c.Emit(step.Node{Kind: step.Append, Dst: waiters, Src: c.Me()})
	})
	waiting := v.Waits(c, c.Me())
	if waiting == nil {
		return
	}
	wake := func() {
		c.Await(c.Bool(step.And, c.Not(waiting), m.Free(c)))
		m.take(c)
	}
	if v.Place.Type.Len == 0 {
		c.Unit(wake)
		return
	}
	itself := c.Choose(c.Number(2), "wake-up by signal", "wake-up by itself")
	signalled := c.Branch(c.Bool(step.Eq, itself, c.Number(1)))
	c.Unit(func() {
		c.Await(m.Free(c))
		m.take(c)
		v.withdraw(c)
	})
	c.Otherwise(signalled, func() { c.Unit(wake) })
}

// withdraw takes the process out of the queue: every element is moved from the head to the end, except its own.
func (v Cond) withdraw(c *build.Code) {
	waiters := v.waiters(c)
	left, head := c.Temp(step.IntType), c.CheckedTemp(step.MutexType)
	c.Assign(left, c.Int(step.Size, waiters))
	loop := len(c.Nodes)
	exit := c.Branch(c.Positive(left))
	c.Add(left, -1)
	c.Assign(head, c.Elem(waiters, c.Number(0)))
	c.Emit(step.Node{Kind: step.PopHead, Dst: waiters})
	other := c.Branch(Mutex{head}.Mine(c))
	c.Connect(c.Open, loop)
	c.Open = []*int{other}
	c.Emit(step.Node{Kind: step.Append, Dst: waiters, Src: head})
	c.Connect(c.Open, loop)
	c.Open = []*int{exit}
}
