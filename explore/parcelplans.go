package explore

import (
	"encoding/binary"
	"fmt"
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/checkpoint"
	"cdpor/explore/internal/joblog"
	"cdpor/explore/internal/reversal"
	"cdpor/explore/internal/wakeup"
	"cdpor/lang/step"
)

// What optimal plans above a parcel (README section 19). A parcel begins where nothing is asleep, so below that nothing
// is planned from elsewhere. What has to be planned above goes into the log as whole sequences, and the fold of the log
// finds their place. What it is known to have is not sent again: the worker has what comes later than the parcel as a
// wakeup tree of each node, as the fold had it at some time, and a sequence that leads to the end of a branch there is
// covered for good.

// An abovePlans is what is to be planned at a node above a parcel.
type abovePlans struct {
	plans [][]int32       // since the last record
	said  map[string]bool // what has been planned since the worker was told last what the fold has
	each  actionset.Set   // each by itself
}

// isAbove reports whether a node lies above the parcel that is worked on.
func (n *node) isAbove() bool { return n.shared != nil && n.shared.above != nil }

// say is what a record says of a node at a depth, nil if that is nothing.
func (u *abovePlans) say(depth int) *joblog.Insertion {
	if len(u.plans) == 0 && u.each.Empty() {
		return nil
	}
	in := &joblog.Insertion{Depth: depth, Actions: actionset.Members[int32](&u.each, nil), Plans: u.plans}
	u.plans, u.each = nil, actionset.Set{}
	return in
}

// add has a sequence planned, and lets the search pause after the present execution if that is enough for a record.
func (u *abovePlans) add(x *search, actions []int32) {
	key := make([]byte, 0, 2*len(actions))
	for _, a := range actions {
		key = binary.AppendUvarint(key, uint64(a))
	}
	if !u.said[string(key)] {
		if u.said == nil {
			u.said = map[string]bool{}
		}
		u.said[string(key)] = true
		u.plans = append(u.plans, slices.Clone(actions))
		if x.unsaid++; x.unsaid >= x.enoughUnsaid && x.pauseAt > 0 {
			x.pauseAt, x.due = min(x.pauseAt, x.results.Nodes), true
		}
	}
}

// reverseAbove is insertReversal for a node above the parcel.
func (w *plans) reverseAbove(x *search, n *node, v *byClocks) (settled bool) {
	s := n.shared
	if meetsWeakly(&s.before, v) {
		return v.Certain
	}
	v.always = true
	if covered, leaf := s.trees.Covers(s.tree, v); covered {
		return v.always && leaf
	}
	v.Begin(v.x, v.E, v.N)
	s.above.add(x, w.wakeEarly(x, v.E, v.Rest()))
	return false
}

// planAbove is the rest of insert for a node above the parcel, of which v are the actions.
func (w *plans) planAbove(x *search, i int, v *byRunning, actions []int32) {
	s := x.levels[i].node.shared
	if meetsWeakly(&s.before, v) {
		return
	}
	if covered, _ := s.trees.Covers(s.tree, v); !covered || !v.possible {
		s.above.add(x, w.wakeEarly(x, i, actions))
	}
}

// An earlyOrder is scratch memory for putting a sequence into an order.
type earlyOrder struct {
	order, with reversal.Order
	needed      []bool
	actions     []int32
	longer      []int32
}

// wakeEarly puts a sequence, which runs from the node at a stack position, into an equivalent order that begins with
// what wakes whatever sleeps there, or is under way from there: the sooner nothing is asleep, the more is one parcel.
// The result is valid until the next call.
func (w *plans) wakeEarly(x *search, i int, actions []int32) []int32 {
	o, from := &w.early, x.levels[i].State
	if !o.order.Run(&x.Execution, from, actions) {
		return actions
	}
	o.needed = slices.Grow(o.needed[:0], len(actions))[:len(actions)]
	clear(o.needed)
	asleep := x.levels[i].node.sleep
	asleep.Add(x.levels[i].Event.Action)
	for a := asleep.Next(0); a >= 0; a = asleep.Next(a + 1) {
		if k := o.waker(x, from, a, actions); k >= 0 {
			for j := range k {
				x.Work(1)
				o.needed[j] = o.needed[j] || o.order.Has(k, j)
			}
			o.needed[k] = true
		}
	}
	o.actions = o.actions[:0]
	for _, first := range []bool{true, false} {
		for k, a := range actions {
			if o.needed[k] == first {
				o.actions = append(o.actions, a)
			}
		}
	}
	return o.actions
}

