package executions

import (
	"math/bits"
	"slices"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/future"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/stateset"
	"cdpor/explore/internal/visited"
	"cdpor/lang/step"
)

// Visited states: a search of executions also stops where it has been (STATES, "Visited states"). A node whose state
// has been explored is given up, and for the steps that may follow there, whose races will not be seen from here,
// everything is tried before the events of the stack that they may race with. In the README's words: rule 1 is pay,
// rule 2 is in arrive, rule 3 in rely and text, rule 4 in arrive.

// visited is what a search knows of visited states.
type visits struct {
	x       *Search
	Table   *visited.Table
	steps   visited.Futures // that may follow
	stack   visited.StackStates
	places  []*visitedNode // by depth
	diff    stateset.Difference
	plain   []int32           // per step id, the number of the later step plus one, of those that are the same always
	endless bool              // executions may come back to a state: a thread has a loop
	Closed  func(depth int)   // for tests: called when everything below the node at a depth has been explored
	Log     *visited.StateLog // nil, or the states that have been closed; see relies
	// Relies tells that something was left to where a state is explored, or cut by a bound: what sleeps at a node need
	// not have been explored to the end when the node is closed.
	Relies bool

	allows  visited.FutureSteps // scratch
	other   *stateset.Packed    // scratch
	otherOf int                 // renewals of the table when it was made
	depends []uint8             // see conditional
	payment payment

	Tried, Enabled int64 // actions at the nodes that have been left

	Shortcuts Shortcuts
}

// Shortcuts leave out what soundness needs, one thing each, so that tests can show that they would notice.
type Shortcuts struct {
	Unpaid        bool // no race with what may follow a visited state is reversed
	OwnOnly       bool // reversing one, only the process of the later step is tried
	AnySleep      bool // what slept at an earlier visit is ignored
	ExploredSleep bool // what an earlier visit has taken sleeps in the children
	Unfollowed    bool // the future of a node leaves out what follows state sleepers
	NarrowCycles  bool // where a cycle begins nothing more is tried
	Sparing       bool // of what slept at an earlier visit no more is taken than races ask for
	dpor.LeftOut
}

// A visitedNode belongs to a node of the stack.
type visitedNode struct {
	packed   *stateset.Packed
	renewals int                 // of the table when the numbers in packed were given
	future   visited.FutureSteps // steps taken, or disabled, at the node or below, or that may follow where it was cut
	// partial tells that a bound cut something below, or that another worker explores a part of it: nothing is
	// remembered of the node.
	partial bool
}

// newVisits makes the visited states of a search; most bounds the bytes of the table, 0: no limit.
func newVisits(x *Search, most int64) *visits {
	endless := slices.ContainsFunc(x.m.Program.Templates, (*step.Template).Loops)
	table, steps := visited.NewTable(stateset.PackingOf(x.m), x.Procs, most), visited.NewFutures(x.Procs)
	return &visits{endless: endless, x: x, Table: table, steps: steps,
		plain: make([]int32, x.m.NumSteps()), allows: make(visited.FutureSteps, x.Procs)}
}

// place is that of a depth.
func (v *visits) place(depth int) *visitedNode {
	for len(v.places) <= depth {
		v.places = append(v.places,
			&visitedNode{packed: v.Table.Set.Vector(), future: make(visited.FutureSteps, v.x.Procs)})
	}
	return v.places[depth]
}

// Begin begins with the node at a depth.
func (v *visits) Begin(depth int) {
	p := v.place(depth)
	p.partial = false
	clear(p.future)
}

// arrive is called for the present node, where something is enabled. It reports whether the node is to be given up
// because its state is on the stack or has been visited.
func (v *visits) arrive() (cut bool) {
	x := v.x
	lv, p := x.levels[x.Depth], v.places[x.Depth]
	n := &lv.Node
	v.pack(x.Depth)
	hash := visited.HashState(p.packed, lv.State)
	at := v.stack.Find(hash, func(d int) bool { return equalStates(x.levels[d].State, lv.State) })
	lv.slept = n.Sleep.And(&n.Enabled)
	if at >= 0 { // a cycle: what is independent of it must not be put off for ever
		if !v.Shortcuts.NarrowCycles && x.AddAll(&x.levels[at].Node) {
			x.Results.Compensated++
		}
		v.text(x.Depth, lv.State)
		v.pay(p.future)
		slept := x.levels[at].slept
		missing := slept.Minus(&lv.slept)
		if missing.Empty() || v.Shortcuts.AnySleep {
			x.Results.Cycles++
			return true
		}
		v.Relies = true
		v.again(&missing, &slept, hash)
		x.levels[at].slept = lv.slept // of both together
		return false
	}
	known, ok := v.Table.Find(v.numbered(x.Depth-1), p.packed, lv.State)
	p.renewals = v.Table.Renewals
	if !ok {
		v.stack.Push(x.Depth, hash)
		x.Results.States++
		return false
	}
	slept := v.Table.Asleep[known.Asleep]
	missing := slept.Minus(&lv.slept)
	if v.Shortcuts.AnySleep {
		missing = actionset.Set{}
	}
	if !missing.Empty() && v.Complete() {
		v.text(x.Depth, lv.State)
		if v.steps.Size(p.future) <= notMuchMore*v.steps.Size(known.Future) || v.paid(p.future) {
			v.pay(p.future)
			x.Results.Revisits++
			return true
		}
		clear(p.future)
	}
	v.add(x.Depth, known.Future)
	v.pay(p.future)
	if missing.Empty() {
		x.Results.Revisits++
		return true
	}
	v.again(&missing, &slept, hash)
	return false
}

