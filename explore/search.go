package explore

import (
	"context"
	"fmt"

	"cdpor/lang/step"
)

// DefaultMaxDepth is how many events an execution may have before it is cut.
const DefaultMaxDepth = 100_000

// Options say how to search. The zero value searches everything.
type Options struct {
	Conditions    Conditions // independence constraints; nil: none
	MaxExecutions int64      // complete executions; 0: no limit
	MaxDepth      int        // events of one execution; 0: DefaultMaxDepth
	// Progress is called every few thousand nodes with the result so far, which it must not keep.
	Progress func(*Result)
	// Terminal is called with the state at the end of every complete execution, which it must not keep.
	Terminal func(step.State)
}

// Run explores a machine with an algorithm. The error is an internal one; what was found and how the search ended is in the
// result. The search ends early when the context does.
func Run(ctx context.Context, m *step.Machine, a *Algorithm, opt Options) (*Result, error) {
	x, err := newSearch(ctx, m, a, opt)
	if err != nil {
		return nil, err
	}
	x.visit()
	return x.results.finish(x), nil
}

// newSearch makes a search that stands at the initial state.
func newSearch(ctx context.Context, m *step.Machine, a *Algorithm, opt Options) (*search, error) {
	if m.NumProcs() > MaxProcs {
		return nil, fmt.Errorf("the program has %d processes; at most %d can be explored", m.NumProcs(), MaxProcs)
	}
	if opt.MaxDepth == 0 {
		opt.MaxDepth = DefaultMaxDepth
	}
	if !a.Constraints {
		opt.Conditions = nil
	}
	x := &search{m: m, run: m.NewRunner(), procs: m.NumProcs(), opt: opt, ctx: ctx, strategy: a.make()}
	x.conditions = opt.Conditions
	x.probe, x.virtual = make(step.State, m.Words()), make(step.State, m.Words())
	x.hide, x.clock = make([]int32, x.procs), make([]int32, x.procs)
	x.foot = make(step.Footprint, m.FootprintWords())
	var err error
	if x.results, err = newResults(m, a); err != nil {
		return nil, err
	}
	copy(x.level(0).state, m.Initial())
	return x, nil
}

// A search is one run of a strategy: the stack and scratch memory.
type search struct {
	relation
	m        *step.Machine
	run      *step.Runner
	procs    int
	strategy strategy
	opt      Options
	ctx      context.Context
	results  *results

	levels []*level
	depth  int    // events on the stack; levels[depth] is the present node
	stop   string // why the search stopped early

	// scratch memory
	probe, virtual step.State
	hide, clock    []int32
	foot           step.Footprint
	races          []race
	vias           []int32
	seq            []int32
	skipped        []int
	order          order
	last           []int32
	futures        [][]*future
}

// visit explores everything after the present node, whose state and sleep sets are set.
func (x *search) visit() {
	lv := x.levels[x.depth]
	n, res := &lv.node, &x.results.Result
	res.Nodes++
	if res.Nodes&1023 == 0 {
		x.pause()
	}
	n.enabled, n.backtrack = procSet{}, procSet{}
	for p := range x.procs {
		if x.run.Enabled(lv.state, p) {
			n.enabled.add(p)
		}
	}
	x.results.state(x, lv)
	x.strategy.enter(x, n)
	if n.enabled.empty() {
		x.results.terminal(x, lv.state)
		if x.opt.MaxExecutions > 0 && res.Executions >= x.opt.MaxExecutions {
			x.stop = StoppedExecutions
		}
		return
	}
	if x.depth >= x.opt.MaxDepth {
		res.Cut++
		return
	}
	ran := false
	for x.stop == "" {
		p := x.strategy.pick(x, n)
		if p < 0 {
			if !ran {
				res.Blocked++
			}
			return
		}
		ran = true
		x.step(lv, p)
		x.strategy.left(x, n, p)
	}
}

// step runs process p from the present node and explores what follows.
func (x *search) step(lv *level, p int) {
	child, races := x.execute(lv, p)
	x.results.Races += int64(len(races))
	x.strategy.executed(x, lv, child, races)
	x.results.Events++
	x.depth++
	x.results.MaxDepth = max(x.results.MaxDepth, x.depth)
	x.visit()
	x.depth--
}

// execute runs process p from the present node: it fills the event of the level and the state of the next one, and finds
// the races. The event is not on the stack yet.
func (x *search) execute(lv *level, p int) (child *level, races []race) {
	child = x.level(x.depth + 1)
	e := &lv.event
	e.move = x.moveOf(lv.state, p, e.footBuf)
	copy(child.state, lv.state)
	x.run.Run(child.state, p)
	x.refine(&e.move, lv.state, child.state, e.footBuf)
	copy(child.counts, lv.counts)
	child.counts[p]++
	e.index = child.counts[p]
	races = x.happensBefore(&e.move, e.clock)
	e.clock[p] = e.index
	return child, races
}

func (x *search) pause() {
	if x.ctx.Err() != nil {
		x.stop = StoppedContext
	}
	if x.opt.Progress != nil {
		x.opt.Progress(&x.results.Result)
	}
}
