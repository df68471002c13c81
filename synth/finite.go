package synth

import (
	"math"
	"slices"
)

// Questions about a few small numbers are answered by trying all of them. Some symbols may have no bounds, if they
// stand in sums and remainders only, and at most two of them, with coefficients of the same absolute value, in one sum.
// Let the other parts of each such sum be at most b in absolute value, and m be the least common multiple of the
// divisors of remainders.
//
// Order a solution's values of these symbols by their absolute values, 0 first. If one of them is more than b + m above
// the one before, bring it and all that come after it closer to 0 by m. In a sum c*(x + y), c*(x - y) or c*x, either
// nothing changes, as neither is moved or the two moves cancel out, or it was more than b in absolute value before, is
// so after, and has kept its sign: |x| - |y| > b + m if x alone is moved, |x| + |y| > 2*b + 2*m if both are and the
// moves add up. Each sum changes by a multiple of m, so with its other parts added it keeps its sign and its
// remainders, and what is made of those keeps its value. So if there is a solution, there is one in which the i-th of
// these symbols, in that order, is at most i*(b + m) in absolute value. Symbols that no sum brings together have bounds
// of their own.

const (
	// maxDomain bounds the values of a symbol that are tried, maxMultiple the multiple above, and maxUnbounded the
	// symbols without bounds.
	maxDomain, maxMultiple, maxUnbounded = 128, 64, 3
	// fewTried are the values that are tried before linear is asked, maxTried those before the solver is.
	fewTried, maxTried = 1500, 4000
)

// A trial is a question that is decided by trying values.
type trial struct {
	t        *table
	level    map[symID]int // by symbol: after how many chosen values it is known
	chosen   []span        // the values of each symbol that is chosen
	order    []symID       // those symbols
	follow   [][]symID     // by level: quotients, remainders and products, those that others depend on first
	check    [][]literal   // by level
	elements []symID       // of arrays and lists, whose index has to be known first
	m        model
	left     int // values that may still be tried
}

// finite decides a question by trying at most so many values; unknown if that is not enough.
func (o *oracle) finite(t *table, lits []literal, most int) answer {
	r := &trial{t: t, level: map[symID]int{}, left: most}
	if !r.prepare(lits) {
		return unknown
	}
	got := r.search(0)
	o.spend(1 + (most-r.left)*(len(lits)+len(t.facts))/stepsPerUnit)
	if got == sat {
		t.keep(&r.m)
	}
	return got
}

// prepare finds the values that are to be tried, and when what is known; it reports false where trying does not decide.
func (r *trial) prepare(lits []literal) bool {
	t := r.t
	var used []symID
	var sums []form // all that is compared, or divided
	var unbounded []symID
	whole := false
	within := t.bounded(lits)
	bounds := func(id symID) span {
		if b, ok := within[id]; ok {
			return b
		}
		return span{t.syms[id].lo, t.syms[id].hi}
	}
	var visit func(f form) bool
	visit = func(f form) bool {
		if large(f.k) {
			return false
		}
		for _, x := range f.terms {
			if slices.Contains(used, x.s) {
				continue
			}
			used = append(used, x.s)
			s := &t.syms[x.s]
			constantIdx := !slices.ContainsFunc(s.idx, func(i form) bool { return !i.constant() })
			switch {
			case s.kind == wrapSym:
				return false
			case s.kind == modSym && s.idx[1].constant() && s.idx[1].k > 0 && s.idx[1].k <= maxMultiple:
				sums = append(sums, s.idx[0])
			case s.kind == mulSym || s.kind == divSym && s.idx[1].constant() && s.idx[1].k != 0:
				whole = true
			case s.kind == divSym || s.kind == modSym || s.mem.view == keyed || !constantIdx && s.kind != wordSym:
				return false
			case !bounds(x.s).small() && !constantIdx || bounds(x.s).lo > bounds(x.s).hi:
				return false
			case !constantIdx:
				r.elements = append(r.elements, x.s)
			case bounds(x.s).small():
			case len(unbounded) == maxUnbounded:
				return false
			default:
				unbounded = append(unbounded, x.s)
			}
			for _, i := range s.idx {
				if !visit(i) {
					return false
				}
			}
		}
		return true
	}
	for _, list := range [...][]literal{lits, t.facts} {
		for _, l := range list {
			f := form{terms: t.dirs[l.dir].terms, k: -l.k}
			sums = append(sums, f)
			if !visit(f) {
				return false
			}
		}
	}
	slices.Sort(used)
	slices.Sort(r.elements) // what the index of one is made of came before it
	for _, id := range r.elements {
		for _, f := range t.syms[id].idx {
			if slices.ContainsFunc(f.terms, func(x term) bool { return slices.Contains(unbounded, x.s) }) {
				return false
			}
		}
	}
	for _, id := range used {
		if s := &t.syms[id]; s.kind != mulSym && s.kind != divSym && s.kind != modSym &&
			!slices.Contains(unbounded, id) && !slices.Contains(r.elements, id) {
			r.choose(id, bounds(id))
		}
	}
	if len(unbounded) > 0 {
		most, ok := t.reach(unbounded, sums, used, bounds)
		if whole || !ok {
			return false
		}
		for i, id := range unbounded {
			s := &t.syms[id]
			r.choose(id, span{max(s.lo, -most[i]), min(s.hi, most[i])})
		}
	}
	for _, id := range r.elements {
		r.choose(id, bounds(id))
	}
	return r.levels(used, lits)
}

