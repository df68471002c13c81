package executions

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/engine"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/program"
	"cdpor/explore/internal/results"
	"cdpor/explore/liveness"
	"cdpor/lang/step"
)

// New makes a search that stands at the initial state.
func New(ctx context.Context, m *step.Machine, a *dpor.Algorithm, opt engine.Options) (*Search, error) {
	if !a.Constraints {
		opt.Conditions = nil
	}
	opt.MaxDepth = cmp.Or(opt.MaxDepth, engine.DefaultMaxDepth)
	c, err := engine.NewLimits(ctx, m, a, opt)
	if err != nil {
		return nil, err
	}
	x := &Search{Limits: c, algorithm: a, hb: a.Races, watch: engine.NewWatcher(opt.Observer)}
	x.Limits.Meter.Ask, x.Cuts = x.CheckGiveUp, true
	x.prog.Init(m, opt.Conditions, &x.Limits.Meter)
	x.m, x.run = m, x.prog.Run
	x.Init(&x.prog, &x.prog.Execution, &x.prog.Builder, x,
		a.New(dpor.Settings{NoAnticipate: opt.NoAnticipate, NoGuide: opt.NoGuide, Workers: opt.Workers}))
	x.Count, x.MaxDepth = &x.Results.Counts, x.Opt.MaxDepth
	copy(x.level(0).State, m.Initial())
	if x.watch != nil {
		x.Watch, x.watch.X = x.watch, &x.Search
		x.Removed = x.watch.Removed
	}
	if opt.Visited {
		if err := checkVisited(a, opt); err != nil {
			return nil, err
		}
		most := opt.VisitedMemory
		if most > 0 {
			most = max(1, most/int64(max(1, opt.Workers)))
		}
		x.Visits = newVisits(x, most)
		x.Visited = x.Visits
	} else {
		x.stretch.next = FirstStretch
		x.spins = a.Traces && a.Races && opt.Conditions == nil && !opt.Preempt && !liveness.Counts(m.Program)
	}
	return x, nil
}

func checkVisited(a *dpor.Algorithm, opt engine.Options) error {
	switch {
	case !a.Visits:
		return fmt.Errorf("%s does not stop at visited states", a.Name)
	case opt.Preempt:
		return errors.New("a search under a preemption bound does not stop at visited states: " +
			"what follows a state depends on how it was reached")
	}
	return nil
}

func (x *Search) Begin() { x.Advance(0) }

