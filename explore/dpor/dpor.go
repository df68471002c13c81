// Package dpor has the algorithms, each as a type in the file of its name, to be read beside its paper. An algorithm is
// a Strategy: it is called at each node of a depth-first search, and decides what is tried from there. What it knows of
// the program that is explored is a Program and the happens-before relation of internal/happens: no state, nor who
// takes what it adds.
//
// Begin with source.go; the others say what they do otherwise. To add an algorithm, write its type and its *Algorithm
// in a file, and name both in this one.
//
// One type per paper:
//
//	source.go       Source-DPOR (POPL'14, algorithm 1)
//	classic.go      DPOR after POPL'05, with more of its backtrack sets
//	optimal.go      Optimal DPOR (POPL'14, algorithm 2); plans.go its wakeup trees (internal/wakeup); ledger.go, a
//	                faster form, knows which races need not be looked at again
//	contextual.go   context-sensitive DPOR (CAV'17); compensation.go what it tries because sleep sequences cut
//	                executions, covers.go from which nodes it need not (../THEORY.md, "Sleep sequences")
//	constrained.go  constrained DPOR (CAV'18)
//	sleepsets.go    sleep sets alone (LNCS 1032, chapter 5), and no reduction
//	ample.go        ample sets of one process, as Spin has them (FORTE'94)
//	persistent.go   persistent sets (LNCS 1032, chapter 4)
//
// Adding to backtrack sets:
//
//	backtrack.go    inserting what internal/reversal finds
//	reorderings.go  where else a step that may be disabled could run (../THEORY.md, "Disabled steps")
//
// What algorithms work on:
//
//	strategy.go     what an algorithm does
//	program.go      what algorithms ask about the program
//	search.go       the execution on the stack, with what belongs to it; node.go what is kept per depth
//	frontier.go     what nodes still have to try: an algorithm adds to it, this search or another one takes from it
package dpor

// An Algorithm is an entry of the registry.
type Algorithm struct {
	Name      string
	Title     string // one line
	Help      string // what it does
	When      string // when to use it, and when not: at most two lines of at most 100 characters
	Paper     string
	Preserves string
	// Constraints tells that the algorithm uses independence constraints when it is given some.
	Constraints bool
	// Sequences tells that executions are cut by sleep sequences: there may be fewer of them than Mazurkiewicz traces.
	Sequences bool
	// Traces tells that without constraints the executions are the Mazurkiewicz traces, one each.
	Traces bool
	// Visits tells that the algorithm can also stop at visited states (explore.Options.Visited). Executions are no
	// longer classes of anything then.
	Visits bool
	// EveryState tells that a search that comes to its end has been in every reachable state.
	EveryState bool
	// Chooses tells that the algorithm decides on its way how to go on, by a policy: when it does what.
	Chooses bool
	Policy  [][2]string
	// Alone tells that the algorithm explores with one worker only: what is planned may lie below what others take.
	Alone bool
	// Stateful tells that states and not executions are explored: Executions counts distinct terminal states.
	Stateful bool

	Races bool                    `json:"-"` // the strategy wants happens-before and races
	New   func(Settings) Strategy `json:"-"`
}

// Algorithms are the algorithms of this package, the simplest first.
func Algorithms() []*Algorithm {
	return []*Algorithm{InterleavingsAlgorithm, SleepAlgorithm, ampleAlgorithm, PersistentAlgorithm, ClassicAlgorithm,
		SourceAlgorithm, OptimalAlgorithm, ContextAlgorithm, ConstrainedAlgorithm}
}

// PreservesTerminal lists what the reducing algorithms preserve.
const PreservesTerminal = "terminal states over the observed variables, deadlocks, assertion failures, run-time errors"

// Settings are what can be set of an algorithm.
type Settings struct {
	// The optimisations of CAV'17, section 5.3.
	NoAnticipate bool // do not cut a node early when what sleeps there can never wake up
	NoGuide      bool // do not prefer processes that begin short sleep sequences
	Workers      int  // how many searches share the work; 0: 1
}