// waker is the position of the first of some actions that wakes one that sleeps where they begin, or comes after what
// does; -1: that is not known.
func (o *earlyOrder) waker(x *search, from step.State, asleep int, actions []int32) int {
	p := x.m.ProcOf(asleep)
	if at := slices.IndexFunc(actions, func(a int32) bool { return x.m.ProcOf(int(a)) == p }); at >= 0 {
		return at
	}
	o.longer = append(append(o.longer[:0], int32(asleep)), actions...)
	if !o.with.Run(&x.Execution, from, o.longer) {
		return -1
	}
	for k := 1; k < len(o.longer); k++ {
		if o.with.Has(k, 0) {
			return k - 1
		}
	}
	return -1
}

func (o *optimal) leave(n *node) { o.drop(n) }

func (o *optimal) planBegin(n *node, saved []int32) (err error) {
	n.plannedBelow, err = o.Restore(saved)
	return err
}

// Planned tells what the fold of the log has planned above the parcel that is worked on.
func (w *ParcelWork) Planned(p *joblog.Planned) {
	if w.parcel != nil && p.Parcel == w.parcel.ID {
		w.planned = p
	}
}

// learn takes up what was told, if it is of records of this worker, or of those that it has gone on from.
func (w *ParcelWork) learn() error {
	p := w.planned
	if p == nil || p.Parcel != w.parcel.ID || p.Next > w.next {
		return nil
	}
	w.planned = nil
	for d, list := range p.Trees {
		n := &w.x.levels[d].node
		if d > w.x.Depth || !n.isAbove() {
			break
		}
		s := n.shared
		s.trees = wakeup.Forest{}
		tree, err := s.trees.Restore(list)
		if err != nil || tree == wakeup.None {
			return fmt.Errorf("what is planned at depth %d: %w", d, err)
		}
		s.tree, s.above.said = s.trees.Drop(tree), nil
	}
	return nil
}

// Unsaid is how many sequences the next record is going to plan above the parcel.
func (w *ParcelWork) Unsaid() int { return w.x.unsaid }

// Enough reports whether those are as many as PauseWith has said.
func (w *ParcelWork) Enough() bool { return w.x.unsaid > 0 && w.x.unsaid >= w.x.enoughUnsaid }

// PauseWith lets Explore pause as soon as the next record is going to plan so many sequences.
func (w *ParcelWork) PauseWith(unsaid int) { w.x.enoughUnsaid = unsaid }

// A foldPlanner answers what the fold of a log asks. The search has nothing to do but this.
type foldPlanner struct {
	x     *search
	v     byRunning
	path  []int32 // where the last one has led
	state step.State
}

// Possible reports whether what has been followed could run.
func (s *byRunning) Possible() bool { return s.possible }

// follow goes along a path from the initial state.
func (p *foldPlanner) follow(path []int32) error {
	if p.state != nil && slices.Equal(p.path, path) {
		return nil
	}
	p.path, p.state = append(p.path[:0], path...), append(p.state[:0], p.x.m.Initial()...)
	for i, a := range path {
		if int(a) >= p.x.m.NumActions() || !p.x.run.CanTake(p.state, int(a)) {
			p.path, p.state = nil, nil
			return fmt.Errorf("action %d of the path %v is not possible", i, path)
		}
		p.x.run.Take(p.state, int(a))
	}
	return nil
}

func (p *foldPlanner) Sequence(path, actions []int32) (joblog.Sequence, error) {
	if err := p.follow(path); err != nil {
		return nil, err
	}
	if !p.v.begin(&p.x.Execution, p.state, actions) {
		return nil, fmt.Errorf("the planned sequence %v cannot run", actions)
	}
	return &p.v, nil
}

func (p *foldPlanner) Enabled(path []int32) []int32 {
	if p.follow(path) != nil {
		return nil
	}
	var all actionset.Set
	enabledActions(p.x.m, p.x.run, p.state, &all)
	return actionset.Members[int32](&all, nil)
}

func (p *foldPlanner) Awake(levels []checkpoint.Level, way []int32) int {
	x := p.x
	planner, saver, hb := x.planner, x.saver, x.hb
	x.planner, x.saver, x.hb = nil, nil, false // only sleep sets are wanted
	defer func() { x.planner, x.saver, x.hb = planner, saver, hb }()
	x.Accesses.Forget()
	x.Depth = 0
	if x.restoreLevels(levels, nil) != nil {
		return len(way) // who works on it will say what is wrong
	}
	for k, a := range way {
		lv := x.levels[x.Depth]
		if !lv.node.enabled.Has(int(a)) {
			return len(way)
		}
		child, _ := x.execute(lv, int(a))
		x.stillAsleep(lv, &lv.node.sleep, &child.node.sleep)
		if x.Depth++; child.node.sleep.Empty() || x.Depth >= x.opt.MaxDepth {
			return k + 1
		}
		x.enable(child)
	}
	return len(way)
}