// Advance goes on until the search has visited some nodes, 0: any number, and is between two executions. It reports
// whether it is over.
func (x *Search) Advance(nodes int64) (over bool) {
	over = true
	defer x.GiveUp(x)
	switch x.Until(nodes); {
	case x.Stop != "":
		return true
	case x.Running && !x.Inside && nodes > 0 && x.Results.Nodes >= nodes:
		return false
	}
	if !x.Running {
		x.Running = true
		x.Results.Started(x, x.levels[0].State)
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

func (x *Search) Conclude() (*results.Result, error) {
	if err := x.Failed(); err != nil {
		return nil, err
	}
	r := x.Results.Finish(cmp.Or(x.Stop, x.Ending), x.Pairs)
	r.ShowsEnds(engine.ShowsEnds(x.algorithm, x.Opt), results.Liveness{Executions: r.Executions + r.Dropped})
	r.ShowsEnds(x.Visits != nil && x.Visits.roundless(), results.Liveness{Entered: r.States})
	return r, nil
}

// failed is what Validate has found.
func (x *Search) Failed() error { return x.Invalid }

// visit enters the present node, whose state and sleep sets are set, and reports whether something is to be taken
// from it.
func (x *Search) visit() (more bool) {
	lv := x.levels[x.Depth]
	n, res := &lv.Node, &x.Results.Result
	pause := x.CountNode()
	lv.begun, lv.tried = res.Nodes, 0
	if pause {
		if x.Opt.Progress != nil {
			x.estimate()
		}
		x.Pause()
	}
	if x.stretch.due(res.Nodes) {
		x.stretch.enter(lv.State, res)
	}
	x.Results.LookForGrowth(x.Depth, func(event int) step.State { return x.levels[event].State })
	n.Backtrack = actionset.Set{}
	if !n.Looked {
		x.Enable(&lv.Level)
	}
	n.Looked = false
	x.watch.Entered()
	if x.Visits != nil {
		x.Visits.Begin(x.Depth)
		if !n.Enabled.Empty() && x.Visits.arrive() {
			x.watch.Visited(lv.State)
			return false
		}
		x.watch.Explores(lv.State)
		x.Visits.Disabled()
	}
	n.EnabledLeft = true
	x.Strategy.Enter(&x.Search, n)
	x.watch.Inserted(dpor.Begins, x.Depth)
	if x.Opt.Validate && x.Invalid == nil {
		if x.Invalid = x.Validate(); x.Invalid != nil {
			x.Stop = results.StoppedContext
		}
	}
	if n.Enabled.Empty() && !lv.spun.Empty() {
		res.Blocked++
		res.Spinning++
		x.watch.End(engine.EndsBlocked)
		x.Limit()
		return false
	}
	if n.Enabled.Empty() {
		x.Results.Terminal(x, lv.State)
		x.watch.Terminal(x.m, lv.State)
		x.Limit()
		return false
	}
	if x.Depth >= x.Opt.MaxDepth {
		res.Cut++
		x.Limit()
		if x.Visits != nil {
			x.Visits.cut()
			x.Visits.leave()
		}
		x.watch.End(engine.EndsCut)
		return false
	}
	lv.ran = false
	return true
}

// branch takes one action after the other from the present node, from those that it comes to, and from those below it
// on the stack. An execution may have millions of events, so what has to be remembered of each is on the stack of the
// Search, not on Go's.
func (x *Search) branch() {
	for !x.Paused {
		lv, a := x.levels[x.Depth], -1
		if x.Stop == "" {
			a = x.Frontier.Take(&lv.Node)
		}
		switch {
		case a >= 0:
			lv.ran = true
			x.step(lv, a)
			continue
		case x.Stop == "" && !lv.ran:
			x.Results.Blocked++
			x.watch.End(engine.EndsBlocked)
		}
		if x.Stop == "" && x.Visits != nil {
			x.Visits.leave()
		}
		if x.Depth == 0 {
			return
		}
		x.back()
	}
}

// explored is called when everything after an action from the present node has been explored, unless the search has
// stopped.
func (x *Search) explored(lv *level, a int) {
	if x.Stop == "" {
		x.Frontier.Done(&lv.Node, a)
		x.Inside = false
		if x.NeedsSafePoint() {
			x.AtSafePoint(x.Save)
		}
	}
}

// Enable finds out which actions are possible from a node, and which of them the preemption bound forbids.
func (x *Search) Enable(level *dpor.Level) {
	lv, n := x.levels[x.Depth], &level.Node
	if n.Excluded = (actionset.Set{}); x.Depth == 0 {
		program.FindEnabled(x.m, x.run, lv.State, &n.Enabled, &n.Blockable)
	} else {
		below := x.levels[x.Depth-1]
		n.Enabled.Set(&below.Node.Enabled)
		n.Blockable.Set(&below.Node.Blockable)
		program.UpdateEnabled(x.m, x.run, lv.State, below.Event.Proc, below.Event.ID, &n.Enabled, &n.Blockable)
	}
	if x.spins {
		x.findSpun(lv)
	}
	if !x.Opt.Preempt || x.Depth == 0 {
		lv.preemptions = 0
		return
	}
	below := x.levels[x.Depth-1]
	lv.preemptions = below.preemptions
	if x.Depth > 1 {
		if program.Preempts(x.m, &below.Node.Enabled, x.levels[x.Depth-2].Event.Proc, below.Event.Proc) {
			lv.preemptions++
		}
	}
	n.Excluded = program.BeyondBound(x.m, &n.Enabled, below.Event.Proc, lv.preemptions, x.Opt.Preemptions)
	if !n.Excluded.Empty() {
		x.Results.Barred++
	}
}

// step takes an action from the present node and goes to the child, unless nothing is to be taken there.
func (x *Search) step(lv *level, a int) {
	x.watch.Step(a)
	child, races := x.Execute(a)
	x.Results.Races += int64(len(races))
	x.check(lv, child)
	if !x.Strategy.AfterStep(&x.Search, &lv.Level, &child.Level, races) {
		x.explored(lv, a)
		return
	}
	x.Results.Events++
	x.Depth++
	x.Results.MaxDepth = max(x.Results.MaxDepth, x.Depth)
	if !x.visit() {
		x.back()
	} else if x.EndsInside() && child.Node.EnabledLeft {
		x.Inside = true
		x.AtSafePoint(x.Save)
	}
}

// check looks at what the event of a level has led to, whether or not the search goes on from there.
func (x *Search) check(lv, child *level) {
	e, r := &lv.Event, x.Results
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
func (x *Search) back() {
	child := x.levels[x.Depth]
	x.Depth--
	lv := x.levels[x.Depth]
	if x.Visits != nil && x.Stop == "" {
		x.Visits.HandUp(x.Depth)
	}
	x.watch.Left(x.Stop == "")
	size := x.Results.Nodes - child.begun + 1
	x.census.Finished(lv.tried, size, lv.sibling)
	lv.sibling = size
	lv.tried++
	x.explored(lv, lv.Event.Action)
}

// Execute takes an action from the present node: it fills the event of the level and the state of the next one, and
// finds the races. The event is not on the stack yet.
func (x *Search) Execute(a int) (child *level, races []happens.Race) {
	child = x.level(x.Depth + 1)
	e := &x.levels[x.Depth].Event
	x.run.Cover(x.Results.Covered)
	x.Take(a)
	x.run.Cover(nil)
	if x.Visits != nil {
		x.Visits.takes(x.Depth, &e.Transition)
	}
	if x.hb {
		races = x.FindRaces(&e.Transition, &e.Past)
		e.Clock[e.Proc] = e.Index
		if x.Met != nil {
			for i := range races {
				x.Met.meet(x.levels[races[i].At].Event.ID, e.ID)
			}
		}
	}
	return child, races
}

func (x *Search) Onlooker() *engine.Watcher { return x.watch }

// AnyFree is Any of the free actions of a node, of which one is the first.
func (x *Search) AnyFree(n *dpor.Node, first int) int {
	if x.Rng == nil {
		return first
	}
	free := n.Free()
	return x.Any(&free)
}
