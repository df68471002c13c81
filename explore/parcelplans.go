package explore

import (
	"errors"
	"fmt"
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/joblog"
	"cdpor/explore/internal/wakeup"
	"cdpor/lang/step"
)

// What optimal does with parcels (README section 19). A parcel keeps its nodes and gives away branches of their wakeup
// trees, each with what is planned below it. A branch is given away, or taken from a node from which others have been
// given away, only if it wakes all that was taken before it from the node and is not at its end. What has to be planned
// above a parcel goes into its record as whole sequences, for the parcels that have these nodes, and these are told.

// An abovePlans is what is to be planned at a node above a parcel.
type abovePlans struct {
	plans joblog.Packed   // since the last record
	last  []int32         // of plans
	said  map[string]bool // what has been planned since the parcel was taken up
	each  actionset.Set   // each by itself
}

// manyUnsaid is how many sequences a record plans, or a few more.
const manyUnsaid = 1 << 13

// isAbove reports whether a node lies above the parcel that is worked on.
func (n *node) isAbove() bool { return n.shared != nil && n.shared.above != nil }

// say is what a record says of a node at a depth, nil if that is nothing.
func (u *abovePlans) say(depth int) *joblog.Insertion {
	if len(u.plans) == 0 && u.each.Empty() {
		return nil
	}
	in := &joblog.Insertion{Depth: depth, Actions: actionset.Members[int32](&u.each, nil), Plans: u.plans}
	u.plans, u.last, u.each = nil, nil, actionset.Set{}
	return in
}

// add has a sequence planned, and lets the search pause after the present execution if that is enough for a record.
func (u *abovePlans) add(x *search, actions []int32) {
	key := string(joblog.Pack(actions))
	if u.said[key] {
		return
	}
	if u.said == nil {
		u.said = map[string]bool{}
	}
	u.said[key] = true
	u.plans = u.plans.Add(actions, u.last)
	u.last = append(u.last[:0], actions...)
	if x.unsaid++; x.unsaid%manyUnsaid == 0 && x.pauseAt > 0 {
		x.pauseAt, x.due = min(x.pauseAt, x.results.Nodes), true
	}
}

// reverseAbove is insertReversal for a node above the parcel.
func (w *plans) reverseAbove(x *search, n *node, v *byClocks) (settled bool) {
	s := n.shared
	if meetsWeakly(&s.before, v) {
		return v.Certain
	}
	v.Begin(v.x, v.E, v.N)
	s.above.add(x, v.Rest())
	return false
}

// planAbove is the rest of insert for a node above the parcel, of which v are the actions.
func (w *plans) planAbove(x *search, i int, v *byRunning, actions []int32) {
	if s := x.levels[i].node.shared; !meetsWeakly(&s.before, v) {
		s.above.add(x, actions)
	}
}

func (o *optimal) leave(n *node) { o.drop(n) }

func (o *optimal) forget() { o.own.Clear() }

func (o *optimal) planBegin(x *search, n *node, text []byte) (err error) {
	n.plannedBelow, err = o.Unpack(text, x.m.NumActions())
	return err
}

func (o *optimal) pack(n *node) []byte { return o.Pack(n.tree, nil) }

func (o *optimal) unpack(x *search, n *node, text []byte) (err error) {
	n.tree, err = o.Unpack(text, x.m.NumActions())
	return err
}

func (o *optimal) only(n *node, action int) { n.tree = o.New(int32(action), wakeup.None) }

func (o *optimal) first(n *node) int {
	if b := o.Next(n.tree); b != wakeup.None {
		return o.Action(b)
	}
	return -1
}

func (o *optimal) give(n *node) (below []byte) {
	b := o.Unlink(n.tree)
	n.sleep.Add(o.Action(b))
	below = o.Pack(o.Child(b), nil)
	o.Free(b)
	return below
}

// receive is insert, where no action may be under way from the node.
func (w *plans) receive(x *search, i int, actions []int32) {
	lv := x.levels[i]
	n := &lv.node
	x.Adapt(lv.State, actions)
	var v interface {
		wakeup.Sequence
		Possible() bool
	}
	switch {
	case w.fixed.Begin(&x.Execution, lv.State, actions):
		v = &w.fixed
	case w.run.begin(&x.Execution, lv.State, actions):
		w.run.early = false
		v = &w.run
	default:
		x.results.Unplanned++
		w.planAll(n)
		return
	}
	if meetsWeakly(&n.sleep, v) {
		return
	}
	from := n.tree
	if i < x.Depth {
		if _, yes := v.Weak(w.Action(n.tree)); yes {
			return // it will be explored below the branch that is under way
		}
		from = w.Next(n.tree)
	}
	if n.tree, _ = w.Insert(n.tree, from, v); !v.Possible() {
		x.results.Unplanned++
		w.planAll(n)
	}
}

