package scaling

import (
	"context"
	"errors"
	"slices"

	"cdpor/explore"
	"cdpor/lang/step"
)

// A Tree is what a search by one worker has explored. Nodes are numbered in the order in which they were entered, so
// that the children of node v are v+1, the node after the nodes of that one, and so on.
type Tree struct {
	size   []int32   // nodes of the subtree
	action []uint8   // that leads to the node
	kind   []uint8   // see below
	links  []link    // of the nodes of visited kind, in the order of numbers
	later  []request // by the node that made it
	nodes  int       // that were entered
	leaves int       // nodes without children that were entered
	deep   int       // the most nodes above a node
}

// What is to be known of a node.
const (
	entered  = 1 << iota // it was entered, not only announced
	atOnce               // it was to be tried from the moment on at which its parent was entered
	requests             // something is to be tried from nodes above it because of it: see Tree.later
	visited              // its state has been explored, or is being, from another node
	known                // that other node
)

// A request says that a node is to be tried because of another one that was met before.
type request struct {
	by, child int32
	depth     int32 // of the parent of child
}

// A link says where the state of a node is explored.
type link struct {
	node, to int32
	depth    int32 // of the other one
}

// mostChildren is how many children a node may have.
const mostChildren = 64

// Nodes is how many nodes the search has entered.
func (t *Tree) Nodes() int { return t.nodes }

// Leaves is how many of those end an execution.
func (t *Tree) Leaves() int { return t.leaves }

// Depth is how many nodes the longest path has below the root.
func (t *Tree) Depth() int { return t.deep }

// Later is how many children were asked for by what was found below an earlier sibling of theirs.
func (t *Tree) Later() int { return len(t.later) }

// Visits is how many nodes were left because their state was known.
func (t *Tree) Visits() int { return len(t.links) }

// last is the number after those of the nodes below a node.
func (t *Tree) last(v int32) int32 { return v + t.size[v] }

// number counts the children of a node.
func (t *Tree) number(v int32) (n int) {
	for c := v + 1; c < t.last(v); c = t.last(c) {
		n++
	}
	return n
}

// child is the child of a node with a rank, in the order in which one worker took them.
func (t *Tree) child(v int32, rank int) int32 {
	c := v + 1
	for ; rank > 0; rank-- {
		c = t.last(c)
	}
	return c
}

// find is the rank of the child that an action leads to, -1 if there is none.
func (t *Tree) find(v int32, action uint8) int {
	rank := 0
	for c := v + 1; c < t.last(v); c = t.last(c) {
		if t.action[c] == action {
			return rank
		}
		rank++
	}
	return -1
}

// rank is that of a child of a node.
func (t *Tree) rank(parent, child int32) (rank int) {
	for c := parent + 1; c != child; c = t.last(c) {
		rank++
	}
	return rank
}

// first are the ranks of the children of a node that are to be tried when it is entered.
func (t *Tree) first(v int32) (set uint64) {
	rank := 0
	for c := v + 1; c < t.last(v); c = t.last(c) {
		if t.kind[c]&atOnce != 0 {
			set |= 1 << rank
		}
		rank++
	}
	return set
}

// requestsOf are the requests that a node made.
func (t *Tree) requestsOf(v int32) []request {
	i, _ := slices.BinarySearchFunc(t.later, v, func(r request, v int32) int { return int(r.by) - int(v) })
	k := i
	for k < len(t.later) && t.later[k].by == v {
		k++
	}
	return t.later[i:k]
}

// Record explores a machine with an algorithm, and keeps the tree. most is how many nodes it may have; the error says
// so if it has more, or why the search cannot be recorded.
func Record(ctx context.Context, m *step.Machine, a *explore.Algorithm, opt explore.Options, most int) (*Tree, error) {
	if _, err := explore.NewParcelWork(ctx, m, a, opt); err != nil {
		return nil, err
	}
	r := &recorder{t: &Tree{}, most: most, present: -1, machine: m}
	opt.Observer = r
	res, err := explore.Run(ctx, m, a, opt)
	switch {
	case err != nil:
		return nil, err
	case r.err != nil:
		return nil, r.err
	case res.Stopped != explore.StoppedComplete:
		return nil, errors.New("the search has not come to its end: " + res.Stopped)
	}
	return r.finish(), nil
}

