package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/estimate"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/results"
	"cdpor/lang/step"
)

// DefaultMaxDepth is how many events an execution may have before it is cut.
const DefaultMaxDepth = 100_000

// MaxActions is how many actions a program may have: processes, and for one that chooses, its alternatives.
const MaxActions = actionset.Max

// Unbounded switches a bound off whose zero value means something.
const Unbounded = -1

// Conditions are independence constraints compiled for one machine (constraints.Compiled).
type Conditions = happens.Conditions

// PairStats count the use of the constraints of a pair of steps, over all processes that run them.
type PairStats = happens.PairStats

// Options say how to search. The zero value searches everything.
type Options struct {
	Conditions    Conditions // independence constraints; nil: none
	MaxExecutions int64      // complete executions, and those cut by MaxDepth; 0: no limit
	MaxDepth      int        // events of one execution; 0: DefaultMaxDepth
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
	// Workers is how many workers explore at the same time, each in a goroutine; 0 or 1: one, in that of the caller.
	// Outcomes, deadlocks and the verdict do not depend on it; README, "Several workers" says which counts do. The
	// functions below are never called by two workers at once.
	Workers int
	// Validate checks the consistency of the search state at every node and fails on the first thing that is wrong.
	Validate bool
	// Progress is called every few thousand nodes with the result so far, which it must not keep. What several workers
	// have found so far is not put together for that: of outcomes and deadlocks there are the numbers.
	Progress func(*Result)
	// Observer is told how the exploration tree grows; nil: nobody. A search that is resumed has none.
	Observer Observer
	// Checkpoint is called every few thousand nodes, as soon as an execution is over, and when the search is about to
	// end early, inside an execution or not: stopped is the reason then, else empty. save makes a checkpoint, which
	// is valid until Checkpoint returns.
	Checkpoint func(stopped string, save func() *Checkpoint)
	// Found is called with each distinct violation when it is found, before the execution that shows it is over; a
	// search that is resumed does not tell again what it had found. It may keep what it is given. When it returns
	// false, it is not called any more. What only a whole search can show is in the Result alone.
	Found func(*Violation) (more bool)
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
	Elsewhere func(ctx context.Context, a *Algorithm, opt Options) (f *ParcelFindings, stopped string, err error)
	// GiveUp is asked every few thousand units of work, inside an execution as well and by several workers at once,
	// whether to end the search where it stands; nothing can be saved then. It is also asked before as many bytes as
	// it is told are taken at once, and by a search of states before they will have to be, so that the search can end
	// in time. Nil: never. It is meant for when the context has been done for a while, or there is no memory left.
	GiveUp func(bytes int64) bool
}

// An engine is a search of some kind.
type engine interface {
	begin()                       // explores everything
	restore(cp *Checkpoint) error // goes to where the checkpoint was made
	proceed()                     // explores what is left
	conclude() (*Result, error)   // sums up
}

func newEngine(ctx context.Context, m *step.Machine, a *Algorithm, opt Options) (engine, error) {
	if a.Chooses {
		switch {
		case opt.Symmetry || opt.Preempt || opt.IdleLast:
			a = autoStates
		case opt.NoVisited:
			a = autoExecutions
		default:
			return newAuto(ctx, m, opt)
		}
	}
	if opt.Workers > 1 {
		return newWorkerPool(ctx, m, a, opt)
	}
	return newWorker(ctx, m, a, opt)
}

func newWorker(ctx context.Context, m *step.Machine, a *Algorithm, opt Options) (worker, error) {
	if opt.IdleLast && !a.Stateful {
		return nil, fmt.Errorf("idle steps wait in searches by %s only, not by %s", exhaustiveAlgorithm.Name, a.Name)
	}
	if a.Stateful {
		return newExhaustive(ctx, m, a, opt)
	}
	if opt.Symmetry {
		return nil, errSymmetry(a)
	}
	return newSearch(ctx, m, a, opt)
}

// Run explores a machine with an algorithm. The error is an internal one; what was found and how the search ended is
// in the result. The search ends early when the context does: at the next node, with several workers as soon as the
// executions that are under way are over, or when these are given up. States and schedules of the result are of this
// machine: searches that are compared share one, and a search that must not depend on earlier ones gets its own by
// m.Fresh().
func Run(ctx context.Context, m *step.Machine, a *Algorithm, opt Options) (*Result, error) {
	opt.Found = results.Once(opt.Found)
	x, err := newEngine(ctx, m, a, opt)
	if err != nil {
		return nil, err
	}
	x.begin()
	r, err := x.conclude()
	return settled(ctx, r, err, &opt)
}