func (w *plans) receiveEach(x *search, i int, actions *actionset.Set) {
	n := &x.levels[i].node
	free := n.free()
	free = free.And(actions)
	w.planEach(n, &free)
}

// Possible reports whether what has been followed could run.
func (s *byRunning) Possible() bool { return s.possible }

// mustRest reports whether nothing can be taken from the present node before more of what was given away from it has
// come to its end.
func (x *search) mustRest(n *node) bool {
	a := x.strategy.pick(x, n)
	return a < 0 || !x.wakes(x.schedule(nil), int32(a), n.away)
}

// giftDepth is the depth of the shallowest of the parcel's nodes below a depth of which the first branch that waits can
// be given away and is worth it, going by the branch before it; -1 if there is none.
func (x *search) giftDepth(own, below int) int {
	var path []int32
	vain := false
	for d := own; d < below; d++ {
		lv := x.levels[d]
		n := &lv.node
		a := x.planner.first(n)
		if a < 0 || !n.may(a) || max(lv.sibling, x.results.Nodes-x.levels[d+1].begun) < x.worth {
			continue
		}
		if path == nil {
			path = x.schedule(nil)
		}
		if x.wakes(path[:d], int32(a), append(slices.Clone(n.away), int32(lv.Event.Action))) {
			x.vain = 0
			return d
		}
		vain = true
	}
	if vain {
		x.vain++
	}
	return -1
}

// mostVain is how often in a row nothing could be given away, though branches waited, until planned sequences need not
// begin with what wakes the first event of their race any more: that makes them longer, and is of no use then.
const mostVain = 20

// plansEarly reports whether planned sequences are to begin with what wakes the first event of their race.
func (x *search) plansEarly() bool { return x.inParcels && x.vain < mostVain }

// giveAway gives away the first branch that waits at a depth. When the parcel is going to rest, it gives away another
// one as well, as what it has will be for nobody then.
func (x *search) giveAway(r *joblog.Record, own, depth int) {
	most := 1
	if x.rests {
		most, depth = 2, x.giftDepth(own, x.Depth)
	}
	for depth >= 0 {
		r.Give = append(r.Give, x.gift(depth))
		if most--; most == 0 {
			return
		}
		depth = x.giftDepth(own, x.Depth)
	}
}

// gift gives away the first branch that waits at a depth.
func (x *search) gift(depth int) joblog.Gift {
	lv := x.levels[depth]
	n := &lv.node
	a := int32(x.planner.first(n))
	sleep := n.sleep
	sleep.Add(lv.Event.Action)
	n.away = append(n.away, a)
	return joblog.Gift{Depth: depth, Action: a, Sleep: actionset.Members[int32](&sleep, nil),
		Plans: x.planner.give(n)}
}

// Give says in a record that a branch is given away, and nothing else; nil: there is none that the log knows where it
// comes from. The worker goes on with what it has not recorded yet. Should that be lost, it is found once more, from
// what the last record has left, without the branch: what follows from the search since then is only that the branch is
// planned, or more below it. So it must be one of a node to which the search has not come back since.
func (w *ParcelWork) Give(number int) *joblog.Record {
	x := w.x
	if x.planner == nil {
		return nil
	}
	depth := x.giftDepth(w.parcel.Own, min(x.lowest, x.Depth))
	if depth < 0 {
		return nil
	}
	return &joblog.Record{Parcel: w.parcel.ID, Number: number, Same: true, Heard: w.stored,
		Give: []joblog.Gift{x.gift(depth)}}
}

// Without is what is left of a parcel without what has been given away since.
func Without(p *joblog.Parcel, since []joblog.Mark) (*joblog.Parcel, error) {
	return p.Without(since, func(tree joblog.Packed, action int32) (joblog.Packed, error) {
		var f wakeup.Forest
		all, err := f.Unpack(tree, actionset.Max)
		for b := all; b != wakeup.None && err == nil; b = f.Next(b) {
			if next := f.Next(b); next != wakeup.None && f.Action(next) == int(action) {
				f.Free(f.Unlink(b))
				break
			}
		}
		return f.Pack(all, nil), err
	})
}

