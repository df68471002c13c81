package explore

import (
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/wakeup"
	"fmt"
	"slices"
)

// Optimal DPOR: Abdulla, Aronis, Jonsson, Sagonas, "Optimal Dynamic Partial Order Reduction", POPL'14, algorithm 2.
// Races are reversed at the end of an execution, where notdep(e,E) is known in full, and what is inserted is not one
// process but the whole sequence, into a wakeup tree; so the search never starts an execution that it would have to
// give up.

var optimalAlgorithm = &Algorithm{
	Name:  "optimal",
	Title: "Optimal DPOR with wakeup trees",
	Help: "Explores exactly one execution per Mazurkiewicz trace and never one in vain. With constraints, one per " +
		"class of the uniform relation. Needs a little more work per execution than source.",
	When: "When executions are long and those that source gives up hurt; with --use-constraints fewer still.\n" +
		"Not for short executions: a plan costs more than an execution in vain.",
	Paper:       "Abdulla, Aronis, Jonsson, Sagonas: Optimal Dynamic Partial Order Reduction, POPL 2014, algorithm 2",
	Preserves:   preservesTerminal,
	Constraints: true,
	Traces:      true,
	Alone:       true,
	races:       true,
	make:        func(Options) strategy { return newOptimal() },
}

type optimal struct {
	plans
	unsettled []int32 // scratch: levels
	settled   []int32 // scratch: races of a level
	single    [1]int32
}

func newOptimal() *optimal {
	o := &optimal{}
	o.begin()
	return o
}

func (o *optimal) enter(x *search, n *node) {
	if n.enabled.Empty() || x.Depth >= x.opt.MaxDepth {
		o.reverse(x)
		return
	}
	if n.tree == wakeup.None {
		if free := n.free(); !free.Empty() {
			n.tree = o.Append(n.tree, o.New(int32(x.any(&free)), wakeup.None))
		}
	}
}

// pick takes the leftmost branch of the wakeup tree. Only bounds can make it impossible to run.
func (o *optimal) pick(x *search, n *node) int {
	for n.tree != wakeup.None {
		a := o.Action(n.tree)
		if n.may(a) {
			return a
		}
		o.drop(n)
	}
	return -1
}

func (o *optimal) afterStep(x *search, lv, child *level, races []happens.Race) bool {
	n := &child.node
	n.stateSleep = actionset.Set{}
	x.stillAsleep(lv, &lv.node.sleep, &n.sleep)
	o.trees.handDown(lv, child)
	o.remember(x, races)
	x.alternatives(&lv.node, lv.Event.Action, func(a int) {
		o.single[0] = int32(a)
		o.insert(x, x.Depth, o.single[:], a)
	})
	x.watch.inserted(x, Alternative, x.Depth)
	return true
}

// remember keeps the races of the event of the present level until the end of the execution.
func (o *optimal) remember(x *search, races []happens.Race) {
	lv := x.levels[x.Depth]
	n := &lv.node
	lv.Races = lv.Races[:0]
	if !lv.Event.Guarded {
		for i := range races {
			lv.Races = append(lv.Races, int32(races[i].At))
		}
	}
	n.alternates = false
	x.alternatives(n, lv.Event.Action, func(int) { n.alternates = true })
	n.pending, n.unsettled = int32(len(lv.Races)), int32(x.Depth)
	if lv.settled() {
		n.unsettled = unsettledBelow(x, x.Depth)
	}
}

// settled reports whether nothing has to be planned on account of the event of a level at the end of an execution.
func (lv *level) settled() bool {
	return lv.node.pending == 0 && !lv.node.alternates && !lv.Event.Guarded
}

// unsettledBelow is the last level below a depth of which something may have to be planned, -1 if there is none.
func unsettledBelow(x *search, depth int) int32 {
	if depth == 0 {
		return -1
	}
	return x.levels[depth-1].node.unsettled
}

// findUnsettled lists the levels of which something may have to be planned, the last one first.
func (o *optimal) findUnsettled(x *search) {
	o.unsettled = o.unsettled[:0]
	above := x.Depth
	for above > 0 {
		d := int(unsettledBelow(x, above))
		for d >= 0 && x.levels[d].settled() { // in the meantime
			x.Work(1)
			d = int(unsettledBelow(x, d))
		}
		x.levels[above-1].node.unsettled = int32(d)
		if d < 0 {
			return
		}
		o.unsettled = append(o.unsettled, int32(d))
		above = d
	}
}

func (o *optimal) afterSubtree(x *search, n *node, a int) {
	o.drop(n)
	n.sleep.Add(a)
}

