package primitive

import (
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// A Semaphore is a place of a SemaphoreType.
type Semaphore struct{ Place *step.Expr }

func (s Semaphore) count(c *build.Code) *step.Expr { return c.Field(s.Place, "count") }

// Acquire waits until the count is above 0 and takes one.
func (s Semaphore) Acquire(c *build.Code) {
	c.Unit(func() {
		c.Await(c.Positive(s.count(c)))
		c.Add(s.count(c), -1)
	})
}

// Release adds one to the count.
func (s Semaphore) Release(c *build.Code) { c.Unit(func() { c.Add(s.count(c), 1) }) }

// TryAcquire takes one from the count if it is above 0, and returns a local that says so.
func (s Semaphore) TryAcquire(c *build.Code) (taken *step.Expr) {
	taken = c.Temp(step.BoolType)
	c.Unit(func() {
		c.Assign(taken, c.Positive(s.count(c)))
		c.When(taken, func() { c.Add(s.count(c), -1) })
	})
	return taken
}