// bounded are bounds of symbols that literals about nothing else set, for those of which there are any.
func (t *table) bounded(lits []literal) map[symID]span {
	within := map[symID]span{}
	for _, l := range lits {
		d := &t.dirs[l.dir]
		if len(d.terms) != 1 || d.terms[0].c != 1 || large(l.k) || l.rel == eqRel && l.neg {
			continue
		}
		id := d.terms[0].s
		b, ok := within[id]
		if !ok {
			b = span{t.syms[id].lo, t.syms[id].hi}
		}
		if l.rel == eqRel || l.neg {
			low := l.k
			if l.neg {
				low++
			}
			b.lo = max(b.lo, low)
		}
		if !l.neg {
			b.hi = min(b.hi, l.k)
		}
		within[id] = b
	}
	return within
}

// small tells whether all values can be tried.
func (s span) small() bool { return s.lo > -maxNumber && s.hi < maxNumber && s.hi-s.lo < maxDomain }

func (r *trial) choose(id symID, values span) {
	r.order, r.chosen = append(r.order, id), append(r.chosen, values)
	r.level[id] = len(r.order)
}

// A cluster is some symbols without bounds that sums bring together.
type cluster struct {
	size     int64
	rest     int64 // what the other parts of their sums are at most in absolute value
	multiple int64 // of the divisors of their remainders
}

// reach bounds the absolute values of symbols without bounds such that, if there is a solution, there is one within
// these bounds, see above.
func (t *table) reach(unbounded []symID, sums []form, used []symID, bounds func(symID) span) (most []int64, ok bool) {
	clusters := make([]cluster, len(unbounded))
	in := make([]int, len(unbounded))
	for i, id := range unbounded {
		s := &t.syms[id]
		in[i], clusters[i] = i, cluster{size: 1, rest: 1, multiple: 1}
		for _, bound := range [...]int64{s.lo, s.hi} {
			if bound != math.MinInt64 && bound != math.MaxInt64 {
				clusters[i].rest = max(clusters[i].rest, bound, -bound)
			}
		}
	}
	for _, f := range sums {
		at, ok := t.joined(f, unbounded, clusters, in, bounds)
		if !ok {
			return nil, false
		}
		for _, u := range used {
			if s := &t.syms[u]; at >= 0 && s.kind == modSym && s.idx[0].equal(f) {
				c := &clusters[at]
				if c.multiple = leastMultiple(c.multiple, s.idx[1].k); c.multiple > maxMultiple {
					return nil, false
				}
			}
		}
	}
	for i := range unbounded {
		c := clusters[in[i]]
		bound := (c.rest + c.multiple) * c.size
		if c.rest > maxDomain || bound > maxDomain/2 {
			return nil, false
		}
		most = append(most, bound)
	}
	return most, true
}

// joined puts the symbols without bounds that stand in a sum into one cluster, and says in which; -1: there are none.
// It reports false for a sum that the bound does not hold for.
func (t *table) joined(f form, unbounded []symID, clusters []cluster, in []int, bounds func(symID) span) (
	at int, ok bool) {
	factor, rest := int64(0), max(f.k, -f.k)
	at, count := -1, 0
	for _, x := range f.terms {
		c := max(x.c, -x.c)
		i := slices.Index(unbounded, x.s)
		switch {
		case c > maxFactor:
			return -1, false
		case i < 0:
			b, known := t.magnitude(x.s, bounds(x.s))
			if !known {
				return -1, false
			}
			rest += c * b
			continue
		case count == 0:
			at = in[i]
		case count > 1 || c != factor:
			return -1, false
		case in[i] != at:
			one, other := clusters[at], clusters[in[i]]
			clusters[at] = cluster{one.size + other.size, max(one.rest, other.rest),
				leastMultiple(one.multiple, other.multiple)}
			for from, j := in[i], 0; j < len(in); j++ {
				if in[j] == from {
					in[j] = at
				}
			}
		}
		count, factor = count+1, c
	}
	if at >= 0 {
		clusters[at].rest = max(clusters[at].rest, rest)
	}
	return at, true
}