// again lets the present node be explored although its state has been, or is being, explored with something asleep: as
// far as what is missing goes. All of that is taken: what else begins the reversal of a race was taken at the earlier
// visit, while this slept.
func (v *visits) again(missing, slept *actionset.Set, hash uint64) {
	x := v.x
	lv := x.levels[x.Depth]
	n := &lv.Node
	n.Excluded = n.Enabled.Minus(missing)
	if !v.Shortcuts.Sparing {
		n.Backtrack.Union(missing)
	}
	n.Sleep = n.Sleep.And(slept)
	if v.Shortcuts.ExploredSleep {
		n.Sleep.Union(&n.Excluded)
	}
	lv.slept = n.Sleep.And(&n.Enabled)
	v.stack.Push(x.Depth, hash)
	x.Results.States++
}

// Complete reports whether everything that can be reached from the nodes that have been left has been found, also
// through what slept there. Behind a cycle it may be left to nodes of the stack (STATES, "Visited states").
func (v *visits) Complete() bool {
	x := v.x
	return !v.endless || v.roundless() && x.Alone
}

// roundless reports whether no state has been met on the stack so far.
func (v *visits) roundless() bool { return v.x.Results.Cycles == 0 && !v.Relies }

// notMuchMore is how many times as many accesses are not much more. Between 1 and 3 it makes little difference.
const notMuchMore = 2

// numbered is the packed state of the node at a depth if its parts have numbers that are valid, else nil.
func (v *visits) numbered(depth int) *stateset.Packed {
	if depth < 0 || v.places[depth].renewals != v.Table.Renewals {
		return nil
	}
	return v.places[depth].packed
}

// pack packs the state of the node at a depth.
func (v *visits) pack(depth int) {
	x, p := v.x, v.place(depth)
	now := x.levels[depth].State
	if depth > 0 {
		if below := v.numbered(depth - 1); below != nil {
			v.diff.Clear()
			fields, from := v.Table.Set.Fields, x.levels[depth-1].State
			for w, after := range now {
				if before := from[w]; before != after {
					v.diff.Add(&fields[w], before, after)
				}
			}
			below.Plus(&v.diff, p.packed)
			p.renewals = 0
			return
		}
	}
	v.Table.Set.Pack(p.packed, now)
	p.renewals = 0
}

func equalStates(a, b step.State) bool {
	for w, v := range a {
		if b[w] != v {
			return false
		}
	}
	return true
}

// leave is called when everything has been explored that is to be taken from the present node.
func (v *visits) leave() {
	x := v.x
	p, lv := v.places[x.Depth], x.levels[x.Depth]
	v.stack.Pop(x.Depth)
	tried := lv.Node.Backtrack.And(&lv.Node.Enabled)
	v.Tried += int64(tried.Len())
	v.Enabled += int64(lv.Node.Enabled.Len())
	if p.partial || !x.Frontier.Owns(x.Depth) {
		p.partial = true
		return
	}
	if v.Closed != nil {
		v.Closed(x.Depth)
	}
	if v.roundless() {
		v.Log.Add(lv.State)
	}
	t := v.Table
	if t.Full() && !t.Sweep() {
		t.Renew(stateset.PackingOf(x.m))
	}
	t.Keep(v.numbered(x.Depth), p.packed, lv.State, visited.Visit{Asleep: t.Sleepers(lv.slept), Future: p.future})
}

// cut is called when a bound cuts what follows the present node.
func (v *visits) cut() {
	v.Relies = true
	v.share(v.x.Depth)
}

// share is called when not everything below the node at a depth, and those before it on the stack, will be explored by
// this search.
func (v *visits) share(depth int) {
	for _, p := range v.places[:depth+1] {
		p.partial = true
	}
}

// ResumeAt is called when the search has gone to another stack. It has not seen all that is below the nodes there.
func (v *visits) resumeAt() {
	x := v.x
	v.stack.Pop(0)
	for d := range x.Depth + 1 {
		v.Begin(d)
		v.pack(d)
		v.stack.Push(d, visited.HashState(v.places[d].packed, x.levels[d].State))
	}
	v.share(x.Depth)
}

// HandUp adds what may follow the node above a depth to what may follow the node there.
func (v *visits) HandUp(depth int) {
	child := v.places[depth+1]
	v.add(depth, child.future)
	if child.partial {
		v.places[depth].partial = true
	}
}

func (v *visits) add(depth int, more visited.FutureSteps) { v.steps.Join(v.places[depth].future, more) }

