package decide

import (
	"math"

	"cdpor/synth/internal/term"
)

// graph is a difference-bound matrix: d[i*n+j] bounds node i minus node j from above. Node 0 is zero.
type graph struct {
	n int
	d []int64
}

// An edge is a statement about node i minus node j.
type edge struct {
	i, j int
	k    int64
}

// A pending statement holds if one of the differences is not its k, or if the equation holds (equal, i < 0: none).
type pending struct {
	differ []edge
	equal  edge
}

// differences decides a question as far as it is about differences; unknown if it is about more.
func (o *Oracle) differences(t *term.Table, lits []term.Literal) Answer {
	m := &o.prefix.nodes
	got := o.prefix.follow(t, lits)
	o.Spend((len(lits)*m.n*m.n + len(m.apps)*len(m.apps)*40) / 500)
	if got != Sat {
		return got
	}
	known := &o.prefix.after[len(lits)]
	outside := known.outside
	o.pending = append(o.pending[:0], o.prefix.pending...)
	add := func(_, _ term.SymID, p pending) { o.pending = append(o.pending, p) }
	unclear := m.congruence(t, add)
	unclear = m.clauses(t, add) || unclear
	o.budget, o.beyond = settleBudget, outside && !unclear
	got = o.settle(&known.g, o.pending)
	o.beyond = false
	switch {
	case got == Sat && unclear:
		return Unknown
	case got == Sat && outside:
		return o.guess(t, lits, &known.g)
	case got == Sat:
		o.models.about(t).add(m.by[1:m.n], o.solution[1:])
	}
	return got
}

// A numbering gives the symbols of a question the nodes of a graph. Node 0 is zero.
type numbering struct {
	node []int32      // by symbol; 0: none
	by   []term.SymID // by node
	n    int
	apps []term.SymID // the elements of arrays and lists among them
}

func (m *numbering) reset(t *term.Table) {
	if len(m.node) < len(t.Syms) {
		m.node = make([]int32, len(t.Syms)+16)
	}
	clear(m.node)
	m.n, m.by, m.apps = 1, append(m.by[:0], 0), m.apps[:0]
}

// visitAll numbers the symbols of some terms and of their indices; outside tells that there are products, quotients or
// remainders among them.
func (m *numbering) visitAll(t *term.Table, terms []term.Term) (outside bool) {
	for _, x := range terms {
		outside = m.visit(t, x.S) || outside
	}
	return outside
}

func (m *numbering) visit(t *term.Table, id term.SymID) (outside bool) {
	s := &t.Syms[id]
	nonlinear := s.Kind.Nonlinear()
	if m.node[id] == 0 {
		m.node[id] = int32(m.n)
		m.by = append(m.by[:m.n], id)
		m.n++
		if !nonlinear && len(s.Idx) > 0 {
			m.apps = append(m.apps, id)
		}
	} else if !nonlinear && len(s.Idx) == 0 {
		return false
	}
	if nonlinear {
		return true
	}
	for _, f := range s.Idx {
		outside = m.visitAll(t, f.Terms) || outside
	}
	return outside
}

// bounds adds what is known of each symbol alone: unsat if that is contradictory, unknown if the numbers are too large.
func (m *numbering) bounds(t *term.Table, g *graph) Answer {
	for s, i := range m.node[:len(t.Syms)] {
		if i > 0 {
			if got := g.within(int(i), t.Syms[s].Lo, t.Syms[s].Hi); got != Sat {
				return got
			}
		}
	}
	return Sat
}

// add adds a literal about one or two nodes to a graph, or to what is pending; it reports false if that is
// contradictory.
func (m *numbering) add(g *graph, list []pending, terms []term.Term, l term.Literal) ([]pending, bool) {
	i, j := m.pair(terms)
	if l.Rel == term.EqRel && l.Neg {
		return append(list, pending{differ: []edge{{i, j, l.K}}, equal: edge{i: -1}}), true
	}
	if (l.Rel == term.EqRel || !l.Neg) && !g.bound(i, j, l.K) {
		return list, false
	}
	if l.Rel == term.EqRel || l.Neg {
		k := -l.K
		if l.Rel == term.LeRel {
			k--
		}
		return list, g.bound(j, i, k)
	}
	return list, true
}