// packTrees writes what is planned at the parcel's own nodes apart, and what has been given away from them.
func (x *search) packTrees(p *joblog.Parcel) {
	for d := range p.Levels {
		if d >= p.Own {
			n := &x.levels[d].node
			p.Trees = append(p.Trees, x.planner.pack(n))
			if n.away != nil {
				p.Away = append(p.Away, joblog.Away{Depth: d, Actions: slices.Clone(n.away)})
			}
		}
	}
}

// unpackTree has planned at a node of a parcel that is taken up what was planned there. Above the parcel that is the
// action under way.
func (x *search) unpackTree(p *joblog.Parcel, d int) error {
	n, own := &x.levels[d].node, d-p.Own
	switch {
	case own < 0:
		if _, err := x.actions([]int32{p.Levels[d].Action}); err != nil {
			return err
		}
		x.planner.only(n, int(p.Levels[d].Action))
	case own >= 0 && own < len(p.Trees):
		return x.planner.unpack(x, n, p.Trees[own])
	}
	return nil
}

// Told tells what others have for the parcel that is worked on. What was told before, or comes too early, does not
// matter.
func (w *ParcelWork) Told(t *joblog.Told) {
	if w.parcel == nil || t.Parcel != w.parcel.ID {
		return
	}
	if know := w.heard.Count + len(w.told); t.From <= know && know < t.From+len(t.Notices) {
		w.told = append(w.told, t.Notices[know-t.From:]...)
	}
}

// ErrSlow says that what was told does not fit what the worker knows of its parcel: another one has gone on with it.
var ErrSlow = errors.New("another worker has gone on with the parcel")

// hear takes up what was told.
func (w *ParcelWork) hear() error {
	for i := range w.told {
		n := &w.told[i]
		if err := w.x.hear(n, w.parcel.Own); err != nil {
			return fmt.Errorf("notice %d of parcel %v: %w: %w", w.heard.Count, w.parcel.ID, ErrSlow, err)
		}
		w.heard = w.heard.Add(n)
	}
	w.told = w.told[:0]
	return nil
}

func (x *search) hear(n *joblog.Notice, own int) error {
	if n.Depth < own || n.Depth > x.Depth {
		return fmt.Errorf("there is no node at depth %d", n.Depth)
	}
	at := &x.levels[n.Depth].node
	if n.Ended {
		for _, a := range n.Actions {
			k := slices.Index(at.away, a)
			if k < 0 {
				return fmt.Errorf("action %d has not been given away from depth %d", a, n.Depth)
			}
			if at.away = slices.Delete(at.away, k, k+1); len(at.away) == 0 {
				at.away = nil
			}
		}
		return nil
	}
	err := n.Plans.Each(func(sequence []int32) error {
		_, err := x.actions(sequence)
		if err == nil {
			x.planner.receive(x, n.Depth, sequence)
		}
		return err
	})
	if err != nil {
		return err
	}
	each, err := x.actions(n.Actions)
	if err == nil && !each.Empty() {
		x.planner.receiveEach(x, n.Depth, &each)
	}
	return err
}

// Worth says how many nodes a branch should have to be given away.
func (w *ParcelWork) Worth(nodes int64) { w.x.worth = nodes }

// Full reports whether the next record is going to plan so much above the parcel that it is time for it.
func (w *ParcelWork) Full() bool { return w.x.unsaid >= manyUnsaid }

// A wakes reports whether an action that is possible where a path leads wakes all of those that sleep there.
type wakes func(path []int32, action int32, asleep []int32) bool

// An asker says what an action does somewhere on the stack of a search. It has a search that has nothing else to do.
type asker struct {
	x     *search
	path  []int32 // where the last one has led
	state step.State
}

// follow goes along a path from the initial state.
func (p *asker) follow(path []int32) {
	known := 0
	if p.state != nil && len(p.path) <= len(path) && slices.Equal(p.path, path[:len(p.path)]) {
		known = len(p.path)
	} else {
		p.state = append(p.state[:0], p.x.m.Initial()...)
	}
	for _, a := range path[known:] {
		p.x.run.Take(p.state, int(a))
	}
	p.path = append(p.path[:0], path...)
}

// wakes is the answer.
func (p *asker) wakes(path []int32, action int32, asleep []int32) bool {
	p.follow(path)
	x := p.x
	x.level(1)
	lv, kept := x.levels[0], actionset.Set{}
	var set actionset.Set
	for _, a := range asleep {
		set.Add(int(a))
	}
	copy(lv.State, p.state)
	x.Depth = 0
	x.Take(int(action))
	x.stillAsleep(lv, &set, &kept)
	return kept.Empty()
}
