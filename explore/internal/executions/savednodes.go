package executions

import (
	"cmp"
	"fmt"
	"slices"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/checkpoint"
	"cdpor/explore/internal/engine"
	"cdpor/explore/internal/saved"
	"cdpor/explore/internal/visited"
)

// saveNode is the number of a shared node, 0 for none.
func saveNode(x *Search, nodes *checkpoint.Nodes, shared *sharedNode) int {
	if shared == nil {
		return 0
	}
	number, isNew := nodes.Number(shared)
	if isNew {
		n := dpor.Node{Frontier: shared}
		x.Frontier.Lock(&n)
		x.Frontier.Unlock(&n)
		nodes.Saved[number-1] = checkpoint.Level{Backtrack: actionset.Members[int32](&n.Backtrack, nil),
			Sleep: actionset.Members[int32](&n.Sleep, nil)}
	}
	return number
}

// sharedNodes are the nodes that several parts of a checkpoint have in common.
type sharedNodes struct {
	nodes []*sharedNode
	saved []checkpoint.Level
}

// restore is the shared node of a number, nil for 0.
func (s *sharedNodes) restore(x *Search, number int) (*sharedNode, error) {
	if number == 0 {
		return nil, nil
	}
	if s == nil || number < 0 || number > len(s.nodes) {
		return nil, fmt.Errorf("there is no shared node %d", number)
	}
	if s.nodes[number-1] != nil {
		return s.nodes[number-1], nil
	}
	var lv level
	if err := x.restoreLevel(&lv, &s.saved[number-1]); err != nil {
		return nil, err
	}
	x.Frontier.(*sharedFrontier).publish(&lv.Node, -1)
	s.nodes[number-1] = sharedOf(&lv.Node)
	return s.nodes[number-1], nil
}

func (x *Search) SavePart(item engine.WorkItem, nodes *checkpoint.Nodes) checkpoint.Part {
	var s checkpoint.Part
	p := item.(*sharedPart)
	for _, lv := range p.levels {
		s.Levels = append(s.Levels, x.saveLevel(lv, nodes))
	}
	s.State = slices.Clone(p.levels[len(p.levels)-1].State)
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
		present := -1
		if d < x.Depth {
			present = lv.Event.Action
		}
		if sharedOf(&lv.Node) == nil {
			x.Frontier.(*sharedFrontier).publish(&lv.Node, present)
		}
	}
	if err := x.Validate(); err != nil {
		return p, err
	}
	p = x.Frontier.(*sharedFrontier).copyWork(x.Depth)
	for _, lv := range x.levels[:x.Depth+1] {
		lv.Node.Frontier = nil
	}
	return p, nil
}

func (x *Search) RestoreCommon(cp *saved.Checkpoint) error {
	return cmp.Or(restorePairs(x, cp.Tree.Pairs), x.RestoreFindings(cp))
}
