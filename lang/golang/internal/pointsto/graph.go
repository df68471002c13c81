package pointsto

import (
	"context"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// graph has the variables of the constraints, the nodes, and the copies between them.
type graph struct {
	nodes    []*node
	worklist []int32 // nodes whose sets have grown
}

// node is a word of a register or object that may point: a variable of the constraints.
type node struct {
	queued bool
	places set
	seen   int // how many of places have been handed on
	copies set // nodes whose sets include this one
	waits  []constraint
}

// newNodes makes a row of nodes and returns the first.
func (g *graph) newNodes(n int) int32 {
	first := int32(len(g.nodes))
	row := make([]node, n)
	for i := range row {
		g.nodes = append(g.nodes, &row[i])
	}
	return first
}

// include adds a place to the set of a node.
func (g *graph) include(n int32, place int32) {
	if g.nodes[n].places.add(place) && !g.nodes[n].queued {
		g.nodes[n].queued = true
		g.worklist = append(g.worklist, n)
	}
}

// copy makes the set of dst include that of src, now and later.
func (g *graph) copy(dst, src int32) {
	if dst == src || !g.nodes[src].copies.add(dst) {
		return
	}
	from := g.nodes[src]
	for _, p := range from.places.list[:from.seen] { // the others are still to be handed on
		g.include(dst, p)
	}
}

// copyRow copies n words; a row without words, or of a constant, is none.
func (g *graph) copyRow(dst, src int32, n int) {
	if dst == none || src == none {
		return
	}
	for i := range int32(n) {
		g.copy(dst+i, src+i)
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
		if slices.Contains(s.list, x) {
			return false
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

// solver holds the constraints while they grow and are solved, and afterwards the sets.
type solver struct {
	prog   *ssa.Program
	opt    Options
	result *Result

	heap
	begun []*Instance // instances whose instructions have not been looked at
	size  int         // instructions of all instances

	functions map[*ssa.Function]*function
	globals   map[ssa.Value]*Object // of *ssa.Global and *ssa.Function
	addresses map[ssa.Value]int32   // nodes that hold their addresses
	inits     map[*ssa.Package]*Instance
	added     []*ssa.Package      // packages in inits that are not in Options.Entries
	panics    map[*Instance]int32 // of a process: node of what it panics with

	listed map[Unsupported]bool
}

// wait applies a constraint to each place in the set of a node, now and later.
func (s *solver) wait(n int32, c constraint) {
	if n == none {
		return
	}
	node := s.nodes[n]
	node.waits = append(node.waits, c)
	for _, p := range node.places.list[:node.seen] {
		c(s, s.parts[p])
	}
}

// solve takes differences from the worklist until nothing changes.
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
		s.propagate(n)
	}
}

// propagate hands on what is new in the set of a node.
func (s *solver) propagate(n int32) {
	node := s.nodes[n]
	fresh := node.places.list[node.seen:]
	node.seen = len(node.places.list)
	for _, p := range fresh {
		for _, c := range node.waits {
			c(s, s.parts[p])
		}
	}
	for _, m := range node.copies.list {
		for _, p := range fresh {
			s.include(m, p)
		}
	}
}
