package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand"

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
	// Seed other than 0 chooses at random which process is tried first where nothing else decides. Equal seeds give equal
	// searches.
	Seed int64
	// The optimisations of CAV'17, section 5.3 and 6.2, for algorithms with sleep sequences.
	NoAnticipate bool // do not cut a node early when what sleeps there can never wake up
	NoGuide      bool // do not prefer processes that begin short sleep sequences
	Attach       bool // do not run a sequence when it is found: keep the state and compare when the search gets there
	// Validate checks the consistency of the search state at every node and fails on the first thing that is wrong.
	Validate bool
	// Progress is called every few thousand nodes with the result so far, which it must not keep.
	Progress func(*Result)
	// Observer is told how the exploration tree grows; nil: nobody.
	Observer Observer
	// Terminal is called with the state at the end of every complete execution, which it must not keep.
	Terminal func(step.State)
}

// Run explores a machine with an algorithm. The error is an internal one; what was found and how the search ended is in the
// result. The search ends early when the context does.
func Run(ctx context.Context, m *step.Machine, a *Algorithm, opt Options) (*Result, error) {
	if !a.Constraints {
		opt.Conditions = nil
	}
	if a.Stateful {
		return exhaust(ctx, m, a, opt)
	}
	x, err := newSearch(ctx, m, a, opt)
	if err != nil {
		return nil, err
	}
	x.visit()
	x.watch.left(x.stop == "")
	if x.invalid != nil {
		return nil, x.invalid
	}
	return x.results.finish(x.stop, x.pairs), nil
}

// newSearch makes a search that stands at the initial state.
func newSearch(ctx context.Context, m *step.Machine, a *Algorithm, opt Options) (*search, error) {
	if err := checkSize(m); err != nil {
		return nil, err
	}
	if opt.MaxDepth == 0 {
		opt.MaxDepth = DefaultMaxDepth
	}
	x := &search{m: m, run: m.NewRunner(), procs: m.NumProcs(), opt: opt, ctx: ctx, strategy: a.make(opt), hb: a.races,
		watch: newWatcher(opt.Observer)}
	x.conditions = opt.Conditions
	x.probe, x.virtual = make(step.State, m.Words()), make(step.State, m.Words())
	x.hide, x.clock = make([]int32, x.procs), make([]int32, x.procs)
	x.foot = make(step.Footprint, m.FootprintWords())
	if opt.Seed != 0 {
		x.rng = rand.New(rand.NewSource(opt.Seed))
	}
	var err error
	if x.results, err = newResults(m, a, opt.Terminal); err != nil {
		return nil, err
	}
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
	relation
	m        *step.Machine
	run      *step.Runner
	procs    int
	strategy strategy
	hb       bool // happens-before is computed
	opt      Options
	ctx      context.Context
	rng      *rand.Rand // nil: no random choices
	results  *results
	watch    *watcher

	levels  []*level
	census  census
	depth   int    // events on the stack; levels[depth] is the present node
	stop    string // why the search stopped early
	invalid error  // what Validate found

	// scratch memory
	probe, virtual step.State
	hide, clock    []int32
	foot           step.Footprint
	races          []race
	vias           []int32
	seq            []int32
	skipped        []int
	order          order
	places         placements
	plain          step.Footprint
	last           []int32
	futures        [][]*future
}

// visit explores everything after the present node, whose state and sleep sets are set.
func (x *search) visit() {
	lv := x.levels[x.depth]
	n, res := &lv.node, &x.results.Result
	res.Nodes++
	lv.begun, n.tried = res.Nodes, 0
	if res.Nodes&1023 == 0 {
		x.pause()
	}
	n.backtrack = actionSet{}
	x.enable(lv)
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
		if x.opt.MaxExecutions > 0 && res.Executions >= x.opt.MaxExecutions {
			x.stop = StoppedExecutions
		}
		return
	}
	if x.depth >= x.opt.MaxDepth {
		res.Cut++
		x.watch.end(EndsCut)
		return
	}
	ran := false
	for x.stop == "" {
		a := x.strategy.pick(x, n)
		if a < 0 {
			if !ran {
				res.Blocked++
				x.watch.end(EndsBlocked)
			}
			return
		}
		ran = true
		x.step(lv, a)
		x.strategy.left(x, n, a)
	}
}

// enable finds out which actions are possible from a node, and which of them the preemption bound forbids.
func (x *search) enable(lv *level) {
	n := &lv.node
	enabledActions(x.m, x.run, lv.state, &n.enabled)
	n.barred = actionSet{}
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

// enabledActions sets a set to the actions that are possible in a state.
func enabledActions(m *step.Machine, r *step.Runner, s step.State, set *actionSet) {
	*set = actionSet{}
	for p := range m.NumProcs() {
		if r.Enabled(s, p) {
			first := m.FirstAction(p)
			for k := range r.Alternatives(s, p) {
				set.add(first + k)
			}
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
	x.depth--
	x.watch.left(x.stop == "")
	x.finished(lv, child)
}

// execute takes an action from the present node: it fills the event of the level and the state of the next one, and finds
// the races. The event is not on the stack yet.
func (x *search) execute(lv *level, a int) (child *level, races []race) {
	child = x.level(x.depth + 1)
	e, p := &lv.event, x.m.ProcOf(a)
	e.move = x.moveOf(lv.state, p, e.footBuf)
	e.action = a
	copy(child.state, lv.state)
	x.run.Take(child.state, a)
	x.refine(&e.move, lv.state, child.state, e.footBuf)
	copy(child.counts, lv.counts)
	child.counts[p]++
	e.index = child.counts[p]
	if x.hb {
		races = x.happensBefore(&e.move, e.clock)
		e.clock[p] = e.index
	}
	return child, races
}

// any chooses an action of a set when nothing else decides: the first, or with a seed a random one. The set is not empty.
func (x *search) any(s *actionSet) int {
	p := s.next(0)
	if x.rng != nil {
		for skip := x.rng.Intn(s.len()); skip > 0; skip-- {
			p = s.next(p + 1)
		}
	}
	return p
}

// interrupted is why a search under a context must stop, empty if it need not.
func interrupted(ctx context.Context) string {
	switch err := ctx.Err(); {
	case err == nil:
		return ""
	case errors.Is(err, context.DeadlineExceeded):
		return StoppedTime
	}
	return StoppedContext
}

func (x *search) pause() {
	x.stop = cmp.Or(x.stop, interrupted(x.ctx))
	if x.opt.Progress != nil {
		x.results.Share = x.share()
		x.opt.Progress(&x.results.Result)
	}
}