// newSearch makes a search that stands at the initial state.
func newSearch(ctx context.Context, m *step.Machine, a *Algorithm, opt Options) (*search, error) {
	if !a.Constraints {
		opt.Conditions = nil
	}
	c, err := newLimits(ctx, m, a, opt)
	if err != nil {
		return nil, err
	}
	x := &search{limits: c, hb: a.Races, watch: newWatcher(opt.Observer)}
	x.limits.Meter.Ask, x.cuts = x.checkGiveUp, true
	x.prog.init(m, opt.Conditions, &x.limits.Meter)
	x.m, x.run = m, x.prog.run
	x.Init(&x.prog, &x.prog.Execution, &x.prog.Builder, x,
		a.New(dpor.Settings{NoAnticipate: opt.NoAnticipate, NoGuide: opt.NoGuide, Workers: opt.Workers}))
	x.Watch, x.Count, x.MaxDepth = x.watch, &x.results.Counts, x.opt.MaxDepth
	copy(x.level(0).State, m.Initial())
	if x.watch != nil {
		x.watch.x = x
		x.Removed = x.watch.removed
	}
	if opt.Visited {
		if err := checkVisited(a, opt); err != nil {
			return nil, err
		}
		most := opt.VisitedMemory
		if most > 0 {
			most = max(1, most/int64(max(1, opt.Workers)))
		}
		x.visits = newVisits(x, most)
		x.Visited = x.visits
	} else {
		x.nextStretch = firstStretch
	}
	return x, nil
}

func checkVisited(a *Algorithm, opt Options) error {
	switch {
	case !a.Visits:
		return fmt.Errorf("%s does not stop at visited states", a.Name)
	case opt.Preempt:
		return errors.New("a search under a preemption bound does not stop at visited states: " +
			"what follows a state depends on how it was reached")
	}
	return nil
}

func checkSize(m *step.Machine) error {
	if m.NumActions() > MaxActions {
		return fmt.Errorf("the program has %d processes with %d alternatives; at most %d can be explored",
			m.NumProcs(), m.NumActions(), MaxActions)
	}
	return nil
}

// A search is one run of a strategy: the execution on its stack, and what is to be tried from each node of that.
type search struct {
	limits
	dpor.Search
	prog   program // its Program
	m      *step.Machine
	run    *step.Runner
	levels []*level // beside those of the Search
	hb     bool     // happens-before is computed
	watch  *watcher
	visits *visits // nil: it does not stop at visited states
	met    racing  // nil: nobody wants to know (auto.go)

	census  estimate.Census
	outline []estimate.Level // scratch
	guessed int64            // Result.Nodes when Share was estimated

	stretch     *stretch // nil, or how many states are new is being looked at
	nextStretch int64    // Result.Nodes from which on it is next; 0: never
	invalid     error    // what Validate found
}

func (x *search) begin() { x.advance(0) }

// advance goes on until the search has visited some nodes, 0: any number, and is between two executions. It reports
// whether it is over.
func (x *search) advance(nodes int64) (over bool) {
	over = true
	defer x.giveUp(x)
	switch x.until(nodes); {
	case x.stop != "":
		return true
	case x.running && !x.inside && nodes > 0 && x.results.Nodes >= nodes:
		return false
	}
	if !x.running {
		x.running = true
		x.results.Started(x, x.levels[0].State)
		if !x.visit() {
			x.watch.left(x.stop == "")
			return true
		}
	}
	if x.branch(); x.paused {
		return false
	}
	x.watch.left(x.stop == "")
	return true
}

func (x *search) conclude() (*Result, error) {
	if err := x.failed(); err != nil {
		return nil, err
	}
	r := x.results.Finish(cmp.Or(x.stop, x.ending), x.Pairs)
	r.AllEnd = r.Stopped == StoppedComplete && showsEnds(r.Algorithm, &x.opt)
	return r, nil
}

// failed is what Validate has found.
func (x *search) failed() error { return x.invalid }

// visit enters the present node, whose state and sleep sets are set, and reports whether something is to be taken
// from it.
func (x *search) visit() (more bool) {
	lv := x.levels[x.Depth]
	n, res := &lv.Node, &x.results.Result
	pause := x.visited()
	lv.begun, lv.tried = res.Nodes, 0
	if pause {
		if x.opt.Progress != nil {
			x.estimate()
		}
		x.pause()
	}
	if x.stretch != nil || x.nextStretch > 0 && res.Nodes >= x.nextStretch {
		x.lookAround(lv.State)
	}
	x.results.LookForGrowth(x.Depth, func(event int) step.State { return x.levels[event].State })
	n.Backtrack = actionset.Set{}
	if !n.Looked {
		x.Enable(&lv.Level)
	}
	n.Looked = false
	x.watch.entered()
	if x.visits != nil {
		x.visits.Begin(x.Depth)
		if !n.Enabled.Empty() && x.visits.arrive() {
			x.watch.visited(lv.State)
			return false
		}
		x.watch.explores(lv.State)
		x.visits.Disabled()
	}
	n.EnabledLeft = true
	x.Strategy.Enter(&x.Search, n)
	x.watch.Inserted(Begins, x.Depth)
	if x.opt.Validate && x.invalid == nil {
		if x.invalid = x.validate(); x.invalid != nil {
			x.stop = StoppedContext
		}
	}
	if n.Enabled.Empty() {
		x.results.Terminal(x, lv.State)
		x.watch.terminal(x.m, lv.State)
		x.limit()
		return false
	}
	if x.Depth >= x.opt.MaxDepth {
		res.Cut++
		x.limit()
		if x.visits != nil {
			x.visits.cut()
			x.visits.leave()
		}
		x.watch.end(EndsCut)
		return false
	}
	lv.ran = false
	return true
}

