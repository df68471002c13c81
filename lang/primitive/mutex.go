package primitive

import (
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// A Mutex is a place of step.MutexType, which says who holds it.
type Mutex struct{ Place *step.Expr }

// Free is the condition that no process holds it.
func (m Mutex) Free(c *build.Code) *step.Expr {
	return c.Bool(step.Eq, m.Place, c.Const(step.MutexType, 0))
}

// Mine is the condition that the process that runs the code holds it.
func (m Mutex) Mine(c *build.Code) *step.Expr { return c.Bool(step.Eq, m.Place, c.Me()) }

func (m Mutex) take(c *build.Code) { c.Assign(m.Place, c.Me()) }

func (m Mutex) release(c *build.Code) {
	c.Check(m.Mine(c), step.NotHeld, "")
	c.Set(m.Place, 0)
}

// Lock waits until the mutex is free and takes it.
func (m Mutex) Lock(c *build.Code) {
	c.Unit(func() {
		c.Await(m.Free(c))
		m.take(c)
	})
}

// Unlock releases the mutex, which the process must hold.
func (m Mutex) Unlock(c *build.Code) { c.Unit(func() { m.release(c) }) }

// TryLock takes the mutex if it is free, and returns a local that says so.
func (m Mutex) TryLock(c *build.Code) (taken *step.Expr) {
	taken = c.Temp(step.BoolType)
	c.Unit(func() {
		c.Assign(taken, m.Free(c))
		c.When(taken, func() { m.take(c) })
	})
	return taken
}
