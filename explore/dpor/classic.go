package dpor

import "cdpor/explore/internal/happens"

// After Flanagan, Godefroid, "Dynamic Partial-Order Reduction for Model Checking Software", POPL'05, with sleep sets:
// the later process of a race is tried before the earlier event whenever it is enabled there, whether or not something
// that could start the reversed order is going to be tried already. Otherwise, where the paper adds some process of its
// set E or everything enabled, one initial is added, as source does. All races are taken, not only the last of each
// process. So what it tries contains the backtrack sets of source.

var ClassicAlgorithm = &Algorithm{
	Name:  "classic",
	Title: "DPOR with persistent sets and sleep sets",
	Help: "The first dynamic algorithm: explores one execution per Mazurkiewicz trace to its end, but starts more of " +
		"them in vain than source. For comparison.",
	When: "To compare with POPL 2005.\n" +
		"Not otherwise: source starts fewer executions in vain.",
	Paper: "Flanagan, Godefroid: Dynamic Partial-Order Reduction for Model Checking Software, POPL 2005; " +
		"sleep sets as in Godefroid, LNCS 1032",
	Preserves: PreservesTerminal,
	Traces:    true,
	Visits:    true,
	Races:     true,
	New:       func(Settings) Strategy { return &classic{} },
}

// classic adds to a backtrack set what source does not need there.
type classic struct{ Source }

func (s *classic) AfterStep(x *Search, lv, child *Level, races []happens.Race) bool {
	e := &lv.Event
	for i := range races {
		n := &x.Stack[races[i].At].Node
		if a := x.EnabledOf(&n.Enabled, e.Proc); !races[i].Hidden && a >= 0 {
			if n.Enabled.Has(e.Action) { // else the process stands at an earlier step there
				a = e.Action
			}
			x.Add(n, a)
		}
	}
	return s.Source.AfterStep(x, lv, child, races)
}
