package dpor

import (
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/future"
)

// The compensation for cuts by sleep sequences, without which they lose outcomes (THEORY, "Sleep sequences").

// compensate makes up for the actions that are asleep in the present node only because another order led to the same
// state: their races are not seen from here, although they tell what else must be tried. Where such an action falls
// asleep, its races are looked for as if it ran, and wherever a step that may still follow could race with an event of
// the stack, everything is tried before that event, unless it is spared. As long as it goes on sleeping nothing new
// follows it. A search that stops at visited states compensates everywhere and spares nothing: what it tries instead
// of everything relies on that.
func (x *Search) compensate(n *Node) {
	for i := range n.sleepers {
		s := &n.sleepers[i]
		if !n.StateSleep.Has(s.action) || !n.Enabled.Has(s.action) {
			continue
		}
		x.tryAlternatives(n, s.action) // elsewhere there may have been fewer
		if s.since == x.Depth || x.Visited != nil {
			x.compensateFor(s)
		}
	}
}

// compensateFor does that for an action that has fallen asleep.
func (x *Search) compensateFor(s *stateSleeper) {
	x.Engine.Extend(x.Depth + 1)
	e := x.Suppose(s.action)
	races := x.FindRaces(&e.Transition, &e.Past)
	e.Clock[e.Proc] = e.Index
	x.ReverseRaces(races, &e.Transition)
	inserted(x.Watch, Compensation, x.Depth)
	if e.Guarded {
		x.ReorderGuarded(&e.Transition)
	}
	if x.Visited != nil {
		x.Visited.Follows(x.Depth, &e.Transition)
	}
	if x.Visited == nil {
		x.spare(&s.cover, e.Clock)
	}
	x.Depth++
	x.compensateBehind(0)
	x.Depth--
	x.spared.cover = cover{}
}

// compensateBehind does the part of the compensation that concerns what may follow the present node, which is not
// explored because its state has been, and the events at a depth and deeper.
func (x *Search) compensateBehind(from int32) {
	if x.LeftOut.Compensation {
		return
	}
	if x.Visited != nil {
		x.Visited.PayForText()
		return
	}
	for r := range x.Procs {
		if x.StepAt(x.Depth, r) < 0 {
			continue
		}
		clock := x.Nothing // what happens before the next step of r whatever it is
		if own := x.Accesses.Before(x.Execution, r, x.Depth); own >= 0 {
			clock = x.Stack[own].Event.Clock
		}
		var f *future.Future // found when it is needed
		for p, own := range x.Accesses.Own {
			if p == r {
				continue
			}
			for _, j := range slices.Backward(own[clock[p]:]) {
				if j < from {
					break
				}
				x.Work(1)
				g, node := &x.Stack[j].Event, &x.Stack[j].Node
				if !node.Incomplete() || x.spares(int(j)) {
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
	inserted(x.Watch, Compensation, x.Depth-1)
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
	if x.Watch != nil {
		x.Watch.Asleep(n)
	}
	return false
}

// giveUpNode gives up the present node because every execution from it would end blocked by a process that fell asleep
// at a depth. What may follow is independent of that process, so its races with what came before have been compensated
// for there; those with what has come since are here.
func (x *Search) giveUpNode(n *Node, since int) {
	if x.Visited == nil && !x.LeftOut.Cuts {
		x.compensateBehind(int32(since))
	}
	if x.Watch != nil {
		x.Watch.Hopeless()
	}
	n.EnabledLeft = false
	if x.Visited != nil {
		x.Visited.GivenUp()
	}
}
