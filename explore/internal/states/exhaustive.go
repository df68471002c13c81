package states

import (
	"cmp"
	"context"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/engine"
	"cdpor/explore/internal/memory"
	"cdpor/explore/internal/program"
	"cdpor/explore/internal/results"
	"cdpor/explore/internal/stateset"
	"cdpor/explore/internal/symmetry"
	"cdpor/explore/liveness"
	"cdpor/lang/step"
)

// The plain search of the state graph with a visited set (package stateset), depth first.

var Algorithm = &dpor.Algorithm{
	Name:  "exhaustive",
	Title: "the whole state graph, every state once",
	Help: "Visits each reachable state once, however many executions lead there, and checks invariants in all of " +
		"them. The best choice when there are few states; needs memory for each. Executions counts distinct terminal " +
		"states. States are kept exactly, in some 12 to 30 bytes each. With --symmetry, interchangeable threads are " +
		"taken for each other.",
	When: "When there are few reachable states and many ways to them, or an invariant must hold in every state.\n" +
		"Not when a counter or a long list makes each state a new one.",
	Paper:      "none",
	Preserves:  "every reachable state",
	Stateful:   true,
	EveryState: true,
}

type Exhaustive struct {
	engine.Limits
	m     *step.Machine
	run   *step.Runner
	watch *engine.Watcher
	Seen  *stateset.Writer     // of the set of visited states, which all workers of a pool share
	peers *[]*Exhaustive       // these workers
	alike *symmetry.Symmetries // nil: states are not permuted
	stack []*frame
	depth int
	lower lower // a part of the stack

	diff   stateset.Difference // between a state and the one before
	taken  int64               // steps
	stamps []int64             // per word of the state, the step that changed it last
	foot   step.Footprint

	Ends *components // whether executions end; nil: that is not found out

	plain     bool          // what the visited set has of states is nothing else than the states
	Crowd     int64         // how many events for a state there must be to look ahead
	ready     int           // the action that has led to what is in the next frame and in diff, -1: none
	disturbed actionset.Set // scratch
	invalid   error         // what Validate has found

	_ [64]byte // what lies beside it in memory is written by other workers
}

// Crowd is how many events for a state make looking ahead worth the while.
const Crowd = 2

func New(ctx context.Context, m *step.Machine, a *dpor.Algorithm, opt engine.Options) (*Exhaustive, error) {
	opt.Conditions = nil
	c, err := engine.NewLimits(ctx, m, a, opt)
	if err != nil {
		return nil, err
	}
	x := &Exhaustive{Limits: c, m: m, run: m.NewRunner(), foot: make(step.Footprint, m.FootprintWords()),
		watch: engine.NewWatcher(opt.Observer), Crowd: Crowd, lower: lower{long: 2 * StretchLen}}
	x.Ask = x.CheckGiveUp
	x.run.Cover(x.Results.Covered)
	x.Seen, x.stamps = stateset.NewTreeSet(packingOf(m, &x.Opt)).NewWriter(), memory.Scratch[int64](m.Words())
	if opt.Symmetry {
		x.alike = symmetry.New(m)
		x.Results.Symmetry = x.alike.Found
		if len(x.alike.Groups) == 0 {
			x.alike = nil
		}
	}
	x.plain = x.alike == nil && !opt.Preempt
	if opt.Workers <= 1 && !opt.Preempt && !opt.IdleLast &&
		m.Program.Checks.Termination != step.TerminationAllowed && !liveness.Counts(m.Program) {
		x.Ends = newComponents(m, x.Schedule, x.alike == nil)
		x.Seen.Set.Rekeyed = x.Ends.open.Rekey
	}
	return x, nil
}

// Sharing makes searches that use one set of visited states.
func Sharing(ctx context.Context, m *step.Machine, a *dpor.Algorithm) func(opt engine.Options) (engine.Worker, error) {
	peers := &[]*Exhaustive{}
	return func(opt engine.Options) (engine.Worker, error) {
		x, err := New(ctx, m, a, opt)
		if err != nil {
			return nil, err
		}
		if x.peers = peers; len(*peers) > 0 {
			x.Seen = (*peers)[0].Seen.Set.NewWriter()
		}
		*peers = append(*peers, x)
		return x, nil
	}
}

func (x *Exhaustive) Failed() error { return x.invalid }

