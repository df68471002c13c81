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
// done where none is. Of several cases any that is ready may be chosen: then Select must not stand in an atomic block.
func Select(c *build.Code, cases []Case, otherwise func()) {
	chosen := chooseCase(c, cases, otherwise != nil)
	var after []*int
	for i, k := range cases {
		is := c.Bool(step.Eq, chosen, c.Number(int64(i)))
		var skip *int
		switch {
		case len(cases) > 1:
			skip = c.Branch(is)
		case otherwise != nil:
			skip = c.Decide(is, "select "+k.Name, "select default")
		default:
			skip = c.Decide(is, "select "+k.Name, "")
		}
		c.Atomic++
		k.Communicate()
		c.Atomic--
		k.Body()
		c.Turn(&after, skip)
	}
	if otherwise == nil {
		// One of the cases was chosen, and the last test cannot fail: where it would lead is where all go on.
		c.Open = append(after, c.Open...)
		return
	}
	otherwise()
	c.Open = append(after, c.Open...)
}

// chooseCase emits the beginning of the step in which a case takes place, and returns which one that is. Of one case
// and a default just one is possible. Of several, those that are ready are: a guarded choice.
func chooseCase(c *build.Code, cases []Case, otherwise bool) (chosen *step.Expr) {
	if len(cases) == 1 {
		c.Unit(func() {
			if !otherwise {
				c.Await(cases[0].Ready)
			}
			chosen = c.Temp(step.IntType)
			c.Assign(chosen, c.Int(step.Cond, cases[0].Ready, c.Number(0), c.Number(-1)))
		})
		return chosen
	}
	ways := make([]string, len(cases), len(cases)+1)
	for i, k := range cases {
		ways[i] = "select " + k.Name
	}
	if otherwise {
		ways = append(ways, "select default")
	}
	chosen = c.Choose(c.Number(int64(len(ways))), ways...)
	n := c.Nodes[len(c.Nodes)-1]
	n.Otherwise = otherwise
	for i, k := range cases {
		n.Cond = c.Join(step.Or, n.Cond, c.Bool(step.And, c.Bool(step.Eq, chosen, c.Number(int64(i))), k.Ready))
	}
	return chosen
}
