package primitive

import (
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// A Once is a place of OnceType.
type Once struct{ Place *step.Expr }

// Do emits code that the first process runs, for which the others wait until it is done.
func (o Once) Do(c *build.Code, body func()) {
	begun, done := c.Field(o.Place, "begun"), c.Field(o.Place, "done")
	first := c.Temp(step.BoolType)
	c.Unit(func() {
		c.Await(c.Bool(step.Or, c.Not(begun), done))
		c.Assign(first, c.Not(begun))
		c.Set(begun, 1)
	})
	c.When(first, func() {
		body()
		c.Unit(func() { c.Set(done, 1) })
	})
}
