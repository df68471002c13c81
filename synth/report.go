package synth

import (
	"cdpor/constraints"
	"cdpor/lang/step"
)

// A Report says what a synthesis did.
type Report struct {
	Pairs       int // all pairs of steps that two processes can stand at
	Independent int // of these: without common data, not even looked at
	Cached      int // of the others: taken from the cache
	Exact       int
	Partial     int
	Unknown     int
	Asked       []PairReport // the pairs that were worked on, in program order
	Open        int          // of these: those that the budget was not enough for
	Narrowed    int          // and those of which it was not enough for the uniform part
	Cost        Cost         // what counts against the budget: as if nothing had come from the cache
	Ordered     int          // never met by two processes, and not looked at
	Why         []Note       // why pairs are not exact
	Repairs     []Attempt    // the ways to make the family uniform, if there was a choice
	Invariants  []InvariantNote
	Queries     int // questions that reached the solver
	GivenUp     int // of these: not decided within Options.RLimit
}

// A PairReport tells what was found for a pair that was worked on.
type PairReport struct {
	A, B   *step.Step
	Status constraints.Status
	Why    string // why it is not exact
	Open   bool   // the budget was not enough: with more of it, or as one of fewer pairs, there may be an answer
	Cached bool
	Cost   Cost // of commute
	// Narrowed tells that the budget was not enough to prove the uniform part uniform, so that it is false.
	Narrowed bool
}

// A Note explains an entry.
type Note struct {
	A, B *step.Step
	Text string
}

// An InvariantNote reports whether a declared invariant was proved inductive, and so assumed.
type InvariantNote struct {
	Text    string
	Used    bool
	Why     string   // what it fails on
	Refuted *Finding // a reachable state in which it is false, if a short search came to one; its Pos is in the program
}
