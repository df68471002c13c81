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
	// Chooses tells that the algorithm decides on its way how to go on.
	Chooses bool
	// Alone tells that the algorithm explores on one machine only.
	Alone bool
	// Stateful tells that states and not executions are explored: Executions counts distinct terminal states.
	Stateful bool

	Races bool                    `json:"-"` // the strategy wants happens-before and races
	New   func(Settings) Strategy `json:"-"`
}

// VisitsEveryState reports whether a complete search comes to every reachable state.
func (a *Algorithm) VisitsEveryState() bool { return a.Preserves != PreservesTerminal }

// Algorithms are the algorithms of this package, the simplest first.
func Algorithms() []*Algorithm {
	return []*Algorithm{InterleavingsAlgorithm, SleepAlgorithm, PersistentAlgorithm, ClassicAlgorithm, SourceAlgorithm,
		OptimalAlgorithm, ContextAlgorithm, ConstrainedAlgorithm}
}

// PreservesTerminal is what the reducing algorithms preserve.
const PreservesTerminal = "terminal states over the observed variables, deadlocks, assertion failures, run-time errors"

// Settings are what can be set of an algorithm.
type Settings struct {
	// The optimisations of CAV'17, section 5.3.
	NoAnticipate bool // do not cut a node early when what sleeps there can never wake up
	NoGuide      bool // do not prefer processes that begin short sleep sequences
	Workers      int  // how many searches share the work; 0: 1
}
