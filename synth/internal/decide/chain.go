package decide

import "cdpor/synth/internal/term"

// A Chain decides conjunctions that a search over the regions of some directions makes longer and shorter at the end.
// It decides what the oracle decides without the solver, but keeps the closed graph of each prefix, so that one more
// region costs one step instead of beginning anew.
type Chain struct {
	o        *Oracle
	t        *term.Table
	nodes    numbering
	outside  bool        // as in oracle.differences, whatever the literals are
	opaque   []bool      // per axis: the direction is not one of two nodes
	activate [][]pending // per axis: what must hold once its direction is mentioned
	levels   []link      // one more than literals have been added
	depth    int
	// The literals of all regions and how many those of the first ones have; if the fast path is validated.
	said  []term.Literal
	links []int
}

// A link is what a chain knows after some regions.
type link struct {
	g       graph
	pending []pending
	outside bool
	empty   bool // the graph has no solution
}

// NewChain begins with the facts of a table.
func NewChain(o *Oracle, t *term.Table, dirs []int) *Chain {
	c := &Chain{o: o, t: t, activate: make([][]pending, len(dirs)+1), opaque: make([]bool, len(dirs)),
		levels: make([]link, len(dirs)+1), links: []int{0}}
	c.nodes.reset(t)
	since := map[term.SymID]int{} // elements: the axis that mentions them first, counted from 1; 0 are the facts
	note := func(axis int) {
		for _, id := range c.nodes.apps[len(since):] {
			since[id] = axis
		}
	}
	for _, l := range t.Facts {
		c.outside = c.nodes.visitAll(t, t.Dirs[l.Dir].Terms) || c.outside || large(l.K) ||
			!difference(t.Dirs[l.Dir].Terms)
	}
	note(0)
	for i, dir := range dirs {
		terms := t.Dirs[dir].Terms
		c.opaque[i] = c.nodes.visitAll(t, terms) || !difference(terms)
		note(i + 1)
	}
	add := func(u, v term.SymID, p pending) {
		at := max(since[u], since[v])
		c.activate[at] = append(c.activate[at], p)
	}
	if c.nodes.congruence(t, add) || c.nodes.clauses(t, add) {
		c.outside = true
	}
	first := &c.levels[0]
	first.g = newGraph(c.nodes.n)
	first.outside = c.outside
	switch c.nodes.bounds(t, &first.g) {
	case Unsat:
		first.empty = true
	case Unknown:
		c.outside, first.outside = true, true
	}
	for _, l := range t.Facts {
		first.add(c, l)
	}
	first.pending = append(first.pending, c.activate[0]...)
	return c
}

// Push adds a region of the next axis and says whether there is a state with all regions that have been added. Where
// the answer is unknown, it takes more than differences.
func (c *Chain) Push(lits []term.Literal) Answer {
	c.o.alive()
	if c.o.SolverAlone {
		c.depth++
		return Unknown
	}
	got := c.extend(lits)
	if c.o.Validate {
		c.said = append(c.said[:c.links[c.depth-1]], lits...)
		c.links = append(c.links[:c.depth], len(c.said))
		c.o.compare(c.t, c.said, got)
	}
	return got
}

// extend adds a region to the graph.
func (c *Chain) extend(lits []term.Literal) Answer {
	c.o.Spend(c.nodes.n * c.nodes.n / 100)
	from, to := &c.levels[c.depth], &c.levels[c.depth+1]
	to.g.n = from.g.n
	to.g.d = append(to.g.d[:0], from.g.d...)
	to.pending = append(to.pending[:0], from.pending...)
	to.outside, to.empty = from.outside || c.opaque[c.depth], from.empty
	for _, l := range lits {
		to.add(c, l)
	}
	c.depth++
	if to.empty {
		return Unsat
	}
	to.pending = append(to.pending, c.activate[c.depth]...)
	open := to.pending[:0]
	for _, p := range to.pending { // what holds from here on need not be looked at again
		if !to.g.settled(p) {
			open = append(open, p)
		}
	}
	to.pending = open
	c.o.budget = settleBudget
	got := c.o.settle(&to.g, to.pending)
	to.empty = got == Unsat
	if got == Sat && to.outside {
		return Unknown
	}
	return got
}

// Pop takes back the region that was added last.
func (c *Chain) Pop() { c.depth-- }

// add narrows the graph by a literal.
func (k *link) add(c *Chain, l term.Literal) {
	terms := c.t.Dirs[l.Dir].Terms
	if large(l.K) || !difference(terms) {
		k.outside = true
		return
	}
	if k.empty {
		return
	}
	ok := false
	if k.pending, ok = c.nodes.add(&k.g, k.pending, terms, l); !ok {
		k.empty = true
	}
}
