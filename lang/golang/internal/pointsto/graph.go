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
	suspects []int32 // nodes that may be in cycles of copies
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
func (g *graph) newNodes(n int) int32 {
	first := int32(len(g.nodes))
	row := make([]node, n)
	for i := range row {
		row[i].parent = first + int32(i)
		g.nodes = append(g.nodes, &row[i])
	}
	return first
}

// find is the node that a node was merged into.
func (g *graph) find(n int32) int32 {
	for g.nodes[n].parent != n {
		g.nodes[n].parent = g.nodes[g.nodes[n].parent].parent
		n = g.nodes[n].parent
	}
	return n
}

// include adds a place to the set of a node, and reports whether it is new.
func (g *graph) include(n int32, place int32) bool {
	n = g.find(n)
	if !g.nodes[n].places.add(place) {
		return false
	}
	g.queue(n)
	return true
}

func (g *graph) queue(n int32) {
	if !g.nodes[n].queued {
		g.nodes[n].queued = true
		g.worklist = append(g.worklist, n)
	}
}

// copy makes the set of dst include that of src, now and later.
func (g *graph) copy(dst, src int32) {
	dst, src = g.find(dst), g.find(src)
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
	n = s.find(n)
	node := s.nodes[n]
	node.waits = append(node.waits, c)
	for _, p := range node.places.list[:node.seen] {
		c(s, s.parts[p])
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
			c(s, s.parts[p])
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

// collapse merges the nodes of each cycle of copies that can be reached from the suspects: their sets are equal. A node
// is suspected when it was handed nothing new and its set equals that of the giver: lazy cycle detection (Hardekopf and
// Lin, The Ant and the Grasshopper, PLDI 2007, section 4.2). Suspects are collected first, so that all searches
// together take no longer than the useless copies that they follow. Cycles are strongly connected components (Tarjan,
// SIAM J. Comput. 1, 1972).
func (g *graph) collapse() {
	t := &components{g: g, number: make([]int32, len(g.nodes)), low: make([]int32, len(g.nodes)),
		open: make([]bool, len(g.nodes))}
	for _, n := range g.suspects {
		if n = g.find(n); t.number[n] == 0 {
			t.visit(n)
		}
	}
	g.suspects = g.suspects[:0]
	for _, cycle := range t.found {
		for _, n := range cycle[1:] {
			g.merge(cycle[0], n)
		}
		g.queue(cycle[0])
	}
}

// merge makes node a stand for node b too. Its constraints see all places again.
func (g *graph) merge(a, b int32) {
	g.nodes[b].parent = a
	to, from := g.nodes[a], g.nodes[b]
	for _, p := range from.places.list {
		to.places.add(p)
	}
	for _, m := range from.copies.list {
		to.copies.add(m)
	}
	to.waits = append(to.waits, from.waits...)
	to.seen = 0
	from.places, from.copies, from.waits = set{}, set{}, nil
}

// components finds strongly connected components of two nodes and more.
type components struct {
	g           *graph
	count       int32
	number, low []int32 // by node; number 0: not visited
	stack       []int32
	open        []bool
	found       [][]int32
}

func (t *components) visit(n int32) {
	t.count++
	t.number[n], t.low[n] = t.count, t.count
	t.stack = append(t.stack, n)
	t.open[n] = true
	for _, m := range t.g.nodes[n].copies.list {
		m = t.g.find(m)
		if t.number[m] == 0 {
			t.visit(m)
			t.low[n] = min(t.low[n], t.low[m])
		} else if t.open[m] {
			t.low[n] = min(t.low[n], t.number[m])
		}
	}
	if t.low[n] != t.number[n] {
		return
	}
	for i := len(t.stack) - 1; ; i-- {
		t.open[t.stack[i]] = false
		if t.stack[i] == n {
			if cycle := t.stack[i:]; len(cycle) > 1 {
				t.found = append(t.found, append([]int32(nil), cycle...))
			}
			t.stack = t.stack[:i]
			return
		}
	}
}