// A recorder is told how a tree grows.
type recorder struct {
	t       *Tree
	most    int
	err     error
	machine *step.Machine
	present int32       // the node that was announced last
	stack   []recording // of the nodes entered and not left
}

// A recording is what is known of a node that has not been left.
type recording struct {
	node    int32
	asked   map[uint8]int32 // actions to be tried from it, not taken yet, and the nodes that asked
	waiting int             // children so far
}

// add makes a node.
func (r *recorder) add(action uint8) {
	t := r.t
	if r.present++; len(t.size) >= r.most {
		r.err = errors.New("the tree has too many nodes")
		return
	}
	t.size, t.action, t.kind = append(t.size, 1), append(t.action, action), append(t.kind, 0)
}

// Step announces a child.
func (r *recorder) Step(action int) (more bool) {
	above := &r.stack[len(r.stack)-1]
	if r.add(uint8(action)); r.err != nil {
		return false
	}
	if above.waiting++; above.waiting > mostChildren {
		r.err = errors.New("a node has too many children")
		return false
	}
	by, asked := above.asked[uint8(action)]
	switch delete(above.asked, uint8(action)); {
	case !asked || by <= above.node:
		r.t.kind[r.present] |= atOnce
	default:
		r.t.kind[by] |= requests
		r.t.later = append(r.t.later, request{by, r.present, int32(len(r.stack) - 1)})
	}
	return true
}

// Insert tells that something is to be tried.
func (r *recorder) Insert(in explore.Insertion) {
	for _, a := range in.Actions {
		at := &r.stack[in.Depth]
		if at.asked == nil {
			at.asked = map[uint8]int32{}
		}
		if _, again := at.asked[uint8(a)]; !again {
			at.asked[uint8(a)] = r.present
		}
	}
}

// Enter tells that the node announced is the present one.
func (r *recorder) Enter(explore.Sleepers, []int) {
	if r.present < 0 {
		r.add(0)
	}
	r.t.kind[r.present] |= entered
	r.t.nodes++
	r.t.deep = max(r.t.deep, len(r.stack))
	r.stack = append(r.stack, recording{node: r.present})
}

// Leave tells that the present node is done.
func (r *recorder) Leave(bool) {
	v := r.stack[len(r.stack)-1]
	if r.stack = r.stack[:len(r.stack)-1]; v.waiting == 0 {
		r.t.leaves++
	}
	r.t.size[v.node] = r.present + 1 - v.node
}

// Known tells of a node that has the state of the present one. Both count nodes by their steps.
func (r *recorder) Known(node int) {
	r.t.links = append(r.t.links, link{node: r.present, to: int32(node)})
}

// Race, Sequence, Skip and End tell nothing that the tree has.
func (r *recorder) Race(explore.Race)                      {}
func (r *recorder) Sequence(int, []int32)                  {}
func (r *recorder) Skip(explore.Skipped, explore.Sleepers) {}
func (r *recorder) End(explore.LeafKind)                   {}

// finish sorts what was recorded.
func (r *recorder) finish() *Tree {
	t := r.t
	slices.SortStableFunc(t.later, func(a, b request) int { return int(a.by) - int(b.by) })
	depths := map[int32]int32{}
	for _, l := range t.links {
		t.kind[l.node] |= visited
		t.kind[l.to] |= known
		depths[l.to] = 0
	}
	var ends []int32 // of the nodes on the path to v
	for v := int32(0); len(depths) > 0 && int(v) < len(t.size); v++ {
		for len(ends) > 0 && ends[len(ends)-1] <= v {
			ends = ends[:len(ends)-1]
		}
		if t.kind[v]&known != 0 {
			depths[v] = int32(len(ends))
		}
		ends = append(ends, t.last(v))
	}
	for i := range t.links {
		t.links[i].depth = depths[t.links[i].to]
	}
	return t
}

// linkOf says where the state of a node of visited kind is explored.
func (t *Tree) linkOf(v int32) link {
	i, _ := slices.BinarySearchFunc(t.links, v, func(l link, v int32) int { return int(l.node) - int(v) })
	return t.links[i]
}
