package dpor

import (
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/future"
)

// The compensation for cuts by sleep sequences, without which they lose outcomes (THEORY, "Sleep sequences").

// compensate makes up for the processes that are asleep in the present node only because another order led to the same
// state: their races are not seen from here, although they tell what else must be tried. So the races of such a
// process are looked for as if it ran, and wherever a step that may still follow could race with an event of the
// stack, everything is tried before that event.
func (x *Search) compensate(n *Node) {
	cut := n.StateSleep.And(&n.Enabled)
	for a := cut.Next(0); a >= 0; a = cut.Next(a + 1) {
		x.tryAlternatives(n, a) // elsewhere there may have been fewer
		x.compensateFor(a)
	}
}

// compensateFor does that for an action that is asleep.
func (x *Search) compensateFor(a int) {
	x.Engine.Extend(x.Depth + 1)
	e := x.Suppose(a)
	races := x.FindRaces(&e.Transition, &e.Past)
	e.Clock[e.Proc] = e.Index
	x.ReverseRaces(races, &e.Transition)
	x.Watch.Inserted(Compensation, x.Depth)
	if e.Guarded {
		x.ReorderGuarded(&e.Transition)
	}
	if x.Visited != nil {
		x.Visited.Follows(x.Depth, &e.Transition)
	}
	x.Depth++
	x.compensateBehind()
	x.Depth--
}

// compensateBehind does the part of the compensation that concerns what may follow the present node, which is not
// explored because its state has been.
func (x *Search) compensateBehind() {
	if x.Visited != nil {
		x.Visited.PayForText()
		return
	}
	x.Accesses.Follow(x.Execution)
	for r := range x.Procs {
		if x.StepAt(x.Depth, r) < 0 {
			continue
		}
		clock := x.Nothing // what happens before the next step of r whatever it is
		if own := x.Accesses.Own[r]; len(own) > 0 {
			clock = x.Stack[own[len(own)-1]].Event.Clock
		}
		var f *future.Future // found when it is needed
		for p, own := range x.Accesses.Own {
			if p == r {
				continue
			}
			for _, j := range slices.Backward(own[clock[p]:]) {
				x.Work(1)
				g, node := &x.Stack[j].Event, &x.Stack[j].Node
				if !node.Incomplete() {
					continue
				}
				if f == nil {
					f = x.Future(x.Depth, r)
				}
				if f.MayRace(g.ID, g.Foot) && x.AddAll(node) {
					x.Count.Compensated++
				}
			}
		}
	}
	x.Watch.Inserted(Compensation, x.Depth-1)
}

// worthVisiting reports whether the search must go on to the child of a level. It need not when all that is
// enabled there is asleep (a virtual cut: CAV'18, section 4); what such a child would have contributed is contributed
// here.
func (x *Search) worthVisiting(child *Level) bool {
	n := &child.Node
	x.Depth++
	defer func() { x.Depth-- }()
	if x.Visited != nil {
		x.Visited.Begin(x.Depth)
	}
	x.Engine.Enable(child)
	if free := n.Free(); n.Enabled.Empty() || !free.Empty() || !n.Excluded.Empty() {
		n.Looked = true
		return true
	}
	n.Backtrack = actionset.Set{}
	x.Count.Virtual++
	if x.Visited != nil {
		x.Visited.Disabled()
	}
	x.blockedRaces()
	x.compensate(n)
	if x.Visited != nil {
		x.Visited.HandUp(x.Depth - 1)
	}
	x.Watch.Asleep(n)
	return false
}

// giveUpNode gives up the present node because every execution from it would end blocked.
func (x *Search) giveUpNode(n *Node) {
	x.Watch.Hopeless()
	n.EnabledLeft = false
	if x.Visited != nil {
		x.Visited.GivenUp()
	}
}

// hasCycles reports whether the search goes through executions that have no end. Giving up a node because all that
// ends from there is cut would lose failures then: around a cycle each node may rely on the next one, where what fails
// is as far away.
func (x *Search) hasCycles() bool { return x.Visited != nil && x.Visited.Endless() }
