package explore

import (
	"encoding/binary"
	"fmt"
	"slices"

	"cdpor/explore/internal/actionset"
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

// manyUnsaid is how many sequences a record plans, or a few more.
const manyUnsaid = 1 << 11

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
		if x.unsaid++; x.unsaid >= manyUnsaid && x.pauseAt > 0 {
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
	s.above.add(x, v.Rest())
	return false
}

// planAbove is the rest of insert for a node above the parcel, of which v are the actions.
func (w *plans) planAbove(x *search, i int, v *byRunning, actions []int32) {
	s := x.levels[i].node.shared
	if meetsWeakly(&s.before, v) {
		return
	}
	if covered, _ := s.trees.Covers(s.tree, v); !covered || !v.possible {
		s.above.add(x, actions)
	}
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
		var err error
		if s.tree, err = s.trees.Restore(list); err != nil {
			return fmt.Errorf("what is planned at depth %d: %w", d, err)
		}
		s.above.said = nil
	}
	return nil
}

// Full reports whether the next record is going to plan so much above the parcel that it is time for it.
func (w *ParcelWork) Full() bool { return w.x.unsaid >= manyUnsaid }

// A foldPlanner answers what the fold of a log asks. The search has nothing to do but this.
type foldPlanner struct {
	x     *search
	fixed reversal.Remaining
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
	if p.fixed.Begin(&p.x.Execution, p.state, actions) {
		return &p.fixed, nil
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

func (p *foldPlanner) Wakes(path []int32, action int32, asleep []int32) bool {
	set, err := p.x.actions(asleep)
	if p.follow(path) != nil || err != nil || !p.x.run.CanTake(p.state, int(action)) {
		return true // who works on it will say what is wrong
	}
	p.x.level(1)
	lv, kept := p.x.levels[0], actionset.Set{}
	copy(lv.State, p.state)
	p.x.Take(int(action))
	p.x.stillAsleep(lv, &set, &kept)
	return kept.Empty()
}
