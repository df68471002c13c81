package synth

import (
	"context"
	"math"
)

// answer is what is known about the satisfiability of a cube.
type answer uint8

const (
	unknown answer = iota
	sat
	unsat
)

func (a answer) String() string { return [...]string{"unknown", "sat", "unsat"}[a] }

// far is an edge weight that means "no bound". Bounds at or beyond far/4 are left to the solver.
const far = int64(1) << 60

// An oracle decides cubes. Difference constraints (x - y <= k, x <= k, and equations and disequations of that shape) over
// words of the state are decided here, elements of arrays with such indices included; they are nearly all there are.
// Anything else goes to the solver.
type oracle struct {
	ctx     context.Context // what to stop for
	solver  solver
	queries int // that reached the solver
	limit   int // of them; 0: none
	node    []int32
	budget  int
	outside bool      // the question has parts that are not decided here
	apps    []symID   // the elements of arrays and lists in the question
	pending []pending // what else must hold of a solution
}

// check decides the conjunction of the literals and the facts of the table. When the context has ended it aborts the
// exploration that asks.
func (o *oracle) check(t *table, lits []literal) answer {
	o.alive()
	if got := o.differences(t, lits); got != unknown {
		return got
	}
	if o.exhausted() {
		return unknown
	}
	got := o.solver.cube(o.ctx, t, lits)
	o.alive()
	return got
}

func (o *oracle) alive() {
	if o.ctx.Err() != nil {
		panic(unsupported{"interrupted"})
	}
}

// exhausted counts a question to the solver, unless there were too many already.
func (o *oracle) exhausted() bool {
	if o.limit > 0 && o.queries >= o.limit {
		return true
	}
	o.queries++
	return false
}

// meet asks the solver whether one of the cubes is compatible with the formula, or with its negation.
func (o *oracle) meet(t *table, cubes [][]literal, nf normalForm, negate bool) answer {
	o.alive()
	if o.exhausted() {
		return unknown
	}
	got := o.solver.meet(o.ctx, t, cubes, nf, negate)
	o.alive()
	return got
}

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

func (o *oracle) differences(t *table, lits []literal) answer {
	if len(o.node) < len(t.syms) {
		o.node = make([]int32, len(t.syms)+16)
	}
	clear(o.node)
	o.outside, o.apps, o.pending = false, o.apps[:0], o.pending[:0]
	n := 1
	var visit func(id symID)
	visit = func(id symID) {
		if o.node[id] != 0 {
			return
		}
		o.node[id] = int32(n)
		n++
		switch s := &t.syms[id]; {
		case s.kind == mulSym || s.kind == divSym || s.kind == modSym:
			o.outside = true
		case len(s.idx) > 0:
			o.apps = append(o.apps, id)
			for _, f := range s.idx {
				for _, x := range f.terms {
					visit(x.s)
				}
			}
		}
	}
	number := func(l literal) {
		d := &t.dirs[l.dir]
		if l.k > far/4 || l.k < -far/4 || !difference(d.terms) {
			o.outside = true
		}
		for _, x := range d.terms {
			visit(x.s)
		}
	}
	for _, l := range lits {
		number(l)
	}
	for _, l := range t.facts {
		number(l)
	}
	g := &graph{n: n, d: make([]int64, n*n)}
	for i := range g.d {
		g.d[i] = far
	}
	for i := range n {
		g.d[i*n+i] = 0
	}
	for s, i := range o.node[:len(t.syms)] {
		if i == 0 {
			continue
		}
		if hi := t.syms[s].hi; hi < far/4 {
			if hi < -far/4 || !g.bound(int(i), 0, hi) {
				return unknownUnless(hi < -far/4)
			}
		}
		if lo := t.syms[s].lo; lo > -far/4 {
			if lo > far/4 || !g.bound(0, int(i), -lo) {
				return unknownUnless(lo > far/4)
			}
		}
	}
	for _, list := range [][]literal{lits, t.facts} {
		for _, l := range list {
			d := &t.dirs[l.dir]
			if l.k > far/4 || l.k < -far/4 || !difference(d.terms) {
				continue
			}
			i, j := o.nodes(d.terms)
			if l.rel == eqRel && l.neg {
				o.pending = append(o.pending, pending{differ: []edge{{i, j, l.k}}, equal: edge{i: -1}})
				continue
			}
			ok := true
			if l.rel == eqRel || !l.neg {
				ok = g.bound(i, j, l.k)
			}
			if ok && (l.rel == eqRel || l.neg) {
				k := -l.k
				if l.rel == leRel {
					k--
				}
				ok = g.bound(j, i, k)
			}
			if !ok {
				return unsat
			}
		}
	}
	o.congruence(t)
	o.clauses(t)
	o.budget = 400
	got := o.settle(g, o.pending)
	if got == sat && o.outside {
		return unknown
	}
	return got
}

