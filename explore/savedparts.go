package explore

import (
	"cmp"
	"fmt"
	"slices"

	"cdpor/lang/step"
)

// A savedPart is what is left of one part of a search by several workers.
type savedPart struct {
	State  step.State   // of the present node
	Levels []savedLevel `json:",omitempty"`
	Frames []savedFrame `json:",omitempty"`
}

// sharedNodes are the nodes that several parts of a checkpoint have in common.
type sharedNodes struct {
	nodes  []*sharedNode
	number map[*sharedNode]int // counted from 1
	saved  []savedLevel
}

// save makes a checkpoint between two executions of all workers.
func (c *crew) save() *Checkpoint {
	first := c.workers[0]
	own := first.findings()
	if all, err := c.sum(); err == nil { // newCrew has done the same before
		all.results.arrange()
		first.replace(all)
	}
	cp := first.saveCommon()
	first.replace(own)
	shared := &sharedNodes{number: map[*sharedNode]int{}}
	for _, w := range c.workers {
		if p := w.rest(); !p.empty() {
			cp.Parts = append(cp.Parts, w.savePart(p, shared))
		}
	}
	for _, p := range c.parcels {
		cp.Parts = append(cp.Parts, first.savePart(p, shared))
	}
	cp.Nodes = shared.saved
	return cp
}

// restore makes parcels of the parts of a checkpoint.
func (c *crew) restore(cp *Checkpoint) error {
	first, parts := c.workers[0], cp.Parts
	if len(parts) == 0 {
		part := savedPart{State: cp.State}
		if cp.Tree != nil {
			part.Levels = cp.Tree.Levels
		} else {
			part.Frames = cp.Graph.Frames
		}
		parts = []savedPart{part}
	}
	shared := &sharedNodes{nodes: make([]*sharedNode, len(cp.Nodes)), saved: cp.Nodes}
	for i := range parts {
		p, err := first.restorePart(&parts[i], shared)
		if err != nil {
			return err
		}
		c.parcels = append(c.parcels, p)
	}
	if err := first.restoreCommon(cp); err != nil {
		return err
	}
	w := first.outside()
	w.counted = w.results.Executions
	c.executions.Store(w.counted)
	c.reason = w.stop
	return nil
}

// save is the number of a shared node, 0 if a node is not shared.
func (s *sharedNodes) save(x *search, n *node) int {
	if n.shared == nil {
		return 0
	}
	if s.number[n.shared] == 0 {
		x.hold(n)
		l := savedLevel{Backtrack: members[int32](&n.backtrack, nil), Sleep: members[int32](&n.sleep, nil)}
		if o, ok := x.strategy.(*optimal); ok {
			l.Wakeup = o.save(n.tree, nil)
		}
		x.release(n)
		s.saved = append(s.saved, l)
		s.number[n.shared] = len(s.saved)
	}
	return s.number[n.shared]
}

// restore makes a node, whose sets and wakeup tree are known unless it was shared, the shared one of a number.
func (s *sharedNodes) restore(x *search, n *node, number int) error {
	if number == 0 {
		return nil
	}
	if s == nil || number < 0 || number > len(s.nodes) {
		return fmt.Errorf("there is no shared node %d", number)
	}
	if known := s.nodes[number-1]; known != nil {
		n.shared = known
		x.hold(n)
		x.release(n)
		return nil
	}
	var lv level
	if err := x.restoreLevel(&lv, &s.saved[number-1]); err != nil {
		return err
	}
	n.backtrack, n.sleep, n.tree = lv.node.backtrack, lv.node.sleep, lv.node.tree
	x.publish(n, -1)
	s.nodes[number-1] = n.shared
	return nil
}

func (x *search) savePart(p parcel, shared *sharedNodes) savedPart {
	s := savedPart{State: slices.Clone(p.levels[len(p.levels)-1].state)}
	for _, lv := range p.levels {
		s.Levels = append(s.Levels, x.saveLevel(lv, shared))
	}
	return s
}

// restorePart makes a parcel whose nodes are all shared, so that whichever worker can take it.
func (x *search) restorePart(s *savedPart, shared *sharedNodes) (p parcel, err error) {
	x.depth = 0
	if err := x.restoreLevels(s.Levels, shared); err != nil {
		return p, err
	}
	if !slices.Equal(x.levels[x.depth].state, s.State) {
		return p, errOtherState
	}
	for d, lv := range x.levels[:x.depth+1] {
		present := -1
		if d < x.depth {
			present = lv.event.action
		}
		x.publish(&lv.node, present)
		p.levels = append(p.levels, lv.copy())
	}
	return p, x.validate()
}

func (x *search) restoreCommon(cp *Checkpoint) error {
	return cmp.Or(x.restorePairs(cp.Tree.Pairs), x.restoreFindings(cp))
}

func (x *exhaustive) savePart(p parcel, _ *sharedNodes) savedPart {
	return savedPart{State: slices.Clone(p.frames[len(p.frames)-1].state), Frames: saveFrames(p.frames)}
}

func (x *exhaustive) restorePart(s *savedPart, _ *sharedNodes) (p parcel, err error) {
	x.depth = 0
	if err := x.restoreFrames(s.Frames); err != nil {
		return p, err
	}
	if !slices.Equal(x.stack[x.depth].state, s.State) {
		return p, errOtherState
	}
	p.frames = x.copyFrames(x.depth)
	return p, nil
}

func (x *exhaustive) restoreCommon(cp *Checkpoint) error {
	if visited := cp.Graph.Visited.restore(x.words()); visited.shared != nil {
		for _, w := range x.crew.workers {
			w.(*exhaustive).seen.share(visited.shared)
		}
	} else if err := x.seen.addAll(visited); err != nil {
		return err
	}
	return x.restoreFindings(cp)
}
