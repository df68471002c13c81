package joblog

import (
	"cmp"
	"fmt"
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/wakeup"
)

// What algorithms plan with wakeup trees (README section 19, optimal). A worker sends whole sequences for nodes above
// its parcel, and the fold inserts them into the trees of these. What is planned below an action is taken along with
// it, and nothing comes after it: an action is not taken before nobody can have to plan anything below it any more.

// A Planner knows the program. Its answers depend on nothing but that and what it is asked.
type Planner interface {
	// Sequence is a sequence of actions that runs from where a path from the initial state leads.
	Sequence(path, actions []int32) (Sequence, error)
	// Enabled are the actions that are possible where a path leads.
	Enabled(path []int32) []int32
	// Wakes reports whether an action, taken from where a path leads, wakes all of those that sleep there.
	Wakes(path []int32, action int32, asleep []int32) bool
}

// A Sequence can turn out not to be possible behind what it has followed.
type Sequence interface {
	wakeup.Sequence
	Possible() bool
}

// An upperPlans is what an algorithm that plans has of an upper node.
type upperPlans struct {
	tree     wakeup.Branch // what waits
	taken    []int32       // what has been taken, the first one first, from the action under way at the split on
	excluded actionset.Set // not to be taken
}

// PlanWith makes the fold of an empty log, or one that was restored, one of an algorithm that plans.
func (f *Fold) PlanWith(p Planner) { f.planner = p }

// pathTo are the actions that lead to an upper node.
func (f *Fold) pathTo(node int) (actions []int32) {
	for ; f.nodes[node].above >= 0; node = f.nodes[node].above {
		actions = append(actions, f.nodes[node].via)
	}
	slices.Reverse(actions)
	return actions
}

// present is the action that a parcel goes on with from the node at a depth of its path.
func (f *Fold) present(c *chain, depth int) int32 {
	if depth+1 < len(c.path) {
		return f.nodes[c.path[depth+1]].via
	}
	return c.last
}

// later are the actions that have been taken from a node after another one.
func (u *upper) later(action int32) []int32 {
	return u.plans.taken[slices.Index(u.plans.taken, action)+1:]
}

// plan folds an insertion of a parcel. What comes earlier than the parcel does not cover its sequences: the worker has
// seen to that. They are covered by what has been taken later from the node, or belong to what waits there.
func (f *Fold) plan(c *chain, in *Insertion) error {
	node := c.path[in.Depth]
	u, path := &f.nodes[node], f.pathTo(node)
	later := u.later(f.present(c, in.Depth))
	for _, actions := range in.Plans {
		v, err := f.planner.Sequence(path, actions)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(later, func(a int32) bool {
			_, yes := v.Weak(int(a))
			return yes
		}) {
			continue
		}
		if u.plans.tree, _ = f.trees.Insert(u.plans.tree, u.plans.tree, v); !v.Possible() {
			f.planEach(u, f.planner.Enabled(path))
		}
	}
	f.planEach(u, in.Actions)
	f.look(node)
	return nil
}

// planEach plans those of some actions that do not sleep at a node and that nothing begins with.
func (f *Fold) planEach(u *upper, actions []int32) {
	for _, a := range actions {
		begins := u.sleep.Has(int(a)) || slices.Contains(u.plans.taken, a)
		for b := u.plans.tree; b != wakeup.None && !begins; b = f.trees.Next(b) {
			begins = f.trees.Action(b) == int(a)
		}
		if !begins {
			u.plans.tree = f.trees.Append(u.plans.tree, f.trees.New(a, wakeup.None))
		}
	}
}

// look finds out whether something waits at a node.
func (f *Fold) look(node int) {
	u := &f.nodes[node].plans
	for u.tree != wakeup.None && u.excluded.Has(f.trees.Action(u.tree)) {
		u.tree = f.trees.Drop(u.tree)
	}
	switch at := slices.Index(f.open, node); {
	case u.tree != wakeup.None && at < 0:
		f.open = append(f.open, node)
	case u.tree == wakeup.None && at >= 0:
		f.open = slices.Delete(f.open, at, at+1)
	}
}

// splitPlans is what split does in an algorithm that plans.
func (f *Fold) splitPlans(node int, s *Upper) {
	u := &f.nodes[node]
	u.plans.tree, _ = f.trees.Restore(s.Wakeup) // checked before
	u.plans.taken, u.level.Wakeup = []int32{s.Action}, nil
	u.plans.excluded, _ = actionset.Of(s.Excluded, actionset.Max)
	f.look(node)
}

