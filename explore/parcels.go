package explore

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/checkpoint"
	"cdpor/explore/internal/joblog"
)

// How a search of executions works on a parcel (README section 19): it goes to where the parcel begins, explores a
// slice of it, and says in a record what came of that. Nodes above the parcel are shared nodes of which it takes
// nothing.

// An aboveNode is what a shared node has that lies above a parcel.
type aboveNode struct {
	begin int           // the action that the parcel begins with; -1: none, or it has been taken
	known actionset.Set // the backtrack set so far, as the log has it or will have it
}

// errParcels says why an algorithm cannot work on parcels.
func errParcels(a *Algorithm, opt Options) error {
	switch {
	case a.Chooses || a.Stateful || a == optimalAlgorithm:
		return fmt.Errorf("%s cannot be cut into parcels", a.Name)
	case opt.Attach:
		return errors.New("attached states need a single worker: " +
			"only when everything behind an action has been explored is it known why it is asleep")
	case opt.Observer != nil:
		return errors.New("an observer needs a single worker: it is told how one stack grows")
	}
	return nil
}

// takeUp goes to where a parcel goes on. What the search has found before is forgotten.
func (x *search) takeUp(p *joblog.Parcel) error {
	x.Accesses.Forget()
	x.Depth, x.stop, x.ending = 0, "", ""
	x.levels[0].node = node{}
	x.running = len(p.Levels) > 0
	if !x.running { // the whole search
		return x.forgetFindings()
	}
	if p.Own > len(p.Levels) || p.Own < 1 && p.Fresh() {
		return fmt.Errorf("%d of %d nodes are above the parcel", p.Own, len(p.Levels))
	}
	if err := x.restoreLevels(p.Levels, nil); err != nil {
		return err
	}
	last := x.levels[x.Depth]
	if p.State != nil && !slices.Equal(last.State, p.State) {
		return errOtherState
	}
	for d, lv := range x.levels[:x.Depth+1] {
		lv.ran = true
		if d < p.Own {
			x.putAbove(&lv.node)
		}
	}
	if p.Fresh() {
		if !last.node.enabled.Has(p.Begin) {
			return fmt.Errorf("action %d, which the parcel begins with, is not possible", p.Begin)
		}
		last.node.shared.above.begin = p.Begin
	}
	if x.visits != nil {
		x.visits.resumeAt()
	}
	return x.forgetFindings()
}

// putAbove makes a node one above the parcel.
func (x *search) putAbove(n *node) {
	x.publish(n, -1)
	n.shared.above = &aboveNode{begin: -1, known: n.backtrack}
	n.shared.refs.Store(1)
}

// takeFromAbove is what is to be taken from a node above the parcel.
func (u *aboveNode) takeFromAbove() (action int) {
	action, u.begin = u.begin, -1
	return action
}

// forgetFindings begins to count anew.
func (x *search) forgetFindings() error {
	a, err := Find(x.results.Algorithm)
	if err != nil {
		return err
	}
	r, err := newResults(x.m, a, x.opt.Terminal)
	if err != nil {
		return err
	}
	r.found, r.everyWay = x.opt.Found, x.results.everyWay
	x.results = r
	x.ForgetPairs()
	for _, lv := range x.levels[:x.Depth+1] {
		lv.begun = 0
	}
	return nil
}

// splitDepth is the depth of the shallowest node of the parcel from which something waits to be taken, -1 if there is
// none below the present one.
func (x *search) splitDepth(own int) int {
	for d := own; d < x.Depth; d++ {
		if lv := x.levels[d]; x.planned(&lv.node, lv.Event.Action) > 0 {
			return d
		}
	}
	return -1
}

// record says what came of a slice of a parcel: it is over, or paused between two executions. Its own nodes down to the
// depth split are given away, none if that is -1. When nothing is left of it, the record says so.
func (x *search) record(p *joblog.Parcel, number, split int, over bool) (*joblog.Record, error) {
	r := &joblog.Record{Parcel: p.ID, Number: number}
	var found bytes.Buffer
	if err := x.saveCommon().Write(&found); err != nil {
		return nil, err
	}
	r.Found = found.Bytes()
	above := p.Own
	if len(p.Levels) == 0 {
		above = 0
	}
	for d, lv := range x.levels[:above] {
		u := lv.node.shared
		if more := u.backtrack.Minus(&u.above.known); !more.Empty() {
			r.Insert = append(r.Insert, joblog.Insertion{Depth: d, Actions: actionset.Members[int32](&more, nil)})
			u.above.known = u.backtrack
		}
	}
	if over || x.Depth < above { // in the latter case there is nothing more to do than to go down
		return r, nil
	}
	for d := above; d <= split; d++ {
		lv := x.levels[d]
		n := &lv.node
		x.strategy.afterSubtree(x, n, lv.Event.Action) // for others it has been taken
		r.Split = append(r.Split, joblog.Upper{Level: x.saveLevel(lv, nil),
			Enabled: actionset.Members[int32](&n.enabled, nil), Excluded: actionset.Members[int32](&n.excluded, nil)})
		x.putAbove(n)
	}
	if x.visits != nil && split >= 0 {
		x.visits.share(split)
	}
	r.Left = x.remainder(p.ID, max(above, split+1))
	return r, x.forgetFindings()
}

// remainder is the part of a parcel that is left, of which some nodes are above it.
func (x *search) remainder(id joblog.ID, above int) *joblog.Parcel {
	p := &joblog.Parcel{ID: id, Own: above, Begin: -1, State: slices.Clone(x.levels[x.Depth].State)}
	for d, lv := range x.levels[:x.Depth+1] {
		p.Levels = append(p.Levels, x.saveAlone(lv))
		if d == x.Depth {
			p.Levels[d].Action = -1
		}
	}
	return p
}

// saveAlone is saveLevel with what is known of a shared node.
func (x *search) saveAlone(lv *level) checkpoint.Level {
	n := &lv.node
	x.hold(n)
	shared := n.shared
	n.shared = nil
	s := x.saveLevel(lv, nil)
	if n.shared = shared; shared != nil {
		x.unlock(n)
	}
	return s
}

// addFound adds what a record has found to what all have. The search is one that has nothing to do but this.
func (x *search) addFound(all *findings, found []byte) error {
	cp, err := ReadCheckpoint(bytes.NewReader(found))
	if err != nil {
		return err
	}
	if err := x.forgetFindings(); err != nil {
		return err
	}
	if err := x.restoreCommon(cp); err != nil {
		return err
	}
	all.add([]worker{x})
	return nil
}
