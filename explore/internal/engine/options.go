package engine

import (
	"context"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/results"
	"cdpor/explore/internal/saved"
	"cdpor/lang/step"
)

// DefaultMaxDepth is the number of events that an execution may have before it is cut: in exhaustive, only where values
// grow.
const DefaultMaxDepth = 100_000

// MaxActions is the number of actions that a program may have: processes, and for one that chooses, its alternatives.
const MaxActions = actionset.Max

// Conditions are independence constraints compiled for one machine (constraints.Compiled).
type Conditions = happens.Conditions

// Options say how to search. The zero value searches everything.
type Options struct {
	Conditions    Conditions // independence constraints; nil: none
	MaxExecutions int64      // complete executions, and those cut by MaxDepth; 0: no limit
	MaxDepth      int        // events of one execution; 0: DefaultMaxDepth where one explores executions
	// Preemptions, if Preempt is set, bounds how often an execution may leave a process that could go on. The reducing
	// algorithms may then miss executions within the bound; interleavings and exhaustive do not.
	Preempt     bool
	Preemptions int
	// Symmetry takes states for one that differ only in which of several interchangeable threads is which; for
	// exhaustive. Outcomes, deadlocks and violations are all found. All that end an execution in the same way up to a
	// permutation are found at once, even if they are more than MaxExecutions.
	Symmetry bool
	// IdleLast lets steps that stand for the passing of time wait until nothing else can be done; for exhaustive. So
	// timers fire as those of testing/synctest do. Executions in which something takes longer are not explored.
	IdleLast bool
	// Seed other than 0 chooses at random which process is tried first where nothing else decides. Equal seeds give
	// equal searches.
	Seed int64
	// The optimisations of CAV'17, section 5.3, for algorithms with sleep sequences.
	NoAnticipate bool // do not cut a node early when what sleeps there can never wake up
	NoGuide      bool // do not prefer processes that begin short sleep sequences
	// Visited stops a search of executions where it has been (STATES, "Visited states"); for algorithms with
	// Algorithm.Visits, without Preempt. VisitedMemory bounds the bytes of the tables of visited states, of which each
	// worker has one, 0: no limit.
	Visited       bool
	VisitedMemory int64
	NoVisited     bool // of auto: it does not stop at visited states
	// Workers is the number of workers that explore at the same time, each in a goroutine; 0 or 1: one, in that of the
	// caller. Outcomes, deadlocks and the verdict do not depend on it; README, "Several workers" says which counts do.
	// The functions below are never called by two workers at once.
	Workers int
	// Validate checks the consistency of the search state at every node and fails on the first thing that is wrong.
	Validate bool
	// Progress is called every few thousand nodes with the result so far, which it must not keep. What several workers
	// have found so far is not put together for that: of outcomes and deadlocks there are the numbers.
	Progress func(*results.Result)
	// Observer, if not nil, is told how the exploration tree grows. A search that is resumed has none.
	Observer Observer
	// Checkpoint is called every few thousand nodes, as soon as an execution is over, and when the search is about to
	// end early, inside an execution or not: stopped is the reason then, else empty. save makes a checkpoint, which
	// is valid until Checkpoint returns.
	Checkpoint func(stopped string, save func() *saved.Checkpoint)
	// Found is called with each distinct violation when it is found, before the execution that shows it is over; a
	// search that is resumed does not tell again what it had found. It may keep what it is given. When it returns
	// false, it is not called any more. What only a whole search can show is in the Result alone.
	Found func(*results.Violation) (more bool)
	// StopAtFirst ends the search when the execution that shows the first violation is over.
	StopAtFirst bool
	// Terminal is called with the state at the end of every complete execution, which it must not keep.
	Terminal func(step.State)
	// Synthesize finds constraints for some pairs of steps, under a budget of questions to a solver; for auto. Nil:
	// there is no solver.
	Synthesize func(ctx context.Context, pairs [][2]*step.Step, questions int) (Synthesis, error)
	// Elsewhere, of auto, explores a search that has grown long, from its beginning, by other means: by workers of a
	// cluster. It is given an algorithm without Chooses and its options, and returns what was found, and why the
	// search has ended early. Nil: there are no other means.
	Elsewhere func(ctx context.Context, a *Algorithm, opt Options) (f SearchedElsewhere, stopped string, err error)
	// GiveUp is asked every few thousand units of work, inside an execution as well and by several workers at once,
	// whether to end the search where it stands; nothing can be saved then. It is also asked before as many bytes as
	// it is told are taken at once, and by a search of states before they will have to be, so that the search can end
	// in time. Nil: never. It is meant for when the context has been done for a while, or there is no memory left.
	GiveUp func(bytes int64) bool
}

// SearchedElsewhere is the result of Options.Elsewhere.
type SearchedElsewhere interface {
	Collector() *results.Collector
	Result(stopped string) *results.Result
}

// An Algorithm is an entry of the registry.
type Algorithm = dpor.Algorithm

// everyWay reports whether a search that comes to its end goes through every node, and every way of it, that any
// execution goes through: one of states, or one of executions that leaves out nothing but Mazurkiewicz-equivalent
// ones.
func everyWay(a *Algorithm, opt Options) bool {
	return a.Stateful || (a.Traces || a == dpor.InterleavingsAlgorithm) && !opt.Visited && opt.Conditions == nil
}

// ShowsEnds reports whether a search shows that all executions end when it comes to its own end (STATES, "Endless
// executions"): it looks at nothing but enabled steps, their footprints, constraints, and whether orders of the same
// steps lead to one state.
func ShowsEnds(a *Algorithm, opt Options) bool {
	return (a.Traces || a.Sequences) && !opt.Visited && !opt.Preempt
}

// A Synthesis is the result of Options.Synthesize.
type Synthesis struct {
	Conditions Conditions
	Pairs      int    // that were worked on
	Useful     int    // of which the uniform constraint is not false
	Whole      bool   // a larger budget would not find more
	Keep       func() // called when the search goes on with the conditions; may be nil
}