// waitingPlan is what can be taken next: the leftmost branch of the wakeup tree of a node, the shallowest if there are
// several, that wakes all that was taken earlier from the node and is not at its end. Then nothing has to be planned
// below it by anybody else any more (README section 19). Nil: that has to wait until more is at its end.
func (f *Fold) waitingPlan() *Take {
	active := f.activeActions()
	slices.SortStableFunc(f.open, func(a, b int) int { return cmp.Compare(f.nodes[a].depth, f.nodes[b].depth) })
	for _, node := range f.open {
		u := &f.nodes[node].plans
		var asleep []int32
		for _, a := range u.taken {
			if active[place{node, a}] {
				asleep = append(asleep, a)
			}
		}
		a := f.trees.Action(u.tree)
		if len(asleep) == 0 || f.planner.Wakes(f.pathTo(node), int32(a), asleep) {
			return &Take{node, a}
		}
	}
	return nil
}

// A place is an action taken from an upper node.
type place struct {
	node   int
	action int32
}

// activeActions are the actions below which something waits, or is under way.
func (f *Fold) activeActions() map[place]bool {
	list := map[place]bool{}
	mark := func(node int, action int32) {
		for node >= 0 && !list[place{node, action}] {
			list[place{node, action}] = true
			node, action = f.nodes[node].above, f.nodes[node].via
		}
	}
	for id := range f.under {
		if c := f.parcels[id]; len(c.path) > 0 {
			mark(c.path[len(c.path)-1], c.last)
		}
	}
	for _, node := range f.open {
		mark(f.nodes[node].above, f.nodes[node].via)
	}
	return list
}

// takePlan folds a Take of an algorithm that plans. It does not count when another action is to be taken next.
func (f *Fold) takePlan(t *Take) (counts bool) {
	u := &f.nodes[t.Node]
	if u.plans.tree == wakeup.None || f.trees.Action(u.plans.tree) != t.Action {
		return false
	}
	p := &Parcel{ID: ID{t.Node, u.taken}, Begin: t.Action}
	below := f.trees.Cut(u.plans.tree)
	u.plans.tree = f.trees.Drop(u.plans.tree)
	for p.Plans = f.trees.Save(below, nil); below != wakeup.None; {
		below = f.trees.Drop(below)
	}
	action := int32(t.Action)
	for node := t.Node; node >= 0; node = f.nodes[node].above {
		n := &f.nodes[node]
		level, sleep := n.level, n.sleep
		for _, a := range n.plans.taken {
			if a == action {
				break
			}
			sleep.Add(int(a))
		}
		level.Action, level.Sleep = action, actionset.Members[int32](&sleep, nil)
		level.Wakeup = []int32{action, 0} // as of a node of which nothing else is planned
		p.Levels, action = append(p.Levels, level), n.via
	}
	slices.Reverse(p.Levels)
	u.plans.taken, u.taken = append(u.plans.taken, int32(t.Action)), u.taken+1
	f.look(t.Node)
	f.begin(p, t.Node)
	return true
}

// Planned is what has been taken later than a parcel from the nodes above it, and what waits there, as wakeup trees. It
// is for who works on the parcel, so that less is planned in vain.
type Planned struct {
	Parcel ID
	Next   int // the number that the next record of the parcel must have
	Trees  [][]int32
}

// Planned tells that of a parcel, nil if nothing is left of it.
func (f *Fold) Planned(id ID) *Planned {
	c := f.parcels[id]
	if c == nil || c.parcel == nil || f.planner == nil {
		return nil
	}
	p := &Planned{Parcel: id, Next: c.next}
	for d, node := range c.path {
		u := &f.nodes[node]
		var list []int32
		for _, a := range u.later(f.present(c, d)) {
			list = append(list, a, 0)
		}
		p.Trees = append(p.Trees, f.trees.Save(u.plans.tree, list))
	}
	return p
}

// checkPlans looks whether what a record plans can be that of an algorithm that plans.
func (f *Fold) checkPlans(r *Record) error {
	for _, in := range r.Insert {
		for _, v := range in.Plans {
			if _, err := actionset.Of(v, actionset.Max); err != nil || len(v) == 0 {
				return fmt.Errorf("a sequence without actions, or of others: %v", v)
			}
		}
	}
	for i := range r.Split {
		if err := checkTree(r.Split[i].Wakeup); err != nil {
			return err
		}
	}
	return nil
}

// checkTree looks whether a list can be a wakeup tree.
func checkTree(list []int32) error {
	for k := 0; k < len(list); k += 2 {
		if _, err := actionset.Of(list[k:k+1], actionset.Max); err != nil {
			return err
		}
	}
	var scratch wakeup.Forest
	_, err := scratch.Restore(list)
	return err
}