// reverse looks at the races of the execution on the stack.
func (o *optimal) reverse(x *search) {
	o.findUnsettled(x)
	for _, d := range slices.Backward(o.unsettled) {
		x.Work(1)
		lv := x.levels[d]
		n := &lv.node
		pending := lv.Races[:n.pending]
		n.pending, o.settled = 0, o.settled[:0]
		for _, at := range pending {
			x.Work(1)
			if o.reverseRace(x, int(at), int(d)) {
				o.settled = append(o.settled, at)
			} else {
				lv.Races[n.pending] = at
				n.pending++
			}
			x.watch.inserted(x, Reverses, int(d))
		}
		copy(pending[n.pending:], o.settled)
	}
	for _, d := range slices.Backward(o.unsettled) {
		lv := x.levels[d]
		if lv.node.alternates {
			o.planAlternatives(x, int(d))
		}
		if lv.Event.Guarded {
			o.planReorderings(x, &lv.Event.Transition, int(d))
			x.watch.inserted(x, Places, int(d))
		}
	}
	now := x.levels[x.Depth]
	for p := now.node.blockable.Next(0); p >= 0; p = now.node.blockable.Next(p + 1) {
		if enabledOf(x.m, &now.node.enabled, p) < 0 && x.m.MayWait(now.State, p) {
			x.Describe(&x.idle, now.State, x.m.FirstAction(p), x.foot)
			o.planReorderings(x, &x.idle, x.Depth)
			x.watch.inserted(x, Places, x.Depth)
		}
	}
}

// planReorderings plans all reorderings of a step that may be disabled.
func (o *optimal) planReorderings(x *search, n *happens.Transition, at int) {
	plan := func(x *search, i int, n *happens.Transition) { o.insert(x, i, x.SelectedActions(n), n.Action) }
	for _, j := range x.insertReorderings(n, at, plan) {
		x.results.Unplanned++
		o.planAllAt(x, int(j))
	}
}

// planAlternatives plans v = notdep(e,E).a for each other action a of the step of the event e at a stack position. An
// action that a branch begins and ends with is settled: all that begins with it will be explored there. That of another
// one, or of none because something sleeps that is independent of a, is not: what else is in v may wake the sleeper, or
// part from the branch.
func (o *optimal) planAlternatives(x *search, i int) {
	lv := x.levels[i]
	n := &lv.node
	n.alternates = false
	x.alternatives(n, lv.Event.Action, func(a int) {
		if o.trees.explores(n, a) {
			return
		}
		if !n.alternates {
			n.alternates = true
			o.independent(x, i)
		}
		o.insert(x, i, append(o.actions, int32(a)), a)
	})
}

// independent sets actions to notdep(e,E) of the event e at a stack position.
func (o *optimal) independent(x *search, i int) {
	e := &x.levels[i].Event
	o.actions = o.actions[:0]
	for j := i + 1; j < x.Depth; j++ {
		x.Work(1)
		if f := &x.levels[j].Event; !happens.Covers(f.Clock, e) {
			o.actions = append(o.actions, int32(f.Action))
		}
	}
}

// reverseRace plans v = notdep(e,E).n for the race of the event e at stack position i with the event n at position d,
// unless some execution that begins with v has been explored from before e already. It reports whether the race need
// not be looked at again while n is on the stack.
func (o *optimal) reverseRace(x *search, i, d int) (settled bool) {
	if x.ChoosesClocks(&x.levels[d].Event) {
		return o.insertReversal(x, i, d)
	}
	o.independent(x, i)
	n := x.levels[d].Event.Action
	o.actions = append(o.actions, int32(n))
	o.insert(x, i, o.actions, n)
	return false
}

func (o *optimal) countPlanned(n *node, present int) (count int) {
	for b := n.tree; b != wakeup.None; b = o.Next(b) {
		if o.Action(b) != present {
			count++
		}
	}
	return count
}

func (o *optimal) sequences(n *node, f func([]int32)) { o.EachLeaf(n.tree, nil, f) }

func (o *optimal) savePlans(n *node) []int32 { return o.Save(n.tree, nil) }

func (o *optimal) restorePlans(n *node, saved []int32) (err error) {
	n.tree, err = o.Restore(saved)
	return err
}

func (o *optimal) underWay(n *node, action int) bool {
	return n.tree != wakeup.None && o.Action(n.tree) == action
}

// validatePlans checks the wakeup tree of a node: its branches begin with different, enabled actions that are awake.
func (o *optimal) validatePlans(n *node) error {
	var seen actionset.Set
	for b := n.tree; b != wakeup.None; b = o.Next(b) {
		a := o.Action(b)
		if seen.Has(a) {
			return fmt.Errorf("two branches of the wakeup tree begin with action %d", a)
		}
		if seen.Add(a); !n.enabled.Has(a) || n.sleep.Has(a) {
			return fmt.Errorf("a branch of the wakeup tree begins with action %d, which is asleep or disabled", a)
		}
	}
	return nil
}
