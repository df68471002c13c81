package joblog

import (
	"fmt"
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/checkpoint"
	"cdpor/explore/internal/wakeup"
)

// What algorithms plan with wakeup trees (README section 19, optimal). All that is planned at upper nodes is in the
// fold, and nowhere else: a parcel begins where nothing is asleep any more, so nothing has to be planned below that by
// anybody else. The nodes on the way there are upper nodes.

// A Planner knows the program. Its answers depend on nothing but that and what it is asked.
type Planner interface {
	// Sequence is a sequence of actions that runs from where a path from the initial state leads.
	Sequence(path, actions []int32) (Sequence, error)
	// Enabled are the actions that are possible where a path leads.
	Enabled(path []int32) []int32
	// Awake is after how many actions of a way from the last of some levels nothing sleeps any more, at most all.
	Awake(levels []checkpoint.Level, way []int32) int
}

// A Sequence can turn out not to be possible behind what it has followed.
type Sequence interface {
	wakeup.Sequence
	Possible() bool
}

// A branch is an action that has been taken from an upper node of an algorithm that plans.
type branch struct {
	action int32
	node   int // the upper node that it leads to, on the way to a parcel; -1: a parcel begins there, or has been split
}

// PlanWith makes the fold of an empty log, or one that was restored, one of an algorithm that plans.
func (f *Fold) PlanWith(p Planner) { f.planner = p }

// pathTo are the actions that lead to the node at a depth of a parcel's path.
func (f *Fold) pathTo(c *chain, depth int) (actions []int32) {
	for _, node := range c.path[1 : depth+1] {
		actions = append(actions, f.nodes[node].via)
	}
	return actions
}

// present is the action that a parcel goes on with from the node at a depth of its path.
func (f *Fold) present(c *chain, depth int) int32 {
	if depth+1 < len(c.path) {
		return f.nodes[c.path[depth+1]].via
	}
	return c.last
}

// place is where an action stands among those taken from a node.
func (u *upper) place(action int32) int {
	return slices.IndexFunc(u.branches, func(b branch) bool { return b.action == action })
}

// plan folds an insertion of a parcel.
func (f *Fold) plan(c *chain, in *Insertion) error {
	node, path := c.path[in.Depth], f.pathTo(c, in.Depth)
	for _, actions := range in.Plans {
		v, err := f.planner.Sequence(path, actions)
		if err != nil {
			return err
		}
		f.planSequence(node, f.nodes[node].place(f.present(c, in.Depth))+1, path, v)
	}
	f.planEach(node, in.Actions)
	return nil
}

// planSequence plans a sequence that comes from below an action taken from a node, and that neither this one nor those
// taken earlier cover: it follows what was taken later, from a place on, down to where it parts from that.
func (f *Fold) planSequence(node, from int, path []int32, v Sequence) {
	for {
		u := &f.nodes[node]
		b, more := follow(u.branches[from:], v)
		if b == nil {
			u.tree, _ = f.trees.Insert(u.tree, u.tree, v)
			f.look(node)
			break
		}
		if !more || b.node < 0 {
			return
		}
		path = append(slices.Clip(path), b.action)
		node, from = b.node, 0
	}
	if !v.Possible() {
		f.planEach(node, f.planner.Enabled(path))
	}
}

// follow lets a sequence follow the first branch that is a weak initial of it, nil if none is.
func follow(list []branch, v Sequence) (b *branch, more bool) {
	for i := range list {
		b := &list[i]
		if at, yes := v.Weak(int(b.action)); yes {
			return b, v.Follow(int(b.action), at)
		}
	}
	return nil, false
}

// planEach plans those of some actions that nothing begins with.
func (f *Fold) planEach(node int, actions []int32) {
	u := &f.nodes[node]
	for _, a := range actions {
		begins := u.place(a) >= 0
		for b := u.tree; b != wakeup.None && !begins; b = f.trees.Next(b) {
			begins = f.trees.Action(b) == int(a)
		}
		if !begins {
			u.tree = f.trees.Append(u.tree, f.trees.New(a, wakeup.None))
		}
	}
	f.look(node)
}

// look finds out whether something waits at a node.
func (f *Fold) look(node int) {
	waits := f.nodes[node].tree != wakeup.None
	switch at := slices.Index(f.open, node); {
	case waits && at < 0:
		f.open = append(f.open, node)
	case !waits && at >= 0:
		f.open = slices.Delete(f.open, at, at+1)
	}
}

