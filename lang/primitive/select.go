package primitive

import (
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// A Case is one of several things that a process may do.
type Case struct {
	Name  string     // for traces
	Ready *step.Expr // when it need not wait
	// Communicate emits what it does, within the step that finds it ready, and Body what follows.
	Communicate, Body func()
}

// Select waits in one step until some case is ready and takes part in it; otherwise, if it is not nil, emits what is
// done where none is. With several cases a step before that chooses where to begin to look: then Select must not stand
// in an atomic block.
func Select(c *build.Code, cases []Case, otherwise func()) {
	var start, any *step.Expr
	if len(cases) > 1 {
		ways := make([]string, len(cases))
		for i, k := range cases {
			ways[i] = "first look at " + k.Name
		}
		start = c.Choose(c.Number(int64(len(cases))), ways...)
	}
	for _, k := range cases {
		any = c.Join(step.Or, any, k.Ready)
	}
	var chosen *step.Expr
	c.Unit(func() {
		if otherwise == nil {
			c.Await(any)
		}
		chosen = c.Temp(step.IntType)
		c.Assign(chosen, firstReady(c, cases, start))
	})
	var after []*int
	for i, k := range cases {
		other := ""
		if i == len(cases)-1 && otherwise != nil {
			other = "select default"
		}
		skip := c.Decide(c.Bool(step.Eq, chosen, c.Number(int64(i))), "select "+k.Name, other)
		c.Atomic++
		k.Communicate()
		c.Atomic--
		k.Body()
		after = append(after, c.Open...)
		c.Open = []*int{skip}
	}
	if otherwise == nil {
		// One of the cases was chosen, and the last test cannot fail: where it would lead is where all go on.
		c.Open = append(after, c.Open...)
		return
	}
	otherwise()
	c.Open = append(after, c.Open...)
}

// firstReady is the number of the first case that is ready, counted from start, or -1.
func firstReady(c *build.Code, cases []Case, start *step.Expr) *step.Expr {
	from := func(first int) *step.Expr {
		v := c.Number(-1)
		for k := len(cases) - 1; k >= 0; k-- {
			i := (first + k) % len(cases)
			v = c.Int(step.Cond, cases[i].Ready, c.Number(int64(i)), v)
		}
		return v
	}
	v := from(0)
	for i := 1; i < len(cases); i++ {
		v = c.Int(step.Cond, c.Bool(step.Eq, start, c.Number(int64(i))), from(i), v)
	}
	return v
}
