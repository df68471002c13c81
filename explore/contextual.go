package explore

// Context-sensitive DPOR: Albert, Arenas, de la Banda, Gomez-Zamalloa, Stuckey, "Context-Sensitive Dynamic Partial
// Order Reduction", CAV'17, algorithm 2 with the optimisations of section 5.3; with the compensation of THEORY,
// "Sleep sequences".

var contextAlgorithm = &Algorithm{
	Name:  "context",
	Title: "Source-DPOR with sleep sequences found by comparing states",
	Help: "When a race is found, runs the reversed order as well; if it leads to the same state, that order is put " +
		"to sleep. Needs no constraints. Its optimisations can be switched: anticipated cuts, guided selection.",
	When: "When steps often lead to the same state in both orders and there is no solver.\n" +
		"Not when they seldom do: each race runs the other order once.",
	Paper: "Albert, Arenas, de la Banda, Gomez-Zamalloa, Stuckey: " +
		"Context-Sensitive Dynamic Partial Order Reduction, CAV 2017",
	Preserves: preservesTerminal,
	Sequences: true,
	Visits:    true,
	races:     true,
	make:      makeContext,
}

func makeContext(opt Options) strategy {
	s := newSource()
	s.sequences, s.anticipate, s.guide = true, !opt.NoAnticipate, !opt.NoGuide
	return s
}
