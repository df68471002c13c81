package page

import (
	"fmt"
	"slices"

	"cdpor/explore"
	"cdpor/lang/step"
)

// A Tree is the exploration tree of a search as far as it is recorded: its first nodes in the order of the search. It
// is an explore.Observer.
type Tree struct {
	limit   int
	Full    func()  // called when no node is recorded any more
	Nodes   []*Node // the root, then everything behind its parent
	present int
	pending int // announced and neither entered nor skipped; 0: none
}

// A Node is a node of the exploration tree with the step that led to it.
type Node struct {
	Parent int `json:"p"` // of the root -1
	depth  int
	Moment
	Races     []Race           `json:"c,omitempty"`
	Inserted  []Insertion      `json:"i,omitempty"` // told while the node was announced or present
	Sequences []Sequence       `json:"q,omitempty"`
	Explored  []int            `json:"z,omitempty"` // asleep: taken already
	SameState []int            `json:"y,omitempty"` // asleep: because of the state
	Barred    []int            `json:"x,omitempty"`
	End       explore.LeafKind `json:"e,omitempty"`
	Known     int              `json:"b,omitempty"` // of an end at a visited state: the node from which the state is explored
	Skipped   explore.Skipped  `json:"k,omitempty"`
	Open      bool             `json:"u,omitempty"` // the search did not finish it, or the recording ended before
	Outcome   int              `json:"n,omitempty"` // number of the outcome or deadlock
}

// A Race is an explore.Race with the node that it is with.
type Race struct {
	With   int              `json:"with"` // node that the earlier step leads to
	Kind   explore.RaceKind `json:"kind"`
	Action int              `json:"a"` // other than the node's own: a step that is disabled or asleep there
}

// An Insertion is an explore.Insertion with the nodes it is about.
type Insertion struct {
	At      int            `json:"at"` // node
	By      int            `json:"by"` // node whose step is the reason
	Actions []int32        `json:"a"`
	Why     explore.Reason `json:"why"`
}

// A Sequence is a sleep sequence that has been found.
type Sequence struct {
	At      int     `json:"at"` // node where it begins
	Actions []int32 `json:"a"`
}

// NewTree is an empty tree that records at most so many nodes.
func NewTree(limit int) *Tree { return &Tree{limit: limit, Full: func() {}, present: -1} }

// now is the node that what is told belongs to.
func (t *Tree) now() *Node {
	if t.pending > 0 {
		return t.Nodes[t.pending]
	}
	return t.Nodes[t.present]
}

// above is the node of a depth on the way to the present one, the announced one included.
func (t *Tree) above(depth int) int {
	k := t.present
	if t.pending > 0 {
		k = t.pending
	}
	for t.Nodes[k].depth > depth {
		k = t.Nodes[k].Parent
	}
	return k
}

// Step adds a node for a step that is announced; false if there are as many as may be.
func (t *Tree) Step(action int) bool {
	if len(t.Nodes) >= t.limit {
		t.Full()
		return false
	}
	t.pending = len(t.Nodes)
	t.Nodes = append(t.Nodes, &Node{Parent: t.present, depth: t.Nodes[t.present].depth + 1,
		Moment: Moment{Action: action}, Open: true})
	return true
}

// Race adds a race to the node that is announced or present.
func (t *Tree) Race(r explore.Race) {
	n, with := t.now(), Race{With: t.above(r.With + 1), Kind: r.Kind, Action: r.Action}
	if !slices.Contains(n.Races, with) {
		n.Races = append(n.Races, with)
	}
}

// Insert adds a sequence that was put into the tree.
func (t *Tree) Insert(i explore.Insertion) {
	n := t.now()
	n.Inserted = append(n.Inserted, Insertion{t.above(i.Depth), t.above(i.By + 1), slices.Clone(i.Actions), i.Why})
}

// Sequence adds a sleep sequence.
func (t *Tree) Sequence(depth int, actions []int32) {
	n := t.now()
	n.Sequences = append(n.Sequences, Sequence{t.above(depth), slices.Clone(actions)})
}

// Enter makes the node announced last the present one; the first node is the root.
func (t *Tree) Enter(asleep explore.Sleepers, barred []int) {
	if len(t.Nodes) == 0 {
		t.Nodes = append(t.Nodes, &Node{Parent: -1, Open: true})
		t.present = 0
	} else {
		t.present, t.pending = t.pending, 0
	}
	n := t.Nodes[t.present]
	n.sleep(asleep)
	n.Barred = slices.Clone(barred)
}

// Skip keeps why the step announced last is not taken.
func (t *Tree) Skip(why explore.Skipped, asleep explore.Sleepers) {
	n := t.now()
	n.sleep(asleep)
	n.Skipped, n.Open = why, false
	t.pending = 0
}

// Known keeps the node that has the same state as the present one.
func (t *Tree) Known(node int) { t.Nodes[t.present].Known = node }

// End keeps the first reason: it is the finer one.
func (t *Tree) End(why explore.LeafKind) {
	if n := t.Nodes[t.present]; n.End == "" {
		n.End = why
	}
}

// Leave goes back to the parent of the present node.
func (t *Tree) Leave(done bool) {
	n := t.Nodes[t.present]
	n.Open = !done
	t.present = n.Parent
}

func (n *Node) sleep(s explore.Sleepers) {
	n.Explored, n.SameState = slices.Clone(s.Explored), slices.Clone(s.SameState)
}

// Extent says how much of the exploration tree was recorded, empty if all.
func (t *Tree) Extent(res *explore.Result) string {
	if int64(t.shown()) >= res.Nodes {
		return ""
	}
	return fmt.Sprintf("the first %d of %d nodes of the exploration tree, in the order of the search", t.shown(),
		res.Nodes)
}

// Beginning is Extent of a search that has ended early, whose size is not known.
func (t *Tree) Beginning() string {
	return fmt.Sprintf("the first %d nodes of the exploration tree, in the order of the search", t.shown())
}

// shown is the number of nodes that the tree shows.
func (t *Tree) shown() (n int) {
	for _, node := range t.Nodes {
		if node.Skipped == "" {
			n++
		}
	}
	return n
}

// An outcomeIndex finds the number that the end of an execution has among the outcomes or deadlocks of a result.
type outcomeIndex struct {
	valuation *explore.Valuation
	outcomes  map[string]int
	deadlocks map[string]int
}

// newOutcomeIndex indexes the outcomes and deadlocks of a result.
func newOutcomeIndex(m *step.Machine, r *explore.Result) (*outcomeIndex, error) {
	v, err := explore.NewValuation(m)
	if err != nil {
		return nil, err
	}
	e := &outcomeIndex{valuation: v, outcomes: map[string]int{}, deadlocks: map[string]int{}}
	for i, o := range r.Outcomes.All() {
		e.outcomes[string(step.State(o.Words).Bytes())] = i + 1
	}
	for i, o := range r.Deadlocks.All() {
		e.deadlocks[string(step.State(o.Words).Bytes())] = i + 1
	}
	return e, nil
}

// number is 0 for what is neither an outcome nor a deadlock.
func (e *outcomeIndex) number(end explore.LeafKind, s step.State) int {
	switch end {
	case explore.EndsDeadlock:
		return e.deadlocks[string(e.valuation.Unrecorded(s).Bytes())]
	case explore.EndsNormally:
		return e.outcomes[string(step.State(e.valuation.Words(nil, s)).Bytes())]
	}
	return 0
}