// packingOf is how keys are packed: under a preemption bound, who came to a state and how it may go on are a part of
// the key.
func packingOf(m *step.Machine, opt *engine.Options) *stateset.Packing {
	p := stateset.PackingOf(m)
	if opt.Preempt {
		p.Add(-1, uint64(m.NumProcs())+1, -1)
		p.Add(0, uint64(min(opt.Preemptions, stateset.SomeInts))+1, 0)
	}
	return p
}

func (x *Exhaustive) Begin() { x.Advance(0) }

// Advance is advance of a search of executions.
func (x *Exhaustive) Advance(nodes int64) (over bool) {
	over = true
	defer x.GiveUp(x)
	x.Until(nodes)
	if !x.Running {
		x.Running = true
		root := x.frame(0)
		copy(root.state, x.m.Initial())
		x.reach(root)
		x.Ends.enter(0, x.Seen.Last, root.state)
		x.Results.States++
		x.Results.Started(x, root.state)
		if !x.visit() {
			x.watch.Left(x.Stop == "")
			return true
		}
	}
	if x.branch(); x.Paused {
		return false
	}
	x.watch.Left(x.Stop == "")
	return true
}

func (x *Exhaustive) Conclude() (*results.Result, error) {
	if x.invalid != nil {
		return nil, x.invalid
	}
	x.Results.States, x.Results.Memory = int64(x.Seen.Set.Len()), x.Seen.Set.Bytes()
	if x.Opt.Preempt { // a state is visited once per last process and number of preemptions
		x.Results.States = 0
	}
	r := x.Results.Finish(cmp.Or(x.Stop, x.Ending), nil)
	if x.Ends.leave(); x.Ends != nil && !x.Ends.unknown && r.Stopped == results.StoppedComplete {
		r.Ends = &results.Liveness{Termination: x.Ends.termination(), States: int(r.States), Edges: int(r.Events),
			Bytes: r.Memory}
	}
	return r, nil
}

func (x *Exhaustive) frame(depth int) *frame {
	for len(x.stack) <= depth {
		x.stack = append(x.stack, nil)
	}
	if x.stack[depth] != nil {
		return x.stack[depth]
	}
	if last := len(x.lower.spare) - 1; last >= 0 {
		x.stack[depth], x.lower.spare = x.lower.spare[last], x.lower.spare[:last]
		return x.stack[depth]
	}
	f := &frame{state: make(step.State, x.m.Words()), packed: x.Seen.Set.Vector(),
		spans: make([]step.Span, x.m.NumProcs())}
	if x.alike != nil || x.Opt.Preempt {
		f.key = make(step.State, len(x.Seen.Set.Fields))
	}
	x.stack[depth] = f
	return f
}

func (x *Exhaustive) Schedule(list []int32) []int32 {
	list = x.lower.schedule(list)
	for _, f := range x.stack[x.lower.depth():x.depth] {
		list = append(list, int32(f.action))
	}
	return list
}

// reach packs the present state, that of a frame, and reports whether it was not among those visited. It is now.
func (x *Exhaustive) reach(f *frame) bool {
	if f.key == nil {
		return x.Seen.Add(f.packed, f.state)
	}
	x.identify(f, f.state)
	return x.Seen.Add(f.packed, f.key)
}

// identify fills the key of the present frame, which is in the state s.
func (x *Exhaustive) identify(f *frame, s step.State) {
	n := x.m.Words()
	switch {
	case x.alike != nil:
		x.alike.Represent(s, f.key[:n])
	case x.Opt.Preempt:
		copy(f.key, s)
	}
	if x.Opt.Preempt {
		before := -1
		if x.depth > 0 {
			before = x.m.ProcOf(x.stack[x.depth-1].action)
			if x.alike != nil {
				before = x.alike.ToProc[before]
			}
		}
		f.key[n], f.key[n+1] = int64(before), int64(f.preemptions)
	}
}