// splitPlans is what split does in an algorithm that plans.
func (f *Fold) splitPlans(node int, s *Upper) {
	u := &f.nodes[node]
	u.tree, _ = f.trees.Restore(s.Wakeup) // checked before
	u.branches, u.level.Wakeup = []branch{{s.Action, -1}}, nil
	f.look(node)
}

// waitingPlan is what can be taken next from a node: the leftmost branch of its wakeup tree.
func (f *Fold) waitingPlan(node int) *Take {
	var way []int32
	for b := f.nodes[node].tree; b != wakeup.None; b = f.trees.Child(b) {
		way = append(way, int32(f.trees.Action(b)))
	}
	n := f.planner.Awake(f.levelsTo(node, way[0]), way)
	return &Take{Node: node, Action: int(way[0]), More: way[1:n]}
}

// takePlan folds a Take of an algorithm that plans. It does not count when something else is to be taken next.
func (f *Fold) takePlan(t *Take) (counts bool) {
	b := f.nodes[t.Node].tree
	for _, a := range append([]int32{int32(t.Action)}, t.More...) {
		if b == wakeup.None || f.trees.Action(b) != int(a) {
			return false
		}
		b = f.trees.Child(b)
	}
	node, action := t.Node, int32(t.Action)
	for _, next := range t.More {
		u := &f.nodes[node]
		child := upper{depth: u.depth + 1, above: node, via: action, tree: f.trees.Cut(u.tree),
			level: checkpoint.Level{Follows: true}}
		u.tree = f.trees.Drop(u.tree)
		u.branches = append(u.branches, branch{action, len(f.nodes)})
		f.look(node)
		f.nodes = append(f.nodes, child)
		node, action = len(f.nodes)-1, next
	}
	u := &f.nodes[node]
	p := &Parcel{ID: ID{node, u.taken}, Begin: int(action)}
	below := f.trees.Cut(u.tree)
	u.tree = f.trees.Drop(u.tree)
	p.Plans = f.trees.Save(below, nil)
	for below != wakeup.None {
		below = f.trees.Drop(below)
	}
	u.branches, u.taken = append(u.branches, branch{action, -1}), u.taken+1
	f.look(node)
	p.Levels = f.levelsTo(node, action)
	f.begin(p, node)
	return true
}

// levelsTo are the levels down to a node from which an action is taken, or is going to be.
func (f *Fold) levelsTo(node int, action int32) (list []checkpoint.Level) {
	for ; node >= 0; node = f.nodes[node].above {
		u := &f.nodes[node]
		level := u.level
		level.Action = action
		sleep, earlier := u.sleep, u.place(action)
		if earlier < 0 {
			earlier = len(u.branches)
		}
		for _, b := range u.branches[:earlier] {
			sleep.Add(int(b.action))
		}
		level.Sleep = actionset.Members[int32](&sleep, nil)
		level.Wakeup = f.savePlans(node, earlier+1, []int32{action, 0})
		list, action = append(list, level), u.via
	}
	slices.Reverse(list)
	return list
}

// savePlans appends what has been taken from a node, from a place on, and what waits there to a list, as
// wakeup.Forest.Save does.
func (f *Fold) savePlans(node, from int, list []int32) []int32 {
	u := &f.nodes[node]
	for _, b := range u.branches[min(from, len(u.branches)):] {
		below := 0
		if list = append(list, b.action, 0); b.node < 0 {
			continue
		}
		count := len(list) - 1
		c := &f.nodes[b.node]
		for w := c.tree; w != wakeup.None; w = f.trees.Next(w) {
			below++
		}
		list[count] = int32(below + len(c.branches))
		list = f.savePlans(b.node, 0, list)
	}
	return f.trees.Save(u.tree, list)
}

// Planned is what has been taken later than a parcel from the nodes above it, and what waits there, as wakeup trees, as
// Parcel.Levels has them. It is for who works on the parcel, so that less is inserted in vain.
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
		a := f.present(c, d)
		p.Trees = append(p.Trees, f.savePlans(node, f.nodes[node].place(a)+1, []int32{a, 0}))
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
		tree := r.Split[i].Wakeup
		for k := 0; k < len(tree); k += 2 {
			if _, err := actionset.Of(tree[k:k+1], actionset.Max); err != nil {
				return err
			}
		}
		var scratch wakeup.Forest
		if _, err := scratch.Restore(tree); err != nil {
			return err
		}
	}
	return nil
}
