package pointsto

import (
	"context"

	"golang.org/x/tools/go/ssa"
)

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
