package synth

import (
	"math"
	"slices"
)

// Questions about a few small numbers are answered by trying all of them. One symbol may have no bounds, if it stands in sums
// and remainders only: let x stand in sums whose other parts are at most b in absolute value, and in remainders by divisors with
// the least common multiple m. If x > b + m, then x - m is greater than b, so every sum has the same sign for x - m as for x, and
// every remainder is the same; likewise for x < -b - m. So if there is a solution, there is one with |x| <= b + m.

const (
	// maxDomain bounds the values of a symbol that are tried, and maxMultiple the multiple above.
	maxDomain, maxMultiple = 128, 64
	// fewTried are the values that are always tried, maxTried those before the solver is asked.
	fewTried, maxTried = 100, 4000
)

// A trial is a question that is decided by trying values.
type trial struct {
	t      *table
	level  map[symID]int // by symbol: after how many chosen values it is known
	chosen []span        // the values of each symbol that is chosen
	order  []symID       // those symbols
	follow [][]symID     // by level: quotients, remainders and products, those that others depend on first
	check  [][]literal   // by level
	m      model
	left   int // values that may still be tried
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
	unbounded, whole := symID(-1), false
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
			case s.kind == modSym && s.idx[1].constant() && s.idx[1].k > 0 && s.idx[1].k <= maxMultiple:
				sums = append(sums, s.idx[0])
			case s.kind == mulSym || s.kind == divSym && s.idx[1].constant() && s.idx[1].k != 0:
				whole = true
			case s.kind == divSym || s.kind == modSym || s.mem.view == keyed || !constantIdx:
				return false
			case s.lo > s.hi:
				return false
			case s.lo > -maxNumber && s.hi < maxNumber && s.hi-s.lo < maxDomain:
			case unbounded >= 0:
				return false
			default:
				unbounded = x.s
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
	for _, id := range used {
		if s := &t.syms[id]; s.kind != mulSym && s.kind != divSym && s.kind != modSym && id != unbounded {
			r.choose(id, span{s.lo, s.hi})
		}
	}
	if unbounded >= 0 {
		around, ok := t.around(unbounded, sums, used)
		if whole || !ok {
			return false
		}
		r.choose(unbounded, around)
	}
	return r.levels(used, lits)
}

func (r *trial) choose(id symID, values span) {
	r.order, r.chosen = append(r.order, id), append(r.chosen, values)
	r.level[id] = len(r.order)
}

// around are the values of a symbol among which there is one of each solution, see above.
func (t *table) around(id symID, sums []form, used []symID) (values span, ok bool) {
	most, multiple := int64(1), int64(1)
	for _, f := range sums {
		if !f.mentions(id) {
			continue
		}
		rest := max(f.k, -f.k)
		for _, x := range f.terms {
			if x.s != id {
				b, known := t.magnitude(x.s)
				if !known || x.c > maxFactor || x.c < -maxFactor {
					return values, false
				}
				rest += max(x.c, -x.c) * b
			}
		}
		most = max(most, rest)
	}
	for _, u := range used {
		if s := &t.syms[u]; s.kind == modSym {
			if multiple = leastMultiple(multiple, s.idx[1].k); multiple > maxMultiple {
				return values, false
			}
		}
	}
	s := &t.syms[id]
	if s.lo != math.MinInt64 {
		most = max(most, s.lo, -s.lo)
	}
	if s.hi != math.MaxInt64 {
		most = max(most, s.hi, -s.hi)
	}
	if most < 0 || most+multiple > maxDomain/2 {
		return values, false
	}
	return span{max(s.lo, -most-multiple), min(s.hi, most+multiple)}, true
}

// magnitude is what a symbol is at most in absolute value.
func (t *table) magnitude(id symID) (most int64, known bool) {
	s := &t.syms[id]
	switch {
	case s.kind == modSym:
		return s.idx[1].k - 1, true
	case s.lo <= -maxNumber || s.hi >= maxNumber:
		return 0, false
	}
	return max(s.hi, -s.lo, 0), true
}

func leastMultiple(a, b int64) int64 {
	g, h := a, b
	for h != 0 {
		g, h = h, g%h
	}
	return a / g * b
}

// levels tells when which symbol is known and which literal can be looked at. It reports false if the values are too many.
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
	for v := r.chosen[level].lo; v <= r.chosen[level].hi; v++ {
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
