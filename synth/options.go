package synth

import (
	"cdpor/lang/step"
	"cdpor/synth/internal/decide"
	"cdpor/synth/internal/uniform"
)

// Options bound the work. The zero value is a good default.
type Options struct {
	// RLimit is how many resource units of Z3 a question about products of unknowns or quotients by them may take; 0:
	// forty thousand. A unit is a step of its reasoning: up to twenty microseconds there, one or two in linear
	// questions, which may always take two million.
	RLimit uint
	// Pairs, if not nil, chooses the pairs of steps that are worked on, in whatever order it gets the two steps. The
	// others are unknown, unless they have no common data. The uniform parts are those of a family in which these
	// others are false.
	Pairs func(a, b *step.Step) bool
	// MaxQueries and MaxWork bound the questions to Z3 and all other work, in the units of Cost; 0: no limit. Nothing
	// depends on a clock. Two thirds are for the pairs: each may take an equal share of what its predecessors have
	// left of that. The rest is for their uniform parts. Pairs that this is not enough for are unknown, or not uniform
	// in any state.
	MaxQueries int
	MaxWork    int64
	// Short leaves out questions of which a unit may take Z3 long: those about products of unknowns,
	// and about quotients and remainders that are not of a variable (or one with a number added) by a constant. They
	// count as undecided.
	Short bool
	// AnyState asks about the two steps in whatever state their threads may stand at them. Without it conditions are
	// about the reachable states of the program: they may be wrong where a variable is outside the range it is proved
	// to stay in.
	AnyState bool
	// Readable replaces a long condition by a much shorter one that is stronger, if that holds in all of many reachable
	// states in which the weakest one does, and leaves out alternatives in which a step fails anyway and those that no
	// state of a small program shows. Without it conditions are the weakest that are found.
	Readable bool
	Progress func(Stage) // called after each pair, and now and then while one is worked on, if not nil
	// Dump is called with each question to Z3 in SMT-LIB and its answer (sat, unsat, unknown), if not nil.
	Dump func(number int, question, answer string)
	// Interrupted is called, if not nil, when an interrupt from the keyboard (SIGINT) ended a question to Z3, which
	// catches that signal while it works: nobody else has heard of it. The context of the call should end then.
	Interrupted func()
	// Cache, if not nil, is asked for what an earlier synthesis found, and told what this one finds. It is believed.
	// What comes from it is charged to the budget as if it had been found now, so the result is the same without. It
	// is left alone where Dump wants to see the questions.
	Cache Cache
	// Resume takes what the cache holds without charging it, so that what an earlier run left open can be finished.
	Resume bool
	// Workers is how many solvers work at once; 0 and 1: one. The result is the same. Dump sees the questions of one
	// only, so it works alone.
	Workers int
	// MaxCells is how many cells a pair may have to be treated exactly; 0: 256. See testdata/tables/synthesis.md.
	MaxCells int
}

// defaultMaxCells is the choice that testdata/tables/synthesis.md argues for.
const defaultMaxCells = 256

// defaultRLimit is what a question may take that is not linear.
const defaultRLimit = 40_000

func (opt *Options) rlimit() uint {
	if opt.RLimit > 0 {
		return opt.RLimit
	}
	return defaultRLimit
}

func (opt *Options) maxCells() int {
	if opt.MaxCells > 0 {
		return opt.MaxCells
	}
	return defaultMaxCells
}

// budget is what a synthesis may cost by the options.
func (opt *Options) budget() Cost {
	b := decide.Unlimited
	if opt.MaxQueries > 0 {
		b.Queries = opt.MaxQueries
	}
	if opt.MaxWork > 0 {
		b.Work = opt.MaxWork
	}
	return b
}

// A Cache keeps small texts by key, for later runs. It may forget, and it need not be safe for several goroutines; but
// what it returns must be what was put there.
type Cache interface {
	Get(key string) (value []byte, ok bool)
	Put(key string, value []byte)
}

// A Cost counts work and does not time it, so that the same work costs the same on every machine: questions to
// the solver, and units of other work, which take roughly a microsecond.
type Cost = decide.Cost

// An Attempt is one way to repair backward violations, and how often the conditions that remain hold in the first
// states of the program.
type Attempt = uniform.Attempt

// Available reports why constraints cannot be synthesised, nil if they can.
func Available() error { return decide.Available() }

// SolverMemory is the memory of the solver for all its contexts, in bytes, as it counts itself. It may be asked at any
// time.
func SolverMemory() int64 { return decide.SolverMemory() }