// magnitude is what a symbol is at most in absolute value.
func (t *table) magnitude(id symID, within span) (most int64, known bool) {
	s := &t.syms[id]
	switch {
	case s.kind == modSym:
		return s.idx[1].k - 1, true
	case within.lo <= -maxNumber || within.hi >= maxNumber:
		return 0, false
	}
	return max(within.hi, -within.lo, 0), true
}

func leastMultiple(a, b int64) int64 {
	g, h := a, b
	for h != 0 {
		g, h = h, g%h
	}
	return a / g * b
}

// levels tells when which symbol is known and which literal can be looked at. It reports false if the values are too
// many.
func (r *trial) levels(used []symID, lits []literal) bool {
	count := int64(1)
	for _, s := range r.chosen {
		if count *= s.hi - s.lo + 1; count > int64(r.left)*16 {
			return false
		}
	}
	r.follow, r.check = make([][]symID, len(r.order)+1), make([][]literal, len(r.order)+1)
	at := func(terms []term) (level int) {
		for _, x := range terms {
			level = max(level, r.level[x.s])
		}
		return level
	}
	for _, id := range used { // what a symbol depends on came before it
		if s := &r.t.syms[id]; s.kind == mulSym || s.kind == divSym || s.kind == modSym {
			level := max(at(s.idx[0].terms), at(s.idx[1].terms))
			r.level[id] = level
			r.follow[level] = append(r.follow[level], id)
		}
	}
	for _, list := range [...][]literal{lits, r.t.facts} {
		for _, l := range list {
			level := at(r.t.dirs[l.dir].terms)
			r.check[level] = append(r.check[level], l)
		}
	}
	r.m.grow(len(r.t.syms))
	return true
}

// search chooses the values from some level on.
func (r *trial) search(level int) answer {
	for _, id := range r.follow[level] {
		if r.m.known[id] = false; !r.t.complete(&r.m, id) {
			return unknown
		}
	}
	for i := range r.check[level] {
		l := &r.check[level][i]
		holds, ok := r.t.truth(&r.m, l)
		if !ok {
			return unknown
		}
		if !holds {
			return unsat
		}
	}
	if level == len(r.order) {
		return sat
	}
	id := r.order[level]
	values := r.narrowed(level, id)
	if v, same := r.sameElement(level, id); same {
		values = span{max(values.lo, v), min(values.hi, v)}
	}
	for v := values.lo; v <= values.hi; v++ {
		if r.left--; r.left < 0 {
			return unknown
		}
		r.m.value[id], r.m.known[id] = v, true
		if got := r.search(level + 1); got != unsat {
			return got
		}
	}
	return unsat
}

// sameElement is the value of an element of which the trial has chosen the value already, under another index of that
// value.
func (r *trial) sameElement(level int, id symID) (v int64, same bool) {
	s := &r.t.syms[id]
	if level < len(r.order)-len(r.elements) {
		return 0, false
	}
	for _, other := range r.order[:level] {
		if o := &r.t.syms[other]; o.kind == wordSym && o.mem == s.mem && len(o.idx) == len(s.idx) {
			same = true
			for i := range s.idx {
				a, _ := r.t.sum(&r.m, s.idx[i])
				b, _ := r.t.sum(&r.m, o.idx[i])
				same = same && a == b
			}
			if same {
				return r.m.value[other], true
			}
		}
	}
	return 0, false
}

// narrowed are the values of a symbol that the literals leave which say nothing else that is open.
func (r *trial) narrowed(level int, id symID) span {
	values := r.chosen[level]
	for _, l := range r.check[level+1] {
		if l.rel == eqRel && l.neg {
			continue
		}
		factor, rest, ok := int64(0), -l.k, true
		for _, x := range r.t.dirs[l.dir].terms {
			switch {
			case x.s == id:
				factor = x.c
			case r.level[x.s] > level:
				ok = false
			default:
				rest += x.c * r.m.value[x.s]
			}
			ok = ok && !large(rest) && x.c <= maxFactor && x.c >= -maxFactor
		}
		if !ok || factor == 0 {
			continue
		}
		if l.neg { // factor*v + rest >= 1
			factor, rest = -factor, 1-rest
		}
		if values = values.where(factor, rest); l.rel == eqRel {
			values = values.where(-factor, -rest)
		}
	}
	return values
}

// where are the values v with factor*v + rest <= 0.
func (s span) where(factor, rest int64) span {
	if factor > 0 {
		return span{s.lo, min(s.hi, floorDiv(-rest, factor))}
	}
	return span{max(s.lo, -floorDiv(-rest, -factor)), s.hi}
}
