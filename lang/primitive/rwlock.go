package primitive

import (
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// An RWLock is a place of an RWLockType. It has no preference: whoever can go on may do so.
type RWLock struct{ Place *step.Expr }

func (l RWLock) writer(c *build.Code) Mutex { return Mutex{c.Field(l.Place, "writer")} }

// own reports whether the process that runs the code reads.
func (l RWLock) own(c *build.Code) *step.Expr {
	return c.Elem(c.Field(l.Place, "readers"), c.Int(step.Sub, c.Me(), c.Number(1)))
}

// RLock waits until there is no writer, and reads.
func (l RWLock) RLock(c *build.Code) {
	c.Unit(func() {
		own := l.own(c)
		c.Await(l.writer(c).Free(c))
		c.Check(c.Not(own), step.Misused, "this thread already holds the lock for reading")
		c.Set(own, 1)
	})
}

// RUnlock ends reading.
func (l RWLock) RUnlock(c *build.Code) {
	c.Unit(func() {
		own := l.own(c)
		c.Check(own, step.NotHeld, "")
		c.Set(own, 0)
	})
}

// Lock waits until there are no readers and no writer, and writes.
func (l RWLock) Lock(c *build.Code) {
	c.Unit(func() {
		can := l.writer(c).Free(c)
		for reading := range c.Elements(c.Field(l.Place, "readers")) {
			can = c.Bool(step.And, can, c.Not(reading))
		}
		c.Await(can)
		l.writer(c).take(c)
	})
}

// Unlock ends writing.
func (l RWLock) Unlock(c *build.Code) { c.Unit(func() { l.writer(c).release(c) }) }
