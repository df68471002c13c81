package dpor

import "cdpor/explore/internal/happens"

// Constrained DPOR: Albert, Gomez-Zamalloa, Isabel, Rubio, "Constrained Dynamic Partial Order Reduction", CAV'18: the
// algorithm of CAV'17 (contextual.go) under independence constraints. These have a say in three places.
//
// A race is none if the uniform constraint of the two steps holds in the state in which they would stand next to each
// other. So happens-before is not the order of conflicts any more: internal/happens, THEORY, "Happens-before".
//
// A sleeping step goes on sleeping behind an event if their uniform constraint holds (StillAsleep, program.go).
//
// Where two steps are dependent, the weakest constraint under which they commute tells whether both orders lead to the
// same state, without running them: byConstraints.

var ConstrainedAlgorithm = &Algorithm{
	Name:  "constrained",
	Title: "Source-DPOR with independence constraints and sleep sequences",
	Help: "Evaluates uniform constraints in the state in which two steps would stand next to each other to drop " +
		"races, and puts an order to sleep when it leads to a state that another order reaches, which the weakest " +
		"constraint says or a comparison of states shows. Without constraints it does what context does.",
	When: "When steps commute in some states only, as those of buffers, counters and tables do.\n" +
		"Not when few executions are left anyway: finding constraints takes longer than exploring them.",
	Paper: "Albert, Gomez-Zamalloa, Isabel, Rubio: Constrained Dynamic Partial Order Reduction, CAV 2018; " +
		"Albert, Arenas, de la Banda, Gomez-Zamalloa, Stuckey: Context-Sensitive Dynamic Partial Order Reduction, " +
		"CAV 2017",
	Preserves:   PreservesTerminal,
	Constraints: true,
	Sequences:   true,
	Visits:      true,
	Races:       true,
	New:         func(opt Settings) Strategy { return NewConstrained(opt) },
}

func NewConstrained(opt Settings) *contextual {
	c := newContextual(opt)
	c.known = byConstraints{}
	return c
}

// byConstraints asks the constraint under which two steps commute. If it is not known or not the weakest one, states
// are compared.
type byConstraints struct{}

func (byConstraints) never(x *Search, a, b *happens.Transition) bool { return x.NeverCommute(a, b) }

func (byConstraints) in(x *Search, a, b *happens.Transition, depth int) (known, commute bool) {
	return x.Commute(a, b, depth)
}
