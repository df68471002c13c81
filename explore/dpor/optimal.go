package dpor

import (
	"fmt"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/happens"
	"cdpor/explore/internal/wakeup"
)

// Optimal DPOR: Abdulla, Aronis, Jonsson, Sagonas, "Optimal Dynamic Partial Order Reduction", POPL'14, algorithm 2.
// Races are reversed at the end of an execution, where notdep(e,E) is known in full, and what is inserted is not one
// process but the whole sequence, into a wakeup tree; so the search never starts an execution that it would have to
// give up. The comments name the lines of the paper.

var OptimalAlgorithm = &Algorithm{
	Name:  "optimal",
	Title: "Optimal DPOR with wakeup trees",
	Help: "Explores exactly one execution per Mazurkiewicz trace and never one in vain. With constraints, one per " +
		"class of the uniform relation. Needs a little more work per execution than source.",
	When: "When executions are long and those that source gives up hurt; with --use-constraints fewer still.\n" +
		"Not for short executions: a plan costs more than an execution in vain.",
	Paper:       "Abdulla, Aronis, Jonsson, Sagonas: Optimal Dynamic Partial Order Reduction, POPL 2014, algorithm 2",
	Preserves:   PreservesTerminal,
	Constraints: true,
	Traces:      true,
	Alone:       true,
	Races:       true,
	New:         func(Settings) Strategy { return NewOptimal() },
}

// Optimal is the algorithm. The engine calls Explore(E.p, Sleep', WuT'), line 19, for each action p that Pick returns.
type Optimal struct {
	Plans
	ledger ledger
	single [1]int32
}

func NewOptimal() *Optimal {
	return &Optimal{Plans: Plans{Forest: &wakeup.Forest{}}}
}

// Enter is lines 2 to 14. The wakeup tree of the node is what has been planned below its parent. An execution that the
// depth limit cuts is taken for one that has ended. Where the tree is empty nothing is asleep, as the paper shows; only
// bounds break that, so line 12 chooses from what is free.
func (o *Optimal) Enter(x *Search, n *Node) {
	if n.Enabled.Empty() || x.Depth >= x.MaxDepth {
		o.Reverse(x)
		return
	}
	if n.Tree == wakeup.None {
		if free := n.Free(); !free.Empty() {
			n.Tree = o.Append(n.Tree, o.New(int32(x.Engine.Any(&free)), wakeup.None))
		}
	}
}

// Pick is lines 15 and 16: it takes the leftmost branch of the wakeup tree. A bound can bar it. Of a program that is
// really run it can be disabled, by what happens before a step without showing it (a coroutine switches): then all is
// tried.
func (o *Optimal) Pick(x *Search, n *Node) int {
	for n.Tree != wakeup.None {
		a := o.Action(n.Tree)
		if n.May(a) {
			return a
		}
		o.DropFirst(n)
		if !n.Enabled.Has(a) {
			x.Count.Unplanned++
			o.PlanAll(n)
		}
	}
	return -1
}

// AfterStep is lines 17 and 18. It also plans each other alternative of the step by itself; planAlternatives adds what
// else must come before it.
func (o *Optimal) AfterStep(x *Search, lv, child *Level, races []happens.Race) bool {
	n := &child.Node
	n.StateSleep = actionset.Set{}
	x.StillAsleep(&lv.Node.Sleep, &n.Sleep)
	child.Node.Tree = o.Cut(lv.Node.Tree)
	o.Remember(x, races)
	plan := func(a int) {
		o.single[0] = int32(a)
		o.insert(x, x.Depth, o.single[:])
	}
	x.Alternatives(&lv.Node, lv.Event.Action, plan)
	for _, a := range x.takenAway() {
		plan(a)
	}
	inserted(x.Watch, Alternative, x.Depth)
	return true
}

// Remember keeps the races of the event of the present level until the end of the execution.
func (o *Optimal) Remember(x *Search, races []happens.Race) {
	lv := x.Stack[x.Depth]
	lv.Races = lv.Races[:0]
	if !lv.Event.Guarded {
		for i := range races {
			lv.Races = append(lv.Races, int32(races[i].At))
		}
	}
	o.ledger.open(x)
}

// AfterSubtree is lines 20 and 21.
func (o *Optimal) AfterSubtree(x *Search, n *Node, a int) {
	o.DropFirst(n)
	n.Sleep.Add(a)
}