// congruence lists that elements at equal indices are equal, for each two elements of the same array; outside tells
// that it cannot be said for some.
func (m *numbering) congruence(t *term.Table, add func(u, v term.SymID, p pending)) (outside bool) {
	for at, u := range m.apps {
		for _, v := range m.apps[:at] {
			a, b := &t.Syms[u], &t.Syms[v]
			if a.Mem != b.Mem || len(a.Idx) != len(b.Idx) {
				continue
			}
			p := pending{equal: edge{int(m.node[u]), int(m.node[v]), 0}}
			apart := false
			for k := range a.Idx {
				switch d := a.Idx[k].Minus(b.Idx[k]); {
				case d.Constant():
					apart = apart || d.K != 0
				case difference(d.Terms):
					i, j := m.pair(d.Terms)
					p.differ = append(p.differ, edge{i, j, -d.K})
				case difference(term.Constant(0).Minus(d).Terms):
					i, j := m.pair(term.Constant(0).Minus(d).Terms)
					p.differ = append(p.differ, edge{i, j, d.K})
				default:
					outside, apart = true, true
				}
			}
			if !apart {
				add(u, v, p)
			}
		}
	}
	return outside
}

// clauses lists what holds of each two keys of a collection; outside tells that it cannot be said for some.
func (m *numbering) clauses(t *term.Table, add func(u, v term.SymID, p pending)) (outside bool) {
	for _, c := range t.KeyClauses(m.apps) {
		p := pending{equal: edge{i: -1}, differ: []edge{
			{int(m.node[c.A]), 0, c.Count}, {int(m.node[c.B]), 0, c.Count}, {int(m.node[t.Syms[c.A].Size]), 0, c.Size}}}
		switch minus := term.Constant(0).Minus(c.Key); {
		case c.Key.Constant() && c.Key.K == 0:
			continue
		case c.Key.Constant():
		case difference(c.Key.Terms):
			i, j := m.pair(c.Key.Terms)
			p.equal = edge{i, j, -c.Key.K}
		case difference(minus.Terms):
			i, j := m.pair(minus.Terms)
			p.equal = edge{i, j, c.Key.K}
		default:
			outside = true
			continue
		}
		add(c.A, c.B, p)
	}
	return outside
}

// pair are the nodes of a difference.
func (m *numbering) pair(terms []term.Term) (i, j int) {
	i = int(m.node[terms[0].S])
	if len(terms) == 2 {
		j = int(m.node[terms[1].S])
	}
	return
}

// large tells that a number is too large to be added to others safely.
func large(k int64) bool { return k > far/4 || k < -far/4 }

// unknownUnless is the answer when a bound could not be set: unsat, unless the reason was the size of the number.
func unknownUnless(large bool) Answer {
	if large {
		return Unknown
	}
	return Unsat
}

func newGraph(n int) graph {
	g := graph{n: n, d: make([]int64, n*n)}
	for i := range g.d {
		g.d[i] = far
	}
	for i := range n {
		g.d[i*n+i] = 0
	}
	return g
}

func difference(terms []term.Term) bool {
	switch len(terms) {
	case 1:
		return terms[0].C == 1
	case 2:
		return terms[0].C == 1 && terms[1].C == -1
	}
	return false
}

// bound adds node i - node j <= k and closes the matrix; it reports false if that is contradictory.
func (g *graph) bound(i, j int, k int64) bool {
	n := g.n
	if g.d[i*n+j] <= k {
		return true
	}
	if back := g.d[j*n+i]; back < far/2 && back+k < 0 {
		return false
	}
	from := g.d[j*n : (j+1)*n]
	for a := range n {
		row := g.d[a*n : (a+1)*n]
		if row[i] >= far/2 || row[j] < far/2 && row[i]+k >= row[j] {
			continue // nothing gets shorter through j: the matrix was closed
		}
		through := row[i] + k
		for b, rest := range from {
			if rest < far/2 && through+rest < row[b] {
				row[b] = through + rest
			}
		}
	}
	return true
}

// span is what the graph says about node i minus node j.
func (g *graph) span(i, j int) (lo, hi int64) {
	lo, hi = math.MinInt64, g.d[i*g.n+j]
	if back := g.d[j*g.n+i]; back < far/2 {
		lo = -back
	}
	return
}

// settleBudget bounds the cases of one question.
const settleBudget = 400

// settled reports whether what is pending holds in every solution of the graph.
func (g *graph) settled(p pending) bool {
	for _, d := range p.differ {
		if lo, hi := g.span(d.i, d.j); d.k < lo || d.k > hi {
			return true
		}
	}
	if p.equal.i < 0 {
		return false
	}
	lo, hi := g.span(p.equal.i, p.equal.j)
	return lo == hi && lo == p.equal.k
}