// congruence adds that elements at equal indices are equal, for each two elements of the same array.
func (o *oracle) congruence(t *table) {
	for at, u := range o.apps {
		for _, v := range o.apps[:at] {
			a, b := &t.syms[u], &t.syms[v]
			if a.mem != b.mem || len(a.idx) != len(b.idx) {
				continue
			}
			p := pending{equal: edge{int(o.node[u]), int(o.node[v]), 0}}
			apart := false
			for k := range a.idx {
				switch d := a.idx[k].minus(b.idx[k]); {
				case d.constant():
					apart = apart || d.k != 0
				case difference(d.terms):
					i, j := o.nodes(d.terms)
					p.differ = append(p.differ, edge{i, j, -d.k})
				case difference(constant(0).minus(d).terms):
					i, j := o.nodes(constant(0).minus(d).terms)
					p.differ = append(p.differ, edge{i, j, d.k})
				default:
					o.outside, apart = true, true
				}
			}
			if !apart {
				o.pending = append(o.pending, p)
			}
		}
	}
}

// clauses adds what holds of each two keys of a collection.
func (o *oracle) clauses(t *table) {
	for _, c := range t.keyClauses(o.apps) {
		p := pending{equal: edge{i: -1}, differ: []edge{
			{int(o.node[c.a]), 0, c.count}, {int(o.node[c.b]), 0, c.count}, {int(o.node[t.syms[c.a].size]), 0, c.size}}}
		switch minus := constant(0).minus(c.key); {
		case c.key.constant() && c.key.k == 0:
			continue
		case c.key.constant():
		case difference(c.key.terms):
			i, j := o.nodes(c.key.terms)
			p.equal = edge{i, j, -c.key.k}
		case difference(minus.terms):
			i, j := o.nodes(minus.terms)
			p.equal = edge{i, j, c.key.k}
		default:
			o.outside = true
			continue
		}
		o.pending = append(o.pending, p)
	}
}

// unknownUnless is the answer when a bound could not be set: unsat, unless the reason was the size of the number.
func unknownUnless(large bool) answer {
	if large {
		return unknown
	}
	return unsat
}

func difference(terms []term) bool {
	switch len(terms) {
	case 1:
		return terms[0].c == 1
	case 2:
		return terms[0].c == 1 && terms[1].c == -1
	}
	return false
}

func (o *oracle) nodes(terms []term) (i, j int) {
	i = int(o.node[terms[0].s])
	if len(terms) == 2 {
		j = int(o.node[terms[1].s])
	}
	return
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
	for a := range n {
		ai := g.d[a*n+i]
		if ai >= far/2 {
			continue
		}
		for b := range n {
			if jb := g.d[j*n+b]; jb < far/2 && ai+k+jb < g.d[a*n+b] {
				g.d[a*n+b] = ai + k + jb
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

// settle decides whether the graph has a solution that satisfies what is pending.
func (o *oracle) settle(g *graph, list []pending) answer {
	for at, p := range list {
		done := false
		for _, d := range p.differ {
			lo, hi := g.span(d.i, d.j)
			done = done || d.k < lo || d.k > hi
		}
		if p.equal.i >= 0 && !done {
			lo, hi := g.span(p.equal.i, p.equal.j)
			done = lo == hi && lo == p.equal.k
		}
		if done {
			continue
		}
		if o.budget--; o.budget < 0 {
			return unknown
		}
		result := unsat
		try := func(more ...edge) bool {
			h := &graph{n: g.n, d: append([]int64(nil), g.d...)}
			for _, m := range more {
				if !h.bound(m.i, m.j, m.k) {
					return false
				}
			}
			switch o.settle(h, list[at+1:]) {
			case sat:
				return true
			case unknown:
				result = unknown
			}
			return false
		}
		for _, d := range p.differ {
			if try(edge{d.i, d.j, d.k - 1}) || try(edge{d.j, d.i, -d.k - 1}) {
				return sat
			}
		}
		if q := p.equal; q.i >= 0 && try(edge{q.i, q.j, q.k}, edge{q.j, q.i, -q.k}) {
			return sat
		}
		return result
	}
	return sat
}