// Reverse is line 3: it goes through the races of the execution on the stack, and what has to be planned besides
// because a step has other alternatives or may be disabled.
func (o *Optimal) Reverse(x *Search) {
	levels := o.ledger.levels(x)
	for _, d := range levels {
		x.Work(1)
		o.ledger.races(x, int(d), func(at int) (settled bool) {
			x.Work(1)
			settled = o.ReverseRace(x, at, int(d))
			inserted(x.Watch, Reverses, int(d))
			return settled
		})
	}
	for _, d := range levels {
		lv := x.Stack[d]
		if lv.Node.alternates {
			o.planAlternatives(x, int(d))
		}
		if lv.Event.Guarded {
			o.planReorderings(x, &lv.Event.Transition, int(d))
			inserted(x.Watch, Places, int(d))
		}
	}
	now := &x.Stack[x.Depth].Node
	for p := now.Blockable.Next(0); p >= 0; p = now.Blockable.Next(p + 1) {
		if x.Disabled(&x.Idle, &now.Enabled, p) {
			o.planReorderings(x, &x.Idle, x.Depth)
			inserted(x.Watch, Places, x.Depth)
		}
	}
}

// ReverseRace is lines 4 to 7: it plans v = notdep(e,E).n for the race of the event e at stack position i with the
// event n at position d, unless some execution that begins with v has been explored from before e already. It reports
// whether the race need not be looked at again while n is on the stack.
func (o *Optimal) ReverseRace(x *Search, i, d int) (settled bool) {
	if x.ChoosesClocks(&x.Stack[d].Event) {
		return o.insertReversal(x, i, d)
	}
	if n := &x.Stack[d].Event.Transition; toldWithoutRunning(x, n) {
		x.SelectEvents(i, func(_ int, f *happens.Event) bool { return x.InNotdep(i, f) })
		o.insertSelected(x, i, n)
		return false
	}
	o.independent(x, i)
	n := x.Stack[d].Event.Action
	o.actions = append(o.actions, int32(n))
	o.insert(x, i, o.actions)
	return false
}

// planReorderings plans all reorderings of a step that may be disabled.
func (o *Optimal) planReorderings(x *Search, n *happens.Transition, at int) {
	plan := func(x *Search, i int, n *happens.Transition) {
		if toldWithoutRunning(x, n) {
			o.insertSelected(x, i, n)
			return
		}
		o.insert(x, i, x.SelectedActions(n))
	}
	for _, j := range x.InsertReorderings(n, at, plan) {
		x.Count.Unplanned++
		o.PlanAll(&x.Stack[j].Node)
	}
}

// planAlternatives plans v = notdep(e,E).a for each other action a of the step of the event e at a stack position. An
// action that a branch begins and ends with is settled: all that begins with it will be explored there. That of
// another one, or of none because something sleeps that is independent of a, is not: what else is in v may wake the
// sleeper, or part from the branch.
func (o *Optimal) planAlternatives(x *Search, i int) {
	lv := x.Stack[i]
	n := &lv.Node
	n.alternates = false
	x.Alternatives(n, lv.Event.Action, func(a int) {
		if n.Sleep.Has(a) || o.isLeaf(n.Tree, a) {
			return
		}
		if !n.alternates {
			n.alternates = true
			o.independent(x, i)
		}
		o.insert(x, i, append(o.actions, int32(a)))
	})
}

// independent sets actions to notdep(e,E) of the event e at a stack position.
func (o *Optimal) independent(x *Search, i int) {
	e := &x.Stack[i].Event
	o.actions = o.actions[:0]
	for j := i + 1; j < x.Depth; j++ {
		x.Work(1)
		if f := &x.Stack[j].Event; !happens.Covers(f.Clock, e) {
			o.actions = append(o.actions, int32(f.Action))
		}
	}
}

func (o *Optimal) CountPlanned(n *Node, present int) (count int) {
	for b := n.Tree; b != wakeup.None; b = o.Next(b) {
		if o.Action(b) != present {
			count++
		}
	}
	return count
}

func (o *Optimal) Sequences(n *Node, f func([]int32)) { o.EachLeaf(n.Tree, nil, f) }

func (o *Optimal) SavePlans(n *Node) []int32 { return o.Save(n.Tree, nil) }

func (o *Optimal) RestorePlans(n *Node, saved []int32) (err error) {
	n.Tree, err = o.Restore(saved)
	return err
}

func (o *Optimal) UnderWay(n *Node, action int) bool {
	return n.Tree != wakeup.None && o.Action(n.Tree) == action
}

// ValidatePlans checks the wakeup tree of a node: its branches begin with different, enabled actions that are awake.
func (o *Optimal) ValidatePlans(n *Node) error {
	var seen actionset.Set
	for b := n.Tree; b != wakeup.None; b = o.Next(b) {
		a := o.Action(b)
		if seen.Has(a) {
			return fmt.Errorf("two branches of the wakeup tree begin with action %d", a)
		}
		if seen.Add(a); !n.Enabled.Has(a) || n.Sleep.Has(a) {
			return fmt.Errorf("a branch of the wakeup tree begins with action %d, which is asleep or disabled", a)
		}
	}
	return nil
}
