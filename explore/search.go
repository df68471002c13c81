package explore

import (
	"cmp"
	"context"
	"fmt"

	"cdpor/lang/step"
)

// DefaultMaxDepth is how many events an execution may have before it is cut.
const DefaultMaxDepth = 100_000

// Unbounded switches a bound off whose zero value means something.
const Unbounded = -1

// Options say how to search. The zero value searches everything.
type Options struct {
	Conditions    Conditions // independence constraints; nil: none
	MaxExecutions int64      // complete executions; 0: no limit
	MaxDepth      int        // events of one execution; 0: DefaultMaxDepth
	// Preemptions, if Preempt is set, bounds how often an execution may leave a process that could go on. The reducing
	// algorithms may then miss executions within the bound; interleavings and exhaustive do not.
	Preempt     bool
	Preemptions int
	// Symmetry takes states for one that differ only in which of several interchangeable threads is which; for exhaustive. Outcomes,
	// deadlocks and violations are all found. All that end an execution in the same way up to a permutation are found at once, even if
	// they are more than MaxExecutions.
	Symmetry bool
	// Seed other than 0 chooses at random which process is tried first where nothing else decides. Equal seeds give equal
	// searches.
	Seed int64
	// The optimisations of CAV'17, section 5.3 and 6.2, for algorithms with sleep sequences.
	NoAnticipate bool // do not cut a node early when what sleeps there can never wake up
	NoGuide      bool // do not prefer processes that begin short sleep sequences
	Attach       bool // do not run a sequence when it is found: keep the state and compare when the search gets there
	// Workers is how many workers explore at the same time, each in a goroutine; 0 or 1: one, in that of the caller. Outcomes, deadlocks and the
	// verdict do not depend on it; README section 11 says which counts do. The functions below are never called by two workers at once.
	Workers int
	// Validate checks the consistency of the search state at every node and fails on the first thing that is wrong.
	Validate bool
	// Progress is called every few thousand nodes with the result so far, which it must not keep.
	Progress func(*Result)
	// Observer is told how the exploration tree grows; nil: nobody. A search that is resumed has none.
	Observer Observer
	// Checkpoint is called every few thousand nodes, as soon as an execution is over, and when the search is about to end early:
	// stopped is the reason then, else empty. save makes a checkpoint, which is valid until Checkpoint returns.
	Checkpoint func(stopped string, save func() *Checkpoint)
	// Terminal is called with the state at the end of every complete execution, which it must not keep.
	Terminal func(step.State)
}

// An engine is a search of some kind.
type engine interface {
	begin()                       // explores everything
	restore(cp *Checkpoint) error // goes to where the checkpoint was made
	proceed()                     // explores what is left
	conclude() (*Result, error)   // sums up
}

func newEngine(ctx context.Context, m *step.Machine, a *Algorithm, opt Options) (engine, error) {
	if opt.Workers > 1 {
		return newCrew(ctx, m, a, opt)
	}
	return newWorker(ctx, m, a, opt)
}

func newWorker(ctx context.Context, m *step.Machine, a *Algorithm, opt Options) (worker, error) {
	if a.Stateful {
		return newExhaustive(ctx, m, a, opt)
	}
	if opt.Symmetry {
		return nil, errSymmetry(a)
	}
	return newSearch(ctx, m, a, opt)
}

// Run explores a machine with an algorithm. The error is an internal one; what was found and how the search ended is in the
// result. The search ends early when the context does, as soon as the execution that is under way is over.
func Run(ctx context.Context, m *step.Machine, a *Algorithm, opt Options) (*Result, error) {
	x, err := newEngine(ctx, m, a, opt)
	if err != nil {
		return nil, err
	}
	x.begin()
	return x.conclude()
}

// newSearch makes a search that stands at the initial state.
func newSearch(ctx context.Context, m *step.Machine, a *Algorithm, opt Options) (*search, error) {
	if !a.Constraints {
		opt.Conditions = nil
	}
	c, err := newControl(ctx, m, a, opt)
	if err != nil {
		return nil, err
	}
	x := &search{control: c, m: m, run: m.NewRunner(), procs: m.NumProcs(), strategy: a.make(opt), hb: a.races, watch: newWatcher(opt.Observer)}
	_, x.trees = x.strategy.(*optimal)
	x.conditions, x.pairs = opt.Conditions, map[[2]*step.Step]*PairStats{}
	x.probe, x.virtual = scratch[int64](m.Words()), scratch[int64](m.Words())
	x.hide, x.idlePast.clock, x.none = scratch[int32](x.procs), scratch[int32](x.procs), scratch[int32](x.procs)
	x.foot, x.accesses.few = scratch[uint64](m.FootprintWords()), few
	copy(x.level(0).state, m.Initial())
	return x, nil
}

func checkSize(m *step.Machine) error {
	if m.NumActions() > MaxActions {
		return fmt.Errorf("the program has %d processes with %d alternatives; at most %d can be explored",
			m.NumProcs(), m.NumActions(), MaxActions)
	}
	return nil
}

// A search is one run of a strategy: the stack and scratch memory.
type search struct {
	control
	relation
	m        *step.Machine
	run      *step.Runner
	procs    int
	strategy strategy
	hb       bool // happens-before is computed
	trees    bool // what is to be tried are sequences, in wakeup trees, not sets of actions
	watch    *watcher

	levels  []*level
	census  census
	depth   int   // events on the stack; levels[depth] is the present node
	invalid error // what Validate found

	serial   uint64 // of the event that came last on the stack
	accesses accesses

	// scratch memory
	probe, virtual step.State
	hide           []int32
	none           []int32 // the clock that covers nothing
	foot           step.Footprint
	races          []race
	vias           []int32
	seq            []int32
	chosen         []int32
	begun          []int32
	skipped        []int32
	writers        []int32
	order          order
	places         placements
	idle           move // one that is not taken
	idlePast       past
	last           []int32

	foresight // future.go
}

