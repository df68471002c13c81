package explore

// Constrained DPOR: Albert, Gomez-Zamalloa, Isabel, Rubio, "Constrained Dynamic Partial Order Reduction", CAV'18:
// Source-DPOR whose races are decided by uniform independence constraints, with the sleep sequences of CAV'17 where
// they have none; with happens-before as in THEORY, "Happens-before", and the compensation of "Sleep sequences".

var constrainedAlgorithm = &Algorithm{
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
	Preserves:   preservesTerminal,
	Constraints: true,
	Sequences:   true,
	Visits:      true,
	races:       true,
	make:        makeContext,
}
