package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/program"
	"cdpor/lang/step"
)

// newSearch makes a search that stands at the initial state.
func newSearch(ctx context.Context, m *step.Machine, a *Algorithm, opt Options) (*search, error) {
	if !a.Constraints {
		opt.Conditions = nil
	}
	c, err := newLimits(ctx, m, a, opt)
	if err != nil {
		return nil, err
	}
	x := &search{limits: c, algorithm: a, hb: a.Races, watch: newWatcher(opt.Observer)}
	x.limits.Meter.Ask, x.cuts = x.checkGiveUp, true
	x.prog.Init(m, opt.Conditions, &x.limits.Meter)
	x.m, x.run = m, x.prog.Run
	x.Init(&x.prog, &x.prog.Execution, &x.prog.Builder, x,
		a.New(dpor.Settings{NoAnticipate: opt.NoAnticipate, NoGuide: opt.NoGuide, Workers: opt.Workers}))
	x.Watch, x.Count, x.MaxDepth = x.watch, &x.results.Counts, x.opt.MaxDepth
	copy(x.level(0).State, m.Initial())
	if x.watch != nil {
		x.watch.x = &x.Search
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
	r.AllEnd = r.Stopped == StoppedComplete && showsEnds(x.algorithm, x.opt)
	return r, nil
}

// failed is what Validate has found.
func (x *search) failed() error { return x.invalid }

// visit enters the present node, whose state and sleep sets are set, and reports whether something is to be taken
// from it.
func (x *search) visit() (more bool) {
	lv := x.levels[x.Depth]
	n, res := &lv.Node, &x.results.Result
	pause := x.countNode()
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
		program.FindEnabled(x.m, x.run, lv.State, &n.Enabled, &n.Blockable)
	} else {
		below := x.levels[x.Depth-1]
		n.Enabled.Set(&below.Node.Enabled)
		n.Blockable.Set(&below.Node.Blockable)
		program.UpdateEnabled(x.m, x.run, lv.State, below.Event.Proc, below.Event.ID, &n.Enabled, &n.Blockable)
	}
	if !x.opt.Preempt || x.Depth == 0 {
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
	n.Excluded = program.BeyondBound(x.m, &n.Enabled, below.Event.Proc, lv.preemptions, x.opt.Preemptions)
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

func (x *search) onlooker() *watcher { return x.watch }

// AnyFree is Any of the free actions of a node, of which one is the first.
func (x *search) AnyFree(n *dpor.Node, first int) int {
	if x.rng == nil {
		return first
	}
	free := n.Free()
	return x.Any(&free)
}