// branch takes one action after the other from the present node, from those that it comes to, and from those below it
// on the stack. An execution may have millions of events, so what has to be remembered of each is on the stack of the
// search, not on Go's.
func (x *search) branch() {
	for !x.paused {
		lv, a := x.levels[x.Depth], -1
		if x.stop == "" {
			a = x.Frontier.Take(&lv.Node)
		}
		switch {
		case a >= 0:
			lv.ran = true
			x.step(lv, a)
			continue
		case x.stop == "" && !lv.ran:
			x.results.Blocked++
			x.watch.end(EndsBlocked)
		}
		if x.stop == "" && x.visits != nil {
			x.visits.leave()
		}
		if x.Depth == 0 {
			return
		}
		x.back()
	}
}

// explored is called when everything after an action from the present node has been explored, unless the search has
// stopped.
func (x *search) explored(lv *level, a int) {
	if x.stop == "" {
		x.Frontier.Done(&lv.Node, a)
		x.inside = false
		if x.needsSafePoint() {
			x.atSafePoint(x.save)
		}
	}
}

// Enable finds out which actions are possible from a node, and which of them the preemption bound forbids.
func (x *search) Enable(level *dpor.Level) {
	lv, n := x.levels[x.Depth], &level.Node
	if n.Excluded = (actionset.Set{}); x.Depth == 0 {
		findEnabled(x.m, x.run, lv.State, &n.Enabled, &n.Blockable)
	} else {
		below := x.levels[x.Depth-1]
		n.Enabled.Set(&below.Node.Enabled)
		n.Blockable.Set(&below.Node.Blockable)
		updateEnabled(x.m, x.run, lv.State, below.Event.Proc, below.Event.ID, &n.Enabled, &n.Blockable)
	}
	if !x.opt.Preempt || x.Depth == 0 {
		lv.preemptions = 0
		return
	}
	below := x.levels[x.Depth-1]
	lv.preemptions = below.preemptions
	if x.Depth > 1 {
		if preempts(x.m, &below.Node.Enabled, x.levels[x.Depth-2].Event.Proc, below.Event.Proc) {
			lv.preemptions++
		}
	}
	n.Excluded = x.opt.beyondBound(x.m, &n.Enabled, below.Event.Proc, lv.preemptions)
	if !n.Excluded.Empty() {
		x.results.Barred++
	}
}

// step takes an action from the present node and goes to the child, unless nothing is to be taken there.
func (x *search) step(lv *level, a int) {
	x.watch.step(a)
	child, races := x.execute(lv, a)
	x.results.Races += int64(len(races))
	x.check(lv, child)
	if !x.Strategy.AfterStep(&x.Search, &lv.Level, &child.Level, races) {
		x.explored(lv, a)
		return
	}
	x.results.Events++
	x.Depth++
	x.results.MaxDepth = max(x.results.MaxDepth, x.Depth)
	if !x.visit() {
		x.back()
	} else if x.endsInside() && child.Node.EnabledLeft {
		x.inside = true
		x.atSafePoint(x.save)
	}
}

// check looks at what the event of a level has led to, whether or not the search goes on from there.
func (x *search) check(lv, child *level) {
	e, r := &lv.Event, x.results
	fails := r.MayFail(child.State, e.Proc, e.ID)
	if !fails && len(r.Invariants) == 0 {
		return
	}
	x.Depth++ // the event belongs to the schedule
	if fails {
		for _, v := range r.NewFailures(lv.State, child.State, e.Proc) {
			r.Record(x, v)
		}
	}
	r.CheckInvariants(x, child.State, e.Foot)
	x.Depth--
}

// back returns from the present node, which is done, to the one below it on the stack.
func (x *search) back() {
	child := x.levels[x.Depth]
	x.Depth--
	lv := x.levels[x.Depth]
	if x.visits != nil && x.stop == "" {
		x.visits.HandUp(x.Depth)
	}
	x.watch.left(x.stop == "")
	size := x.results.Nodes - child.begun + 1
	x.census.Finished(lv.tried, size, lv.sibling)
	lv.sibling = size
	lv.tried++
	x.explored(lv, lv.Event.Action)
}

// execute takes an action from the present node: it fills the event of the level and the state of the next one, and
// finds the races. The event is not on the stack yet.
func (x *search) execute(lv *level, a int) (child *level, races []happens.Race) {
	child = x.level(x.Depth + 1)
	e := &lv.Event
	x.run.Cover(x.results.Covered)
	x.Take(a)
	x.run.Cover(nil)
	if x.visits != nil {
		x.visits.takes(x.Depth, &e.Transition)
	}
	if x.hb {
		races = x.FindRaces(&e.Transition, &e.Past)
		e.Clock[e.Proc] = e.Index
		if x.met != nil {
			for i := range races {
				x.met.meet(x.levels[races[i].At].Event.ID, e.ID)
			}
		}
	}
	return child, races
}