// visit enters the present frame, whose state is new, and reports whether something is to be taken from it.
func (x *Exhaustive) visit() (more bool) {
	f, res := x.stack[x.depth], &x.Results.Result
	if x.Pool != nil && x.Pool.Starving() {
		x.offload()
	}
	x.watch.Enter(x.depth, engine.Sleepers{}, nil)
	if x.CountNode() {
		if x.Pause(); x.Seen.Set.Full() {
			x.Ending = cmp.Or(x.Ending, results.StoppedMemory)
		}
		x.Reserve(x.Seen.Growth())
	}
	x.Results.LookForGrowth(x.depth, func(event int) step.State {
		if event < x.lower.depth() {
			return x.lower.list[event/StretchLen].state // not much earlier
		}
		return x.stack[event].state
	})
	x.enter(f)
	if f.todo.Empty() {
		x.terminal(f.state)
		x.watch.Terminal(x.m, f.state)
		x.Limit()
		return false
	}
	if tooDeep(x) {
		res.Cut++
		x.watch.End(engine.EndsCut)
		return false
	}
	if f.bar(x.m, &x.Opt) {
		res.Barred++
	}
	return true
}

// tooDeep reports whether what follows the present frame is cut. Where the user sets no bound that is only done when a
// variable still grows near that depth: the states may have no end then.
func tooDeep(x *Exhaustive) bool {
	if x.Opt.MaxDepth > 0 {
		return x.depth >= x.Opt.MaxDepth
	}
	growing := x.Results.Growing
	return x.depth >= engine.DefaultMaxDepth && len(growing) > 0 &&
		growing[0].Events > engine.DefaultMaxDepth-results.LongExecution
}

// terminal reports a state in which nothing is enabled, and those that permutations of it lead to.
func (x *Exhaustive) terminal(s step.State) {
	if x.alike == nil {
		x.Results.Terminal(x, s)
		return
	}
	x.alike.Images(s, func(i symmetry.Image) { x.Results.Terminal(permuted{x.m, x, i.Procs}, i.State) })
}

// enter finds out what can be taken from the present frame.
func (x *Exhaustive) enter(f *frame) {
	f.ahead, f.spanned, f.successors = false, false, f.successors[:0]
	if f.last = -1; x.depth == x.lower.depth() {
		program.FindEnabled(x.m, x.run, f.state, &f.enabled, &f.open)
	} else {
		below, before := x.stack[x.depth-1], x.m.ProcOf(x.stack[x.depth-1].action)
		f.enabled.Set(&below.enabled)
		f.open.Set(&below.open)
		if x.crowded() {
			f.disturb(x.m, x.run, below, &x.disturbed)
			program.UpdateAmong(x.m, x.run, f.state, before, &x.disturbed, &f.enabled, &f.open)
		} else {
			program.UpdateEnabled(x.m, x.run, f.state, before, x.m.StepID(below.state, before), &f.enabled, &f.open)
		}
		if program.EnabledOf(x.m, &f.enabled, before) >= 0 {
			f.last = before
		}
	}
	f.todo.Set(&f.enabled)
	if x.Opt.IdleLast && x.m.HasIdle() {
		f.postponeIdle(x.m)
	}
}

// postponeIdle removes the idle steps from what is to be taken from a frame, unless there is nothing else.
func (f *frame) postponeIdle(m *step.Machine) {
	busy := f.todo
	for a := busy.Next(0); a >= 0; a = busy.Next(a + 1) {
		if m.Info(m.StepID(f.state, m.ProcOf(a))).Idle {
			busy.Remove(a)
		}
	}
	if !busy.Empty() {
		f.todo = busy
	}
}

// bar removes what the preemption bound forbids, and reports whether that was something.
func (f *frame) bar(m *step.Machine, opt *engine.Options) bool {
	if !opt.Preempt || f.last < 0 {
		return false
	}
	forbidden := program.BeyondBound(m, &f.enabled, f.last, f.preemptions, opt.Preemptions)
	f.todo = f.todo.Minus(&forbidden)
	return !forbidden.Empty()
}

// branch takes what is left to do from the present frame, from those that it comes to, and from those below it on the
// stack.
func (x *Exhaustive) branch() {
	for fetched := false; !x.Paused; {
		f := x.stack[x.depth]
		if f.todo.Empty() || x.Stop != "" {
			if x.depth == 0 {
				return
			}
			x.watch.Left(x.Stop == "")
			x.Ends.leave()
			x.explored()
			fetched = false
			continue
		}
		if !fetched {
			x.lookAhead(f)
			fetched = true
		}
		a := x.Any(&f.todo)
		f.todo.Remove(a)
		x.watch.Step(a)
		next := x.above(f, a)
		x.Results.Events++
		x.Results.MaxDepth = max(x.Results.MaxDepth, x.depth)
		if !x.take(f, next) {
			x.watch.Seen()
			x.Ends.meet(a, x.Seen.Last)
			x.explored()
			continue
		}
		x.Ends.enter(a, x.Seen.Last, next.state)
		x.Results.States++
		x.check(f, next)
		if fetched = false; !x.visit() {
			x.watch.Left(x.Stop == "")
			x.Ends.leave()
			x.explored()
		} else if x.EndsInside() {
			x.AtSafePoint(x.save)
		}
	}
}

