package executions

import (
	"cmp"
	"fmt"
	"slices"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/checkpoint"
	"cdpor/explore/internal/engine"
	"cdpor/explore/internal/program"
	"cdpor/explore/internal/saved"
	"cdpor/explore/internal/visited"
	"cdpor/lang/step"
)

// saveNode is the number of a shared node, 0 for none.
func saveNode(x *Search, nodes *checkpoint.Nodes, shared *sharedNode) int {
	if shared == nil {
		return 0
	}
	number, isNew := nodes.Number(shared)
	if isNew {
		n := dpor.Node{Frontier: &sharedRecord{shared: shared}}
		x.Frontier.Lock(&n)
		l := checkpoint.Level{Backtrack: actionset.Members[int32](&n.Backtrack, nil),
			Sleep: actionset.Members[int32](&n.Sleep, nil), Before: actionset.Members[int32](&shared.before, nil)}
		if x.Planner != nil {
			l.Wakeup = x.Planner.SavePlans(&n)
		}
		x.Frontier.Unlock(&n)
		for t := shared.first.next.Load(); t != nil; t = t.next.Load() {
			l.Taken = append(l.Taken, [2]int{t.action, saveNode(x, nodes, t.child)})
		}
		nodes.Saved[number-1] = l
	}
	return number
}

// sharedNodes are the nodes that several parts of a checkpoint have in common.
type sharedNodes struct {
	nodes []*sharedNode
	saved []checkpoint.Level
}

// restore is the shared node of a number, nil for 0. A child has a greater number than its parent.
func (s *sharedNodes) restore(x *Search, number, parent int) (shared *sharedNode, err error) {
	if number == 0 {
		return nil, nil
	}
	if s == nil || number <= parent || number > len(s.nodes) {
		return nil, fmt.Errorf("there is no shared node %d, or not there", number)
	}
	if s.nodes[number-1] != nil {
		return s.nodes[number-1], nil
	}
	var lv, first level
	saved := &s.saved[number-1]
	err = cmp.Or(x.restoreLevel(&lv, saved), x.restoreLevel(&first, &checkpoint.Level{Sleep: saved.Before}))
	if err != nil {
		return nil, err
	}
	x.Frontier.(*sharedFrontier).publish(&lv.Node, -1)
	shared = RecordOf(&lv.Node).shared
	s.nodes[number-1] = shared
	shared.before = first.Node.Sleep
	for _, t := range saved.Taken {
		if t[0] < 0 || t[0] >= x.m.NumActions() {
			return nil, fmt.Errorf("there is no action %d", t[0])
		}
		child, err := s.restore(x, t[1], number)
		if err != nil {
			return nil, err
		}
		shared.take(&takenAction{}, t[0], child)
	}
	return shared, nil
}

func (x *Search) SavePart(item engine.WorkItem, nodes *checkpoint.Nodes) checkpoint.Part {
	var s checkpoint.Part
	p := item.(*sharedPart)
	for _, lv := range p.levels {
		s.Levels = append(s.Levels, x.saveLevel(lv, nodes))
	}
	for _, t := range p.path {
		s.Levels[len(s.Levels)-1].Action = int32(t.action)
		s.Levels = append(s.Levels, checkpoint.Level{Shared: saveNode(x, nodes, t.child)})
	}
	if len(p.path) == 0 {
		s.State = slices.Clone(p.levels[len(p.levels)-1].State)
	}
	return s
}

func (x *Search) RestoreParts(parts []checkpoint.Part, nodes []checkpoint.Level) (items []engine.WorkItem, err error) {
	shared := &sharedNodes{nodes: make([]*sharedNode, len(nodes)), saved: nodes}
	for i := range parts {
		p, err := x.restorePart(&parts[i], shared)
		if err != nil {
			return nil, err
		}
		items = append(items, p)
	}
	return items, nil
}

func (x *Search) SaveVisits() *visited.Saved {
	if x.Visits == nil {
		return nil
	}
	return x.Visits.save()
}

// restorePart makes a work item whose nodes are all shared, so that whichever worker can take it.
func (x *Search) restorePart(s *checkpoint.Part, shared *sharedNodes) (p *sharedPart, err error) {
	x.Depth = 0
	if err := x.restoreLevels(s.Levels, shared); err != nil {
		return p, err
	}
	if s.State != nil && !slices.Equal(x.levels[x.Depth].State, s.State) {
		return p, saved.ErrOtherState
	}
	for d, lv := range x.levels[:x.Depth+1] {
		n, present := RecordOf(&lv.Node), -1
		if d < x.Depth {
			present = lv.Event.Action
		}
		if n.shared == nil {
			x.Frontier.(*sharedFrontier).publish(&lv.Node, present)
		} else if n.inProgress = n.shared.find(present); x.Planner != nil && n.inProgress == nil && present >= 0 {
			return p, fmt.Errorf("depth %d: action %d has not been taken from the shared node", d, present)
		}
	}
	if err := x.Validate(); err != nil {
		return p, err
	}
	for d, lv := range x.levels[:x.Depth+1] {
		var onStack *sharedNode
		if d < x.Depth {
			onStack = RecordOf(&x.levels[d+1].Node).shared
		}
		if err := validateTaken(x, RecordOf(&lv.Node).shared, onStack, lv.State); err != nil {
			return p, fmt.Errorf("below depth %d: %w", d, err)
		}
	}
	p = x.Frontier.(*sharedFrontier).copyWork(x.Depth, nil)
	for _, lv := range x.levels[:x.Depth+1] {
		lv.Node.Frontier = nil
	}
	return p, nil
}

// validateTaken checks the shared nodes below one whose state is s, but those below one that is on the stack. No worker
// may run: nodes that nobody needs any more are used again.
func validateTaken(x *Search, shared, onStack *sharedNode, s step.State) error {
	for t := shared.first.next.Load(); t != nil; t = t.next.Load() {
		if t.child == nil || t.child == onStack {
			continue
		}
		if !x.run.CanTake(s, t.action) {
			return fmt.Errorf("action %d was taken although it is not possible", t.action)
		}
		below := dpor.Node{Frontier: &sharedRecord{shared: t.child}}
		after := slices.Clone(s)
		x.run.Take(after, t.action)
		program.EnabledActions(x.m, x.run, after, &below.Enabled)
		if err := cmp.Or(validatePlans(x, &below, after), validateTaken(x, t.child, nil, after)); err != nil {
			return err
		}
	}
	return nil
}

func (x *Search) RestoreCommon(cp *saved.Checkpoint) error {
	return cmp.Or(restorePairs(x, cp.Tree.Pairs), x.RestoreFindings(cp))
}
