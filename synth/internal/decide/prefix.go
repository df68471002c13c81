package decide

import (
	"slices"

	"cdpor/synth/internal/term"
)

// Questions of one exploration differ in their last literals. What the first ones say about differences is kept, as a
// graph after each literal, so that a question costs what its new literals cost.

// A prefix is what the first literals of the last question say.
type prefix struct {
	t       *term.Table
	facts   int // of the table; they come first
	lits    []term.Literal
	after   []snapshot // the facts, and each literal
	nodes   numbering
	order   []term.SymID // the symbols by node, from 1 on
	pending []pending
}

// A snapshot is what is known after some literals.
type snapshot struct {
	g       graph
	nodes   int // nodes and elements of arrays that had numbers then
	apps    int
	pending int
	outside bool
}

// follow brings the prefix to the literals of a question: unsat if they are contradictory, unknown if numbers are too
// large, else sat.
func (p *prefix) follow(t *term.Table, lits []term.Literal) Answer {
	if p.t != t || p.facts != len(t.Facts) || len(p.after) == 0 {
		p.t, p.facts, p.lits, p.after, p.order = t, len(t.Facts), p.lits[:0], p.after[:0], p.order[:0]
		p.pending = p.pending[:0]
		p.nodes.reset(t)
		if got := p.extend(snapshot{g: newGraph(1), nodes: 1}, t.Facts); got != Sat {
			return got
		}
	}
	same := 0
	for same < len(lits) && same < len(p.lits) && lits[same] == p.lits[same] {
		same++
	}
	p.cut(same)
	for _, l := range lits[same:] {
		if got := p.extend(p.after[len(p.after)-1], []term.Literal{l}); got != Sat {
			return got
		}
		p.lits = append(p.lits, l)
	}
	return Sat
}

// cut goes back to where only some literals had been added.
func (p *prefix) cut(lits int) {
	p.lits, p.after = p.lits[:lits], p.after[:lits+1]
	p.back(&p.after[lits])
}

func (p *prefix) back(s *snapshot) {
	for _, id := range p.order[s.nodes-1:] {
		p.nodes.node[id] = 0
	}
	p.order, p.nodes.n, p.nodes.apps = p.order[:s.nodes-1], s.nodes, p.nodes.apps[:s.apps]
	p.pending = p.pending[:s.pending]
}

// extend adds literals, and what is known of symbols that they are the first to mention.
func (p *prefix) extend(before snapshot, lits []term.Literal) Answer {
	t, m := p.t, &p.nodes
	if more := len(t.Syms) - len(m.node); more > 0 {
		m.node = append(m.node, make([]int32, more+16)...)
	}
	s := before
	for _, l := range lits {
		terms := t.Dirs[l.Dir].Terms
		s.outside = p.visit(terms) || s.outside || large(l.K) || !difference(terms)
	}
	s.g = before.g.grown(m.n, p.free())
	got := Sat
	for i, id := range p.order[before.nodes-1:] {
		if got = s.g.within(before.nodes+i, t.Syms[id].Lo, t.Syms[id].Hi); got != Sat {
			break
		}
	}
	for _, l := range lits {
		if terms, ok := t.Dirs[l.Dir].Terms, true; got == Sat && !large(l.K) && difference(terms) {
			if p.pending, ok = m.add(&s.g, p.pending, terms, l); !ok {
				got = Unsat
			}
		}
	}
	if got != Sat {
		p.back(&before)
		return got
	}
	s.nodes, s.apps, s.pending = m.n, len(m.apps), len(p.pending)
	p.after = append(p.after, s)
	return Sat
}

// visit numbers the symbols of some terms, and notes the new ones.
func (p *prefix) visit(terms []term.Term) (outside bool) {
	m := &p.nodes
	first := m.n
	outside = m.visitAll(p.t, terms)
	for n := first; n < m.n; n++ {
		p.order = append(p.order, m.by[n])
	}
	return outside
}

// free is the memory of the graph that the next snapshot takes the place of, if there was one.
func (p *prefix) free() []int64 {
	if n := len(p.after); n < cap(p.after) {
		return p.after[:n+1][n].g.d
	}
	return nil
}

// grown is a copy with more nodes, in some memory if that is enough.
func (g *graph) grown(n int, memory []int64) graph {
	h := graph{n: n, d: slices.Grow(memory[:0], n*n)[:n*n]}
	for i := range n {
		row := h.d[i*n : (i+1)*n]
		old := 0
		if i < g.n {
			old = copy(row, g.d[i*g.n:(i+1)*g.n])
		}
		for j := old; j < n; j++ {
			row[j] = far
		}
		row[i] = 0
	}
	return h
}

// within bounds a node: unsat if that is contradictory, unknown if the numbers are too large.
func (g *graph) within(i int, lo, hi int64) Answer {
	if hi < far/4 {
		if hi < -far/4 || !g.bound(i, 0, hi) {
			return unknownUnless(hi < -far/4)
		}
	}
	if lo > -far/4 {
		if lo > far/4 || !g.bound(0, i, -lo) {
			return unknownUnless(lo > far/4)
		}
	}
	return Sat
}