// Follows tells that a step that is asleep because of its state would be taken from the node at a depth and lead to the
// state of the next level.
func (v *visits) Follows(depth int, mv *happens.Transition) {
	if !v.Shortcuts.Unfollowed {
		v.takes(depth, mv)
		v.elsewhere(depth, v.x.prog.StateAt(depth+1))
	}
}

// GivenUp tells that the present node is given up: whatever the program text allows may follow.
func (v *visits) GivenUp() {
	if !v.Shortcuts.Unfollowed {
		v.text(v.x.Depth, v.x.prog.StateAt(v.x.Depth))
	}
}

// Endless reports whether executions may come back to a state.
func (v *visits) Endless() bool { return v.endless }

// PayForText pays for everything that the program text allows from the present node on.
func (v *visits) PayForText() { v.pay(v.allowed(v.x.prog.StateAt(v.x.Depth))) }

// elsewhere tells that what follows a state, to which the node at a depth leads, is left to where that state is
// explored. Unless that has been done, the node is not complete when it is left, and nothing is remembered of it.
func (v *visits) elsewhere(depth int, state step.State) {
	v.text(depth, state)
	if !v.known(state) {
		v.places[depth].partial, v.Relies = true, true
	}
}

// known reports whether everything that follows a state has been explored: it is remembered, or nothing does.
func (v *visits) known(state step.State) bool {
	if v.other == nil || v.otherOf != v.Table.Renewals {
		v.other, v.otherOf = v.Table.Set.Vector(), v.Table.Renewals
	}
	v.Table.Set.Pack(v.other, state)
	if _, known := v.Table.Find(nil, v.other, state); known {
		return true
	}
	x := v.x
	for p := range x.Procs {
		if x.m.StepID(state, p) >= 0 && x.run.Enabled(state, p) {
			return false
		}
	}
	return true
}

// takes tells that a step is taken from the node at a depth, is disabled there, or asleep because of its state.
func (v *visits) takes(depth int, mv *happens.Transition) {
	x, f := v.x, v.steps[mv.Proc]
	n := v.plain[mv.ID]
	if n == 0 {
		now := x.levels[depth].State
		var locals []int64
		if mv.Guarded {
			base := x.m.LocalBase(mv.Proc)
			locals = now[base-1 : base+x.m.Program.Procs[mv.Proc].Template.LocalWords]
		}
		later := visited.LaterStep{Proc: mv.Proc, ID: mv.ID, Foot: mv.Unrefined(), Guarded: mv.Guarded, Guard: -1}
		n = 1 + f.Number(later, locals, func(s *visited.LaterStep) {
			v.fillLater(s)
			if s.Guard = onlyGuard(x, now, mv.Proc, mv.Guarded); s.Guard >= 0 {
				s.Stands = slices.Clone(now)
			}
		})
		if x.m.Info(mv.ID).Fixed && locals == nil {
			v.plain[mv.ID] = n
		}
	}
	future := v.places[depth].future
	future[mv.Proc] = f.Union(future[mv.Proc], f.Single(n-1))
}

// onlyGuard is the location that the guard of the next step of a process reads, -1 if it has none or reads several.
func onlyGuard(x *Search, now step.State, proc int, guarded bool) (only int) {
	only = -1
	if !guarded {
		return only
	}
	foot := x.run.GuardFootprint(now, proc, make(step.Footprint, x.m.FootprintWords()))
	for w, rest := range foot[:len(foot)/2] {
		for ; rest != 0; rest &= rest - 1 {
			if only >= 0 {
				return -1
			}
			only = w<<6 + bits.TrailingZeros64(rest)
		}
	}
	return only
}

// Disabled tells of the steps that are disabled at the present node.
func (v *visits) Disabled() {
	x := v.x
	n := &x.levels[x.Depth].Node
	for p := n.Blockable.Next(0); p >= 0; p = n.Blockable.Next(p + 1) {
		if x.Disabled(&x.Idle, &n.Enabled, p) {
			v.takes(x.Depth, &x.Idle)
		}
	}
}

// text adds everything that the program text allows from a state on to what may follow the node at a depth.
func (v *visits) text(depth int, now step.State) { v.add(depth, v.allowed(now)) }

// allowed is everything that the program text allows from a state on. It is valid until the next call.
func (v *visits) allowed(now step.State) visited.FutureSteps {
	x := v.x
	for r := range x.Procs {
		v.allows[r] = 0
		if k := x.m.StepID(now, r); k >= 0 {
			f := x.prog.Futures().Of(now, r, k)
			if !f.Noted {
				for i := range f.Steps {
					n := v.steps[r].Number(textStep(x, r, &f.Steps[i]), nil, func(*visited.LaterStep) {})
					f.Note = v.steps[r].Union(f.Note, v.steps[r].Single(n))
				}
				f.Noted = true
			}
			v.allows[r] = f.Note
		}
	}
	return v.allows
}

// textStep is a later step of a process r, or of what it starts, that the program text allows.
func textStep(x *Search, r int, s *future.Step) visited.LaterStep {
	return visited.LaterStep{Proc: r, ID: s.ID, Pool: s.Pool, Text: true, Foot: s.Whole(), Rivals: s.Rivals,
		Guarded: s.Pool || x.m.Info(s.ID).Guarded, Guard: -1}
}
