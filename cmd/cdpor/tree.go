package main

import (
	"slices"

	"cdpor/explore"
)

// A tree is the exploration tree of a search as far as it is recorded: its first nodes in the order of the search. It is an
// explore.Observer.
type tree struct {
	limit   int
	nodes   []*treeNode // the root, then everything behind its parent
	present int
	pending int // announced and neither entered nor skipped; 0: none
}

// A treeNode is a node with the step that led to it.
type treeNode struct {
	parent, depth int // of the root -1, 0
	action        int
	races         []explore.Race
	inserted      []treeInsertion // told while the node was announced or present
	sequences     []treeSequence
	asleep        explore.Sleepers
	barred        []int
	end           explore.LeafKind
	known         int // if it ends because its state is known: the node from which that is explored
	skipped       explore.Skipped
	open          bool // the search did not finish it, or the recording ended before
}

// A treeInsertion is an explore.Insertion with the nodes it is about.
type treeInsertion struct {
	at      int // node
	by      int // node whose step is the reason
	actions []int32
	why     explore.Reason
}

type treeSequence struct {
	at      int // node where it begins
	actions []int32
}

func newTree(limit int) *tree { return &tree{limit: limit, present: -1} }

// now is the node that what is told belongs to.
func (t *tree) now() *treeNode {
	if t.pending > 0 {
		return t.nodes[t.pending]
	}
	return t.nodes[t.present]
}

// above is the node of a depth on the way to the present one, the announced one included.
func (t *tree) above(depth int) int {
	k := t.present
	if t.pending > 0 {
		k = t.pending
	}
	for t.nodes[k].depth > depth {
		k = t.nodes[k].parent
	}
	return k
}

func (t *tree) Step(action int) bool {
	if len(t.nodes) >= t.limit {
		return false
	}
	t.pending = len(t.nodes)
	t.nodes = append(t.nodes, &treeNode{parent: t.present, depth: t.nodes[t.present].depth + 1, action: action, open: true})
	return true
}

func (t *tree) Race(r explore.Race) {
	n := t.now()
	n.races = append(n.races, r)
}

func (t *tree) Insert(i explore.Insertion) {
	n := t.now()
	n.inserted = append(n.inserted, treeInsertion{t.above(i.Depth), t.above(i.By + 1), slices.Clone(i.Actions), i.Why})
}

func (t *tree) Sequence(depth int, actions []int32) {
	n := t.now()
	n.sequences = append(n.sequences, treeSequence{t.above(depth), slices.Clone(actions)})
}

func (t *tree) Enter(asleep explore.Sleepers, barred []int) {
	if len(t.nodes) == 0 {
		t.nodes = append(t.nodes, &treeNode{parent: -1, open: true})
		t.present = 0
	} else {
		t.present, t.pending = t.pending, 0
	}
	n := t.nodes[t.present]
	n.asleep, n.barred = cloneSleepers(asleep), slices.Clone(barred)
}

func (t *tree) Skip(why explore.Skipped, asleep explore.Sleepers) {
	n := t.now()
	n.skipped, n.asleep, n.open = why, cloneSleepers(asleep), false
	t.pending = 0
}

func (t *tree) Known(node int) { t.nodes[t.present].known = node }

// End keeps the first reason: it is the finer one.
func (t *tree) End(why explore.LeafKind) {
	if n := t.nodes[t.present]; n.end == "" {
		n.end = why
	}
}

func (t *tree) Leave(done bool) {
	n := t.nodes[t.present]
	n.open = !done
	t.present = n.parent
}

func cloneSleepers(s explore.Sleepers) explore.Sleepers {
	return explore.Sleepers{Explored: slices.Clone(s.Explored), SameState: slices.Clone(s.SameState)}
}