// check looks at the new state that the action of a frame has led to. A failure makes a state that was not there
// before, so states that have been visited need not be looked at again.
func (x *Exhaustive) check(f, next *frame) {
	p := x.m.ProcOf(f.action)
	if x.Results.MayFail(next.state, p, x.m.StepID(f.state, p)) {
		for _, v := range x.Results.NewFailures(f.state, next.state, p) {
			x.fail(v)
		}
	}
	if len(x.Results.Invariants) > 0 {
		x.Results.CheckInvariants(x, next.state, x.run.Footprint(f.state, p, x.foot))
	}
}

// fail records a failure, and with symmetry those of the processes that the failed one may be taken for.
func (x *Exhaustive) fail(v results.Violation) {
	x.Results.Record(x, v)
	if x.alike == nil {
		return
	}
	x.alike.Elsewhere(v.Proc, func(q int, procs []int) {
		v.Proc = q
		x.Results.Record(permuted{x.m, x, procs}, v)
	})
}

// above goes to the frame that an action leads to from the present one. Its state is not there yet.
func (x *Exhaustive) above(f *frame, a int) (next *frame) {
	f.action = a
	next = x.frame(x.depth + 1)
	next.preemptions = f.preemptions
	if f.last >= 0 && program.Preempts(x.m, &f.enabled, f.last, x.m.ProcOf(a)) {
		next.preemptions++
	}
	if x.depth++; x.depth >= x.lower.long {
		x.lower.shorten(x)
	}
	return next
}

// take takes the action of a frame, and reports whether the state that it leads to is new. If so, the next frame has
// it.
func (x *Exhaustive) take(f, next *frame) bool {
	if added, done := x.tryAhead(f, next); done {
		return added
	}
	x.execute(f, next)
	to := next.state
	if f.key != nil {
		to = next.key
	}
	added, done := x.Seen.Try(f.packed, &x.diff, next.packed)
	return added || !done && x.Seen.AddPlus(f.packed, &x.diff, next.packed, to)
}

// execute takes the action of a frame to the next one, and finds out how that differs.
func (x *Exhaustive) execute(f, next *frame) {
	x.ready = f.action
	x.State(len(next.state))
	copy(next.state, f.state)
	written := x.run.TakeLogged(next.state, f.action)
	x.diff.Clear()
	fields, from, to := x.Seen.Set.Fields, f.state, next.state
	if f.key == nil {
		x.taken++
		for _, w := range written {
			if from[w] != to[w] && x.stamps[w] != x.taken {
				x.stamps[w] = x.taken
				x.diff.Add(&fields[w], from[w], to[w])
			}
		}
		return
	}
	x.identify(next, to)
	from, to = f.key, next.key
	for w, now := range to {
		if from[w] != now {
			x.diff.Add(&fields[w], from[w], now)
		}
	}
}

// explored goes back from the present frame to the one below it on the stack, when everything after it has been
// explored or the search has stopped.
func (x *Exhaustive) explored() {
	if x.depth--; x.depth >= 0 && x.depth < x.lower.depth() {
		x.lower.lengthen(x)
	}
	if x.Stop == "" && x.NeedsSafePoint() {
		x.AtSafePoint(x.save)
	}
}

// A permuted trail is that of the image of a state.
type permuted struct {
	m     *step.Machine
	trail results.Trail
	procs []int
}

func (t permuted) Schedule(list []int32) []int32 {
	all := t.trail.Schedule(list)
	for i, a := range all[len(list):] {
		p := t.m.ProcOf(int(a))
		all[len(list)+i] = int32(t.m.FirstAction(t.procs[p]) + t.m.ChoiceOf(int(a)))
	}
	return all
}

func (x *Exhaustive) Onlooker() *engine.Watcher { return x.watch }
