package primitive

import (
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// A Barrier is a place of a BarrierType. Who waits goes on when the round is another one than it came to.
//
// If there are at most n processes and nothing reads the round, it may alternate between 0 and 1, so that a loop around
// a barrier(n) comes back to the same states. No waiting process misses its round then: let p wait, having read r. The
// round became 1-r when the last of n processes came, and becomes r again only when n have come after that. All but the
// last of these wait until the round changes, so they are n different processes, and p, which has not gone on, is none
// of them: there are n+1. With more processes than n that happens, and the round must count.
type Barrier struct {
	Place      *step.Expr
	Alternates bool
}

// Wait arrives at the barrier; if it is not the last, it waits in a second step until the last has come.
func (b Barrier) Wait(c *build.Code) {
	arrived, round := c.Field(b.Place, "arrived"), c.Field(b.Place, "round")
	var mine, last *step.Expr
	c.Unit(func() {
		mine, last = c.Temp(step.IntType), c.Temp(step.BoolType)
		c.Assign(mine, round)
		c.Add(arrived, 1)
		c.Assign(last, c.Bool(step.Eq, arrived, c.Number(int64(b.Place.Type.Len))))
		c.When(last, func() {
			c.Set(arrived, 0)
			if b.Alternates {
				c.Assign(round, c.Int(step.Sub, c.Number(1), round))
			} else {
				c.Add(round, 1)
			}
		})
	})
	c.When(c.Not(last), func() { c.Unit(func() { c.Await(c.Bool(step.Ne, round, mine)) }) })
}
