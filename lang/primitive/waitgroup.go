package primitive

import (
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// A WaitGroup is a place of a WaitGroupType.
type WaitGroup struct{ Place *step.Expr }

const belowZero = "negative count of a waitgroup"

func (g WaitGroup) count(c *build.Code) *step.Expr { return c.Field(g.Place, "count") }

// Add adds a number to the count.
func (g WaitGroup) Add(c *build.Code, n *step.Expr) {
	count := g.count(c)
	c.Unit(func() {
		c.Assign(count, c.Int(step.Add, count, n))
		c.Check(c.Bool(step.Ge, count, c.Number(0)), step.Misused, belowZero)
	})
}

// Done takes one from the count.
func (g WaitGroup) Done(c *build.Code) {
	count := g.count(c)
	c.Unit(func() {
		c.Check(c.Positive(count), step.Misused, belowZero)
		c.Add(count, -1)
	})
}

// Wait waits until the count is 0.
func (g WaitGroup) Wait(c *build.Code) {
	c.Unit(func() { c.Await(c.Bool(step.Eq, g.count(c), c.Number(0))) })
}