func (x *search) begin() {
	x.visit()
	x.watch.left(x.stop == "")
}

func (x *search) conclude() (*Result, error) {
	if err := x.failed(); err != nil {
		return nil, err
	}
	return x.results.finish(cmp.Or(x.stop, x.ending), x.pairs), nil
}

// failed is what Validate has found.
func (x *search) failed() error { return x.invalid }

// visit explores everything after the present node, whose state and sleep sets are set.
func (x *search) visit() {
	lv := x.levels[x.depth]
	n, res := &lv.node, &x.results.Result
	pause := x.visited()
	if x.crew.hungry() {
		x.giveAway()
	}
	lv.begun, n.tried = res.Nodes, 0
	if pause {
		if x.opt.Progress != nil {
			res.Share = x.share()
		}
		x.pause()
	}
	n.backtrack = actionSet{}
	if !n.looked {
		x.enable(lv)
	}
	n.looked = false
	var foot step.Footprint
	if x.depth > 0 {
		foot = x.levels[x.depth-1].event.foot
	}
	x.results.state(x, lv.state, foot)
	x.watch.entered(x)
	x.strategy.enter(x, n)
	x.watch.inserted(x, Begins, x.depth)
	if x.opt.Validate && x.invalid == nil {
		if x.invalid = x.validate(); x.invalid != nil {
			x.stop = StoppedContext
		}
	}
	if n.enabled.empty() {
		x.results.terminal(x, lv.state)
		x.watch.terminal(x.m, lv.state)
		x.limit()
		return
	}
	if x.depth >= x.opt.MaxDepth {
		res.Cut++
		x.watch.end(EndsCut)
		return
	}
	x.branch(lv, false)
}

// branch takes one action after the other from the present node. ran tells whether one has been taken already.
func (x *search) branch(lv *level, ran bool) {
	for x.stop == "" {
		a := x.next(&lv.node)
		if a < 0 {
			if !ran {
				x.results.Blocked++
				x.watch.end(EndsBlocked)
			}
			return
		}
		ran = true
		x.step(lv, a)
		x.explored(lv, a)
	}
}

// explored is called when everything after an action from the present node has been explored, unless the search has stopped.
func (x *search) explored(lv *level, a int) {
	if x.stop == "" {
		if lv.node.shared == nil {
			x.strategy.left(x, &lv.node, a)
		}
		if x.breaks() {
			x.between(x.save)
		}
	}
}

// enable finds out which actions are possible from a node, and which of them the preemption bound forbids.
func (x *search) enable(lv *level) {
	n := &lv.node
	if n.barred = (actionSet{}); x.depth == 0 {
		findEnabled(x.m, x.run, lv.state, &n.enabled, &n.open)
	} else {
		below := x.levels[x.depth-1]
		n.enabled.set(&below.node.enabled)
		n.open.set(&below.node.open)
		updateEnabled(x.m, x.run, lv.state, below.event.proc, below.event.id, &n.enabled, &n.open)
	}
	if !x.opt.Preempt || x.depth == 0 {
		lv.preemptions = 0
		return
	}
	below := x.levels[x.depth-1]
	lv.preemptions = below.preemptions
	if x.depth > 1 {
		if before := x.levels[x.depth-2].event.proc; before != below.event.proc && below.node.enabled.has(x.m.FirstAction(before)) {
			lv.preemptions++
		}
	}
	if p := below.event.proc; lv.preemptions >= x.opt.Preemptions && n.enabled.has(x.m.FirstAction(p)) {
		n.barred = n.enabled
		for a := n.barred.next(0); a >= 0; a = n.barred.next(a + 1) {
			if x.m.ProcOf(a) == p {
				n.barred.remove(a)
			}
		}
		if !n.barred.empty() {
			x.results.Barred++
		}
	}
}

// step takes an action from the present node and explores what follows.
func (x *search) step(lv *level, a int) {
	x.watch.step(a)
	child, races := x.execute(lv, a)
	x.results.Races += int64(len(races))
	if !x.strategy.executed(x, lv, child, races) {
		return
	}
	x.results.Events++
	x.depth++
	x.results.MaxDepth = max(x.results.MaxDepth, x.depth)
	x.visit()
	x.back(lv, child)
}

// back returns from the child of a level that is done.
func (x *search) back(lv, child *level) {
	x.depth--
	x.watch.left(x.stop == "")
	x.finished(lv, child)
}

// execute takes an action from the present node: it fills the event of the level and the state of the next one, and finds
// the races. The event is not on the stack yet.
func (x *search) execute(lv *level, a int) (child *level, races []race) {
	child = x.level(x.depth + 1)
	child.node.shared, child.node.under = nil, nil
	e := &lv.event
	x.describe(&e.move, lv.state, a, e.footBuf)
	p := e.proc
	x.serial++
	e.serial = x.serial
	copy(child.state, lv.state)
	x.run.Take(child.state, a)
	x.refine(&e.move, lv.state, child.state, e.footBuf)
	copy(child.counts, lv.counts)
	child.counts[p]++
	e.index = child.counts[p]
	if x.hb {
		races = x.happensBefore(&e.move, &e.past)
		e.clock[p] = e.index
	}
	return child, races
}
