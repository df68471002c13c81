package explore

import (
	"cmp"
	"context"
	"hash/maphash"
	"math/rand"

	"cdpor/lang/step"
)

// The plain search of the state graph with a visited set, depth first. A visited state is remembered by a 128-bit hash with
// random seeds: two states are confused with probability below n^2/2^129 for n states.

var exhaustiveAlgorithm = &Algorithm{
	Name:  "exhaustive",
	Title: "the whole state graph, every state once",
	Help: "Visits each reachable state once, however many executions lead there, and checks invariants in all of them. The best choice " +
		"when there are few states; needs memory for each. Executions counts distinct terminal states. States are remembered by " +
		"128-bit hashes.",
	Paper:     "none",
	Preserves: "every reachable state",
	Stateful:  true,
}

// bytesPerState is what a visited state takes in the set, measured: a 16-byte key in a map at its average load.
const bytesPerState = 26

type exhaustive struct {
	m       *step.Machine
	run     *step.Runner
	opt     Options
	ctx     context.Context
	rng     *rand.Rand
	results *results
	watch   *watcher
	seeds   [2]maphash.Seed
	seen    map[[2]uint64]struct{}
	stack   []*frame
	depth   int
	stop    string
	foot    step.Footprint
	key     step.State
}

// A frame is a state on the depth-first stack.
type frame struct {
	state       step.State
	action      int // what is being taken from it
	todo        actionSet
	preemptions int
}

func exhaust(ctx context.Context, m *step.Machine, a *Algorithm, opt Options) (*Result, error) {
	if err := checkSize(m); err != nil {
		return nil, err
	}
	if opt.MaxDepth == 0 {
		opt.MaxDepth = DefaultMaxDepth
	}
	x := &exhaustive{m: m, run: m.NewRunner(), opt: opt, ctx: ctx, seen: map[[2]uint64]struct{}{},
		seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, foot: make(step.Footprint, m.FootprintWords()), watch: newWatcher(opt.Observer)}
	if opt.Seed != 0 {
		x.rng = rand.New(rand.NewSource(opt.Seed))
	}
	var err error
	if x.results, err = newResults(m, a, opt.Terminal); err != nil {
		return nil, err
	}
	root := x.frame(0)
	copy(root.state, m.Initial())
	x.new(root)
	x.results.state(x, root.state, nil)
	x.visit()
	x.watch.left(x.stop == "")
	x.results.States = int64(len(x.seen))
	x.results.Memory = x.results.States * bytesPerState
	if opt.Preempt { // a state is visited once per last process and number of preemptions
		x.results.States = 0
	}
	return x.results.finish(x.stop, nil), nil
}

func (x *exhaustive) frame(depth int) *frame {
	for len(x.stack) <= depth {
		x.stack = append(x.stack, &frame{state: make(step.State, x.m.Words())})
	}
	return x.stack[depth]
}

// proc is the process of the action on the stack at a depth.
func (x *exhaustive) proc(depth int) int { return x.m.ProcOf(x.stack[depth].action) }

func (x *exhaustive) schedule() []int32 {
	s := make([]int32, x.depth)
	for i := range s {
		s[i] = int32(x.stack[i].action)
	}
	return s
}

// new adds the state of a frame to the visited set and reports whether it was not there.
func (x *exhaustive) new(f *frame) bool {
	s := f.state
	if x.opt.Preempt && x.depth > 0 {
		x.key = append(append(x.key[:0], s...), int64(x.proc(x.depth-1)), int64(f.preemptions))
		s = x.key
	}
	h := [2]uint64{s.Hash(x.seeds[0]), s.Hash(x.seeds[1])}
	if _, old := x.seen[h]; old {
		return false
	}
	x.seen[h] = struct{}{}
	return true
}

// visit explores what follows the present frame, whose state is new.
func (x *exhaustive) visit() {
	f, res := x.stack[x.depth], &x.results.Result
	res.Nodes++
	x.watch.enter(x.depth, Sleepers{}, nil)
	if res.Nodes&1023 == 0 {
		x.stop = cmp.Or(x.stop, interrupted(x.ctx))
		if x.opt.Progress != nil {
			res.States = int64(len(x.seen))
			x.opt.Progress(res)
		}
	}
	enabledActions(x.m, x.run, f.state, &f.todo)
	if f.todo.empty() {
		x.results.terminal(x, f.state)
		x.watch.terminal(x.m, f.state)
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
	last := -1
	if x.depth > 0 && f.todo.has(x.m.FirstAction(x.proc(x.depth-1))) {
		last = x.proc(x.depth - 1)
	}
	if x.opt.Preempt && last >= 0 && f.preemptions >= x.opt.Preemptions {
		before := f.todo.len()
		for a := f.todo.next(0); a >= 0; a = f.todo.next(a + 1) {
			if x.m.ProcOf(a) != last {
				f.todo.remove(a)
			}
		}
		if f.todo.len() < before {
			res.Barred++
		}
	}
	next := x.frame(x.depth + 1)
	for !f.todo.empty() && x.stop == "" {
		a := f.todo.next(0)
		if x.rng != nil {
			for skip := x.rng.Intn(f.todo.len()); skip > 0; skip-- {
				a = f.todo.next(a + 1)
			}
		}
		f.todo.remove(a)
		f.action = a
		x.watch.step(a)
		copy(next.state, f.state)
		x.run.Take(next.state, a)
		next.preemptions = f.preemptions
		if last >= 0 && x.m.ProcOf(a) != last {
			next.preemptions++
		}
		res.Events++
		x.depth++
		res.MaxDepth = max(res.MaxDepth, x.depth)
		if x.new(next) {
			if len(x.results.invariants) > 0 {
				x.results.state(x, next.state, x.run.Footprint(f.state, x.m.ProcOf(a), x.foot))
			}
			x.visit()
			x.watch.left(x.stop == "")
		} else {
			x.watch.seen()
		}
		x.depth--
	}
}
