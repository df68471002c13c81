package decide

import (
	"cmp"
	"math"

	"cdpor/synth/internal/term"
)

// Sums, products, quotients and remainders are more than differences. What the differences among the literals of a
// question leave of them is often enough: no sum within the bounds of its parts is small enough, or a few steps lead
// from a solution of the differences to a state in which everything holds.

// maxGuesses is how many states are tried for a question, maxChanges how many values a state may have that differences
// do not ask for.
const maxGuesses, maxChanges = 12, 4

// guess answers a question of which the differences have a solution; unknown if it takes the solver.
func (o *Oracle) guess(t *term.Table, lits []term.Literal, g *graph) Answer {
	m := &o.prefix.nodes
	for _, list := range [...][]term.Literal{lits, t.Facts} {
		for i := range list {
			if m.excludes(t, g, &list[i]) {
				return Unsat
			}
		}
	}
	s := guesser{o: o, t: t, lits: lits, left: maxGuesses}
	for i := 1; i < m.n; i++ {
		if id := m.by[i]; !t.Syms[id].Kind.Nonlinear() && !nonlinearIndex(t, id) {
			s.syms, s.nodes = append(s.syms, id), append(s.nodes, i)
		}
	}
	if s.from(&o.settled, maxChanges) {
		return Sat
	}
	return Unknown
}

// A guesser looks for a state in which literals and facts hold.
type guesser struct {
	o     *Oracle
	t     *term.Table
	lits  []term.Literal
	syms  []term.SymID // whose values are those of nodes; the others are computed from them
	nodes []int
	left  int
}

// from looks among the solutions of a graph, and of others that have up to some more bounds. The state that it finds is
// kept.
func (s *guesser) from(g *graph, changes int) bool {
	if s.left--; s.left < 0 {
		return false
	}
	s.o.Spend((g.n*g.n + len(s.lits) + len(s.t.Facts)) / 100)
	solution := g.solve(nil)
	values := make([]int64, len(s.syms))
	for i, node := range s.nodes {
		values[i] = solution[node]
	}
	one := modelSet{t: s.t}
	one.add(s.syms, values)
	m := &one.list[0]
	for _, list := range [...][]term.Literal{s.lits, s.t.Facts} {
		for i := range list {
			holds, known := one.truth(m, &list[i])
			switch {
			case !known:
				return false
			case holds:
				continue
			case changes == 0:
				return false
			}
			return s.changed(&one, &list[i], func(id term.SymID, lo, hi int64) bool {
				node := int(s.o.prefix.nodes.node[id])
				h := s.o.copyOf(g)
				defer func() { s.o.spare = append(s.o.spare, h) }()
				return h.bound(node, 0, hi) && h.bound(0, node, -lo) && s.from(h, changes-1)
			})
		}
	}
	s.o.models.about(s.t).add(s.syms, values)
	return true
}

// changed tries bounds for the value of a symbol, one symbol after the other, that would make a literal true which a
// state makes false.
func (s *guesser) changed(all *modelSet, l *term.Literal, try func(id term.SymID, lo, hi int64) bool) bool {
	m := &all.list[0]
	sum, _ := all.sum(m, term.Form{Terms: s.t.Dirs[l.Dir].Terms})
	by := []int64{l.K - sum} // what must be added
	switch {
	case l.Rel == term.EqRel && l.Neg:
		by = []int64{1, -1}
	case l.Neg:
		by[0]++
	}
	for _, x := range s.t.Dirs[l.Dir].Terms {
		for _, d := range by {
			to := d / x.C
			if to*x.C != d {
				if l.Rel == term.EqRel {
					continue
				}
				to += sign(to*x.C, d) * sign(x.C, 0)
			}
			lo, hi := m.value[x.S]+to, m.value[x.S]+to
			switch {
			case l.Rel == term.EqRel:
			case to > 0:
				hi = far / 8
			default:
				lo = -far / 8
			}
			if s.t.Syms[x.S].Kind.Nonlinear() {
				if id, v, ok := s.operand(all, x.S, m.value[x.S]+to); ok && try(id, v, v) {
					return true
				}
			} else if try(x.S, lo, hi) {
				return true
			}
		}
	}
	return false
}

// sign is 1 if one number is below another, -1 if it is above, 0 if they are equal.
func sign(from, to int64) int64 { return int64(cmp.Compare(to, from)) }

// operand is a value of what a product, quotient or remainder is made of that gives it a value, the other operand being
// as it is.
func (s *guesser) operand(all *modelSet, id term.SymID, value int64) (of term.SymID, v int64, ok bool) {
	y := &s.t.Syms[id]
	at, other := 0, int64(1)
	if y.Kind != term.WrapSym {
		if !y.Idx[1].Constant() && y.Idx[0].Constant() {
			at = 1
		}
		if other, ok = all.sum(&all.list[0], y.Idx[1-at]); !ok {
			return 0, 0, false
		}
	}
	switch v = value; y.Kind {
	case term.MulSym:
		if other == 0 || value%other != 0 {
			return 0, 0, false
		}
		v = value / other
	case term.DivSym:
		v = value * other
	}
	f := y.Idx[at]
	if len(f.Terms) != 1 || f.Terms[0].C != 1 || s.t.Syms[f.Terms[0].S].Kind.Nonlinear() {
		return 0, 0, false
	}
	return f.Terms[0].S, v - f.K, true
}

// nonlinearIndex reports whether a symbol is an element whose index is made of products, quotients or remainders.
func nonlinearIndex(t *term.Table, id term.SymID) bool {
	for _, f := range t.Syms[id].Idx {
		for _, x := range f.Terms {
			if t.Syms[x.S].Kind.Nonlinear() || nonlinearIndex(t, x.S) {
				return true
			}
		}
	}
	return false
}

// excludes reports whether no sum of values within the bounds of a graph satisfies a literal.
func (m *numbering) excludes(t *term.Table, g *graph, l *term.Literal) bool {
	lo, hi := int64(0), int64(0)
	for _, x := range t.Dirs[l.Dir].Terms {
		from, to := g.span(int(m.node[x.S]), 0)
		if x.C < 0 {
			from, to = to, from
		}
		lo, hi = plusTimes(lo, x.C, from), plusTimes(hi, x.C, to)
	}
	known := func(bound int64) bool { return bound > -unbounded && bound < unbounded }
	switch {
	case l.Rel == term.EqRel && l.Neg:
		return known(lo) && lo == hi && lo == l.K
	case l.Rel == term.EqRel:
		return known(lo) && lo > l.K || known(hi) && hi < l.K
	case l.Neg:
		return known(hi) && hi <= l.K
	}
	return known(lo) && lo > l.K
}

// unbounded is where sums are too large to be looked at.
const unbounded = int64(1) << 50

// plusTimes is sum + c * v, math.MaxInt64 where that is not bounded.
func plusTimes(sum, c, v int64) int64 {
	if sum == math.MaxInt64 || v <= -maxNumber || v >= maxNumber || c > maxFactor>>10 || c < -maxFactor>>10 {
		return math.MaxInt64
	}
	return sum + c*v
}