// settle decides whether the graph has a solution that satisfies what is pending; o.solution is one then. It changes
// the order of what is pending. Of the disjunctions that the graph leaves open, one with the fewest alternatives that
// it allows comes next; one that is alone is taken at once.
func (o *Oracle) settle(g *graph, list []pending) Answer {
	own := false // whether g is a copy
	defer func() {
		if own {
			o.spare = append(o.spare, g)
		}
	}()
	for {
		best, least := -1, math.MaxInt
		o.Spend(len(list) / 32)
		for at := 0; at < len(list) && least > 1; at++ {
			if g.settled(list[at]) {
				last := len(list) - 1
				list[at], list[last] = list[last], list[at]
				list = list[:last]
				at--
				continue
			}
			if open := g.open(list[at]); open < least {
				best, least = at, open
			}
		}
		switch {
		case best < 0:
			if o.solution = g.solve(o.solution); o.beyond {
				o.settled = graph{n: g.n, d: append(o.settled.d[:0], g.d...)}
			}
			return Sat
		case least == 0:
			return Unsat
		}
		list[best], list[0] = list[0], list[best]
		p := list[0]
		list = list[1:]
		if least > 1 {
			return o.split(g, p, list)
		}
		if o.Spend(g.n * g.n / 200); !own {
			g, own = o.copyOf(g), true
		}
		possible := true
		p.alternatives(func(low, high edge) bool {
			if !g.allows(low) || high.i >= 0 && !g.allows(high) {
				return true
			}
			possible = g.bound(low.i, low.j, low.k) && (high.i < 0 || g.bound(high.i, high.j, high.k))
			return false
		})
		if !possible {
			return Unsat
		}
	}
}

// split tries the alternatives of what is pending, one after the other.
func (o *Oracle) split(g *graph, p pending, rest []pending) (got Answer) {
	if o.budget--; o.budget < 0 {
		return Unknown
	}
	got = Unsat
	p.alternatives(func(low, high edge) bool {
		if !g.allows(low) || high.i >= 0 && !g.allows(high) {
			return true
		}
		o.Spend(g.n * g.n / 100)
		h := o.copyOf(g)
		if h.bound(low.i, low.j, low.k) && (high.i < 0 || h.bound(high.i, high.j, high.k)) {
			switch o.settle(h, rest) {
			case Sat:
				got = Sat
			case Unknown:
				got = Unknown
			}
		}
		o.spare = append(o.spare, h)
		return got != Sat
	})
	return got
}

// alternatives are the statements of which one makes what is pending true, until each reports false. The second one has
// no nodes where one is enough.
func (p pending) alternatives(each func(low, high edge) bool) {
	none := edge{i: -1}
	for _, d := range p.differ {
		if !each(edge{d.i, d.j, d.k - 1}, none) || !each(edge{d.j, d.i, -d.k - 1}, none) {
			return
		}
	}
	if q := p.equal; q.i >= 0 {
		each(q, edge{q.j, q.i, -q.k})
	}
}

// allows reports whether a statement does not contradict the graph.
func (g *graph) allows(e edge) bool {
	back := g.d[e.j*g.n+e.i]
	return back >= far/2 || back+e.k >= 0
}

// open counts the alternatives of what is pending that the graph allows.
func (g *graph) open(p pending) (count int) {
	p.alternatives(func(low, high edge) bool {
		if g.allows(low) && (high.i < 0 || g.allows(high)) {
			count++
		}
		return true
	})
	return count
}

// solve appends to a list a number for each node that together are a solution of the graph, each as near to zero as
// those before it leave it.
func (g *graph) solve(list []int64) []int64 {
	list = append(list[:0], 0)
	for i := 1; i < g.n; i++ {
		lo, hi := int64(math.MinInt64), int64(math.MaxInt64)
		for j, v := range list {
			if k := g.d[i*g.n+j]; k < far/2 {
				hi = min(hi, v+k)
			}
			if k := g.d[j*g.n+i]; k < far/2 {
				lo = max(lo, v-k)
			}
		}
		list = append(list, min(max(0, lo), hi))
	}
	return list
}

// copyOf copies a graph, into memory of an earlier copy if there is some.
func (o *Oracle) copyOf(g *graph) *graph {
	h := &graph{}
	if last := len(o.spare) - 1; last >= 0 {
		h, o.spare = o.spare[last], o.spare[:last]
	}
	h.n, h.d = g.n, append(h.d[:0], g.d...)
	return h
}
