package synth

import "math"

// answer is what is known about the satisfiability of a cube.
type answer uint8

const (
	unknown answer = iota
	sat
	unsat
)

// far is an edge weight that means "no bound". Bounds at or beyond far/4 are left to the solver.
const far = int64(1) << 60

// An oracle decides cubes. Difference constraints (x - y <= k, x <= k, and equations and disequations of that shape) are
// decided here; they are nearly all there are. Anything else goes to the solver.
type oracle struct {
	solver  solver
	queries int // that reached the solver
	node    []int32
	budget  int
}

// check decides the conjunction of the literals and the facts of the table.
func (o *oracle) check(t *table, lits []literal) answer {
	if got := o.differences(t, lits); got != unknown {
		return got
	}
	o.queries++
	return o.solver.cube(t, lits)
}

// graph is a difference-bound matrix: d[i*n+j] bounds node i minus node j from above. Node 0 is zero.
type graph struct {
	n int
	d []int64
}

func (o *oracle) differences(t *table, lits []literal) answer {
	if len(o.node) < len(t.syms) {
		o.node = make([]int32, len(t.syms)+16)
	}
	clear(o.node)
	n, outside := 1, false
	number := func(l literal) {
		d := &t.dirs[l.dir]
		if !d.plain || l.k > far/4 || l.k < -far/4 || !difference(d.terms) {
			outside = true
		}
		for _, x := range d.terms {
			if o.node[x.s] == 0 {
				o.node[x.s] = int32(n)
				n++
			}
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
	var holes []literal
	for _, list := range [][]literal{lits, t.facts} {
		for _, l := range list {
			d := &t.dirs[l.dir]
			if l.k > far/4 || l.k < -far/4 || !difference(d.terms) {
				continue
			}
			if l.rel == eqRel && l.neg {
				holes = append(holes, l)
				continue
			}
			i, j := o.nodes(d.terms)
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
	o.budget = 400
	got := o.avoid(t, g, holes)
	if got == sat && outside {
		return unknown
	}
	return got
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

// avoid decides whether the graph has a solution outside all holes (disequations).
func (o *oracle) avoid(t *table, g *graph, holes []literal) answer {
	n := g.n
	for at, l := range holes {
		i, j := o.nodes(t.dirs[l.dir].terms)
		lo, hi := int64(math.MinInt64), g.d[i*n+j]
		if back := g.d[j*n+i]; back < far/2 {
			lo = -back
		}
		switch {
		case l.k < lo || l.k > hi:
			continue
		case lo == hi:
			return unsat
		}
		if o.budget--; o.budget < 0 {
			return unknown
		}
		result := unsat
		for _, below := range []bool{true, false} {
			h := &graph{n: n, d: append([]int64(nil), g.d...)}
			ok := false
			if below {
				ok = h.bound(i, j, l.k-1)
			} else {
				ok = h.bound(j, i, -l.k-1)
			}
			if !ok {
				continue
			}
			switch o.avoid(t, h, holes[at+1:]) {
			case sat:
				return sat
			case unknown:
				result = unknown
			}
		}
		return result
	}
	return sat
}
