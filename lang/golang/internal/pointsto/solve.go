package pointsto

import (
	"context"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// solver holds the constraints while they grow and are solved, and afterwards the sets.
type solver struct {
	prog   *ssa.Program
	opt    Options
	result *Result

	nodes    []*node
	parts    []*part
	worklist []int32
	begun    []*Instance // instances whose instructions have not been looked at
	size     int         // instructions of all instances

	functions map[*ssa.Function]*function
	globals   map[ssa.Value]*Object // of *ssa.Global and *ssa.Function
	addresses map[ssa.Value]int32   // nodes that hold their addresses
	inits     map[*ssa.Package]*Instance
	added     []*ssa.Package      // packages in inits that are not in Options.Entries
	panics    map[*Instance]int32 // of a process: node of what it panics with

	widths     map[types.Type]int
	implements map[[2]types.Type]bool
	listed     map[Unsupported]bool
	suspects   []int32 // nodes that may be in cycles of copies
}

// node is a word of a register or object that may point: a variable of the constraints.
type node struct {
	parent int32 // another node that it was merged with, or itself
	queued bool
	places set
	seen   int // how many of places have been handed on
	copies set // nodes whose sets include this one
	waits  []constraint
}

// newNodes makes a row of nodes and returns the first.
func (s *solver) newNodes(n int) int32 {
	first := int32(len(s.nodes))
	row := make([]node, n)
	for i := range row {
		row[i].parent = first + int32(i)
		s.nodes = append(s.nodes, &row[i])
	}
	return first
}

// find is the node that a node was merged into.
func (s *solver) find(n int32) int32 {
	for s.nodes[n].parent != n {
		s.nodes[n].parent = s.nodes[s.nodes[n].parent].parent
		n = s.nodes[n].parent
	}
	return n
}

// include adds a place to the set of a node, and says whether it is new.
func (s *solver) include(n int32, place int32) bool {
	n = s.find(n)
	if !s.nodes[n].places.add(place) {
		return false
	}
	s.queue(n)
	return true
}

func (s *solver) queue(n int32) {
	if !s.nodes[n].queued {
		s.nodes[n].queued = true
		s.worklist = append(s.worklist, n)
	}
}

// copy makes the set of dst include that of src, now and later.
func (s *solver) copy(dst, src int32) {
	dst, src = s.find(dst), s.find(src)
	if dst == src || !s.nodes[src].copies.add(dst) {
		return
	}
	from := s.nodes[src]
	for _, p := range from.places.list[:from.seen] { // the others are still to be handed on
		s.include(dst, p)
	}
}

// copyRow copies n words; a row without words, or of a constant, is none.
func (s *solver) copyRow(dst, src int32, n int) {
	if dst == none || src == none {
		return
	}
	for i := range int32(n) {
		s.copy(dst+i, src+i)
	}
}

// wait applies a constraint to each place in the set of a node, now and later.
func (s *solver) wait(n int32, c constraint) {
	if n == none {
		return
	}
	n = s.find(n)
	node := s.nodes[n]
	node.waits = append(node.waits, c)
	for _, p := range node.places.list[:node.seen] {
		c.apply(s, s.parts[p])
	}
}

// solve takes differences from the worklist until nothing changes. Constraints are idempotent: after nodes are merged,
// they may see a place twice.
func (s *solver) solve(ctx context.Context) error {
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for len(s.begun) > 0 {
			in := s.begun[0]
			s.begun = s.begun[1:]
			if s.size > s.opt.Nodes {
				return s.tooLarge()
			}
			s.generate(in)
		}
		if len(s.worklist) == 0 {
			return nil
		}
		n := s.worklist[0]
		s.worklist = s.worklist[1:]
		s.nodes[n].queued = false
		if s.find(n) == n {
			s.propagate(n)
		}
		if len(s.suspects) > 64+len(s.nodes)/16 {
			s.collapse()
		}
	}
}

// propagate hands on what is new in the set of a node.
func (s *solver) propagate(n int32) {
	node := s.nodes[n]
	fresh := node.places.list[node.seen:]
	node.seen = len(node.places.list)
	for _, p := range fresh {
		for _, c := range node.waits {
			c.apply(s, s.parts[p])
		}
	}
	for _, m := range node.copies.list {
		m = s.find(m)
		if m == n {
			continue
		}
		news := false
		for _, p := range fresh {
			news = s.include(m, p) || news
		}
		if !news && len(s.nodes[m].places.list) == len(node.places.list) {
			s.suspects = append(s.suspects, m)
		}
	}
}

// set holds numbers in the order in which they were added.
type set struct {
	list  []int32
	index map[int32]struct{} // nil while the list is short
}

const shortSet = 16

func (s *set) add(x int32) bool {
	if s.index == nil {
		for _, y := range s.list {
			if x == y {
				return false
			}
		}
		if len(s.list) >= shortSet {
			s.index = make(map[int32]struct{}, 2*shortSet)
			for _, y := range s.list {
				s.index[y] = struct{}{}
			}
		}
	} else if _, ok := s.index[x]; ok {
		return false
	}
	if s.index != nil {
		s.index[x] = struct{}{}
	}
	s.list = append(s.list, x)
	return true
}
