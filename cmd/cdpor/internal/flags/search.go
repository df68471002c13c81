package flags

import (
	"cmp"
	"context"
	"runtime"
	"strings"
	"time"

	"cdpor/cmd/cdpor/internal/compare"
	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/limits"
	"cdpor/cmd/cdpor/internal/memory"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/explore"
	"cdpor/lang"
)

// AlgorithmFlags choose how to explore.
type AlgorithmFlags struct {
	Algorithm string `default:"auto" predictor:"algorithms" placeholder:"NAME" help:"How to explore; cdpor explain algorithms lists the ways. Default: auto, which decides on its way."`
	source.ConstraintFlags
	UseConstraints bool `xor:"source" help:"Use constraints with an algorithm that otherwise does without: optimal."`
}

// Wanted reports whether an algorithm is to use constraints.
func (c *AlgorithmFlags) Wanted(a *explore.Algorithm) bool {
	return a.Constraints && !c.NoConstraints && (compare.UsesConstraints(a) || a.Chooses || c.UseConstraints ||
		c.Constraints != "")
}

// BoundFlags limit a search. What is then left out makes the verdict bounded or incomplete, never ok.
type BoundFlags struct {
	MaxExecutions int64         `placeholder:"N" help:"Stop after N executions that are complete or cut by the depth limit."`
	Timeout       time.Duration `placeholder:"TIME" help:"Stop after a time such as 30s or 5m."`
}

func (f *BoundFlags) Check() error {
	if f.MaxExecutions < 0 || f.Timeout < 0 {
		return fault.Inputf("--max-executions and --timeout cannot be negative")
	}
	return nil
}

// MemoryFlags limit the memory of a search.
type MemoryFlags struct {
	MaxMemory memory.Size `placeholder:"SIZE" help:"Stop when cdpor has taken more memory than that, such as 2GB. That of the solver counts, as far as it tells."`
}

// Bounded is the context of a search with limits of time and memory.
func (f *MemoryFlags) Bounded(e *environment.Environment, timeout time.Duration) (context.Context, context.CancelFunc) {
	ctx, forget := e.Limited(timeout)
	limited, cancel := limits.WithMemory(ctx, f.MaxMemory)
	return limited, func() {
		cancel()
		forget()
	}
}

// WorkersFlag is the number of workers that explore.
type WorkersFlag struct {
	Workers int `default:"1" placeholder:"N" help:"Explore with N workers at the same time; 0: one for each core. What is found does not depend on it, but which schedules are shown may, and some counts. Default: 1."`
}

// Number is the number of workers.
func (f *WorkersFlag) Number() (int, error) {
	n := f.Workers
	if n == 0 {
		n = runtime.GOMAXPROCS(0)
	}
	if n < 0 || n > MaxWorkers {
		return 0, fault.Inputf("--workers must be between 0 and %d", MaxWorkers)
	}
	return n, nil
}

// MaxWorkers is more than any machine has use for.
const MaxWorkers = 1024

// SearchFlags are the choices of a search beyond the algorithm.
type SearchFlags struct {
	BoundFlags
	MaxDepth    int   `placeholder:"N" help:"Cut executions after N steps. Default: ${depth}."`
	Preemptions *int  `placeholder:"K" help:"Leave a thread that could go on at most K times in an execution. Only interleavings and exhaustive find everything within this bound."`
	Symmetry    bool  `help:"Explore states that differ only in which of several interchangeable threads (count: N) is which as one, and find all the same. For exhaustive."`
	Seed        int64 `placeholder:"N" help:"Choose at random, by this seed, which thread goes first where the algorithm does not care. 0: the first one."`
	Visited     bool  `xor:"visited" help:"Stop at states that have been visited, for source, classic, context and constrained. Executions are then not classes of anything. auto does so of its own accord."`
	NoVisited   bool  `xor:"visited" help:"Do not stop at visited states: auto."`
	// VisitedMemory is the room of the table.
	VisitedMemory memory.Size `placeholder:"SIZE" help:"Room for visited states, such as 512MB. What does not fit is forgotten, which costs time and loses nothing. Default: no limit."`
	WorkersFlag
}

// Options are the options of a search with an algorithm.
func (f *SearchFlags) Options(a *explore.Algorithm) (explore.Options, error) {
	opt := explore.Options{MaxExecutions: f.MaxExecutions, MaxDepth: f.MaxDepth, Symmetry: f.Symmetry, Seed: f.Seed,
		Visited: f.Visited && !a.Chooses, NoVisited: f.NoVisited,
		VisitedMemory: int64(f.VisitedMemory)}
	if err := f.Check(); err != nil {
		return opt, err
	}
	if f.MaxDepth < 0 {
		return opt, fault.Inputf("--max-depth cannot be negative")
	}
	if f.Preemptions != nil {
		if *f.Preemptions < 0 {
			return opt, fault.Inputf("--preemptions cannot be negative")
		}
		opt.Preempt, opt.Preemptions = true, *f.Preemptions
	}
	if f.Symmetry && !a.Stateful && !a.Chooses {
		return opt, fault.Inputf("--symmetry is about states, and %s explores executions; use "+
			"--algorithm exhaustive or auto", a.Name)
	}
	switch {
	case f.Visited && !a.Visits:
		return opt, fault.Inputf("--visited: %s does not stop at visited states", a.Name)
	case f.Visited && opt.Preempt:
		return opt, fault.Inputf("--visited does not go with --preemptions: what may follow a state " +
			"must not depend on how it was reached")
	case f.VisitedMemory > 0 && !f.Visited && (!a.Chooses || f.NoVisited):
		return opt, fault.Inputf("--visited-memory is about visited states; use --visited")
	}
	var err error
	if opt.Workers, err = f.Number(); a.Alone && opt.Workers > 1 {
		err = fault.Inputf("%s explores with one worker; source explores the same traces with several", a.Name)
	}
	return opt, err
}

// FindAlgorithm finds an algorithm by its name.
func FindAlgorithm(name string) (*explore.Algorithm, error) {
	a, err := explore.Find(name)
	if err != nil {
		hint := lang.DidYouMean(name, AlgorithmNames())
		return nil, fault.Inputf("%w%s", err, strings.TrimSuffix("; "+hint, "; "))
	}
	return a, nil
}

// AlgorithmNames are those of all algorithms.
func AlgorithmNames() (names []string) {
	for _, a := range explore.Algorithms() {
		names = append(names, a.Name)
	}
	return names
}

// CheckpointFlags say when a search is saved, and where.
type CheckpointFlags struct {
	Checkpoint      string        `predictor:"file" placeholder:"FILE" help:"Save the search in this file now and then, and when it ends early, so that cdpor resume can go on with it. Without this flag and the next, it is saved when it is interrupted, in cdpor/checkpoints of the user's cache folder."`
	CheckpointEvery time.Duration `placeholder:"TIME" help:"How often to save the search; less often if that took a tenth of the time. Default: 1m."`
}

// defaultEvery is the interval at which a search is saved if that is wanted at all.
const defaultEvery = time.Minute

func (f *CheckpointFlags) Check() error {
	if f.CheckpointEvery < 0 {
		return fault.Inputf("--checkpoint-every cannot be negative")
	}
	return nil
}

// Every is the interval at which the search is saved; 0 stands for when it is interrupted.
func (f *CheckpointFlags) Every() time.Duration {
	if f.Checkpoint == "" {
		return f.CheckpointEvery
	}
	return cmp.Or(f.CheckpointEvery, defaultEvery)
}
