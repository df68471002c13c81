package synth

import "slices"

// Models. Of two opposite questions after the same decisions one is answered by any state in which the decisions hold.
// So the states that earlier questions have found are kept, and looked at before anything is proved: as they are, with
// the values of symbols that they say nothing of chosen freely, and with a few values changed.

// A model is a state: a value for each symbol that is known in it. What is known satisfies the bounds of the symbols,
// and what quotients, remainders, products, and elements at equal indices mean.
type model struct {
	value []int64
	known []bool
}

const (
	// maxModels is how many models a table keeps.
	maxModels = 24
	// maxMends bounds the changed models that one question looks at, and maxMoved the values changed in one of them.
	maxMends, maxMoved = 12, 3
	// maxFactor bounds the coefficients of forms that models are asked about. Values are below maxNumber.
	maxFactor = 1 << 20
)

// remember keeps the solution of a question, the values of some symbols, for later questions about the same table.
func (t *table) remember(syms []symID, values []int64) {
	m := t.room()
	for i, id := range syms {
		m.value[id], m.known[id] = values[i], true
	}
	t.models = append(t.models, m)
}

// keep keeps a copy of a model.
func (t *table) keep(from *model) {
	m := t.room()
	copy(m.value, from.value)
	copy(m.known, from.known)
	t.models = append(t.models, m)
}

// room is an empty model, in the place of the oldest one if there are enough.
func (t *table) room() (m model) {
	if len(t.models) == maxModels {
		m = t.models[0]
		copy(t.models, t.models[1:])
		t.models = t.models[:maxModels-1]
	}
	m.value, m.known = m.value[:0], m.known[:0]
	m.grow(len(t.syms))
	return m
}

// grow makes room for new symbols, which are unknown.
func (m *model) grow(count int) {
	for len(m.value) < count {
		m.value, m.known = append(m.value, 0), append(m.known, false)
	}
}

// shown tells whether a known model satisfies a cube and the facts of the table.
func (t *table) shown(lits []literal) bool {
	for i := len(t.models) - 1; i >= 0; i-- {
		if m := &t.models[i]; t.violated(m, lits) == nil {
			t.latest(i)
			return true
		}
	}
	return false
}

// latest puts a model to the end: it is likely to be of use again.
func (t *table) latest(i int) {
	m := t.models[i]
	copy(t.models[i:], t.models[i+1:])
	t.models[len(t.models)-1] = m
}

// violated is a literal of a cube, or a fact of the table, that is not true in a model, or not known; nil: none.
func (t *table) violated(m *model, lits []literal) *literal {
	m.grow(len(t.syms))
	for _, list := range [...][]literal{lits, t.facts} {
		for i := range list {
			l := &list[i]
			if holds, ok := t.truth(m, l); !ok || !holds {
				return l
			}
		}
	}
	return nil
}

// truth is the truth of a literal in a model; ok is false where that cannot be said.
func (t *table) truth(m *model, l *literal) (holds, ok bool) {
	sum, ok := t.sum(m, form{terms: t.dirs[l.dir].terms})
	return (l.rel == eqRel && sum == l.k || l.rel == leRel && sum <= l.k) != l.neg, ok
}

// sum is the value of a form in a model, which chooses the values of symbols that are new to it; ok is false where it
// cannot.
func (t *table) sum(m *model, f form) (sum int64, ok bool) {
	sum = f.k
	if large(sum) {
		return 0, false
	}
	for _, x := range f.terms {
		if !m.known[x.s] && !t.complete(m, x.s) || x.c > maxFactor || x.c < -maxFactor {
			return 0, false
		}
		if sum += x.c * m.value[x.s]; large(sum) {
			return 0, false
		}
	}
	return sum, true
}

// complete chooses the value of a symbol that a model says nothing of: what others determine, else what is nearest to
// zero.
func (t *table) complete(m *model, id symID) bool {
	s := &t.syms[id]
	if s.mem.view == keyed { // its values depend on those of other keys
		return false
	}
	idx := make([]int64, 0, 2)
	for _, f := range s.idx {
		i, ok := t.sum(m, f)
		if !ok {
			return false
		}
		idx = append(idx, i)
	}
	v := min(max(0, s.lo), s.hi)
	switch s.kind {
	case mulSym:
		if a, b := idx[0], idx[1]; a > maxFactor || a < -maxFactor || b > maxFactor || b < -maxFactor {
			return false
		}
		v = idx[0] * idx[1]
	case divSym, modSym:
		if idx[1] == 0 {
			return false
		}
		if v = idx[0] / idx[1]; s.kind == modSym {
			v = idx[0] % idx[1]
		}
	case wrapSym:
		v = s.typ.Wrap(idx[0])
	default:
		if u, found := t.twinElement(m, id, idx); found {
			v = m.value[u]
		}
	}
	if v < s.lo || v > s.hi || v >= maxNumber || v <= -maxNumber {
		return false
	}
	m.value[id], m.known[id] = v, true
	return true
}

// twinElement is another symbol that is known in a model and means the same element as one with some indices.
func (t *table) twinElement(m *model, id symID, idx []int64) (twin symID, found bool) {
	if len(idx) == 0 {
		return 0, false
	}
	for u := range t.syms {
		if t.means(m, symID(u), id, idx) {
			return symID(u), true
		}
	}
	return 0, false
}

// sameElements are all such symbols, for one that is known.
func (t *table) sameElements(m *model, id symID) (list []symID) {
	var idx []int64
	for _, f := range t.syms[id].idx {
		i, ok := t.sum(m, f)
		if !ok {
			return nil
		}
		idx = append(idx, i)
	}
	for u := range t.syms {
		if t.means(m, symID(u), id, idx) {
			list = append(list, symID(u))
		}
	}
	return list
}

// means tells whether another symbol, known in a model, means the element that a symbol means with some indices.
func (t *table) means(m *model, u, id symID, idx []int64) bool {
	y, s := &t.syms[u], &t.syms[id]
	if u == id || int(u) >= len(m.known) || !m.known[u] || y.kind != wordSym || y.mem != s.mem ||
		len(y.idx) != len(idx) {
		return false
	}
	for k, f := range y.idx {
		if i, ok := t.sum(m, f); !ok || i != idx[k] {
			return false
		}
	}
	return true
}

// mended tells whether a model that satisfies all but the last literal of a cube satisfies it when a few values are
// changed. That model is kept then.
func (o *oracle) mended(t *table, lits []literal) bool {
	if len(lits) == 0 || slices.ContainsFunc(t.syms, func(s symbol) bool { return s.mem.view == keyed }) {
		return false
	}
	last := len(lits) - 1
	for i := len(t.models) - 1; i >= 0; i-- {
		if t.violated(&t.models[i], lits[:last]) != nil {
			continue
		}
		r := repair{t: t, lits: lits, left: maxMends}
		found, ok := r.from(&t.models[i], &lits[last], nil)
		o.spend((maxMends - r.left) / 8)
		if ok {
			t.keep(&found)
		}
		return ok
	}
	return false
}

// A repair looks for a model of a cube near a model of its first literals.
type repair struct {
	t    *table
	lits []literal
	left int // models that may still be looked at
}

// from changes a model, but for the symbols that have been changed already, so that a literal becomes true that is not,
// and goes on with the next one that is not.
func (r *repair) from(m *model, l *literal, moved []symID) (found model, ok bool) {
	f := form{terms: r.t.dirs[l.dir].terms}
	sum, known := r.t.sum(m, f)
	if !known || len(moved) == maxMoved {
		return found, false
	}
	r.t.moves(f.terms, l.lacks(sum), func(id symID, by int64) bool {
		if r.left == 0 || slices.Contains(moved, id) {
			return r.left > 0
		}
		next, possible := r.t.moved(m, id, by)
		if !possible {
			return true
		}
		r.left--
		if bad := r.t.violated(&next, r.lits); bad == nil {
			found, ok = next, true
		} else if bad != l {
			found, ok = r.from(&next, bad, append(moved[:len(moved):len(moved)], id))
		}
		return !ok
	})
	return found, ok
}

// lacks is what must at least be added to a sum to make a literal true that is not; for a disequation it is one.
func (l *literal) lacks(sum int64) int64 {
	switch {
	case l.rel == eqRel && l.neg:
		return 1
	case l.rel == leRel && l.neg:
		return l.k + 1 - sum
	}
	return l.k - sum
}

// moves are changes of single symbols that may change a sum of terms by a number: those of its own symbols, and small
// ones of what its quotients, remainders, products and elements depend on.
func (t *table) moves(terms []term, by int64, each func(id symID, by int64) bool) bool {
	for _, x := range terms {
		s := &t.syms[x.s]
		switch {
		case s.kind.nonlinear():
			for _, f := range s.idx {
				for _, small := range [...]int64{1, -1, 2} {
					if !t.moves(f.terms, small, each) {
						return false
					}
				}
			}
		case by%x.c == 0:
			if !each(x.s, by/x.c) {
				return false
			}
		default: // an inequation may take more than it lacks
			if more := by/x.c + 1; !each(x.s, more) || !each(x.s, more-2) {
				return false
			}
		}
	}
	return true
}

// moved is a copy of a model with another value of a symbol. What depends on it is unknown.
func (t *table) moved(m *model, id symID, by int64) (next model, possible bool) {
	s := &t.syms[id]
	v := m.value[id] + by
	if large(by) || v < s.lo || v > s.hi || v >= maxNumber || v <= -maxNumber {
		return next, false
	}
	next = model{slices.Clone(m.value), slices.Clone(m.known)}
	next.value[id] = v
	gone := append(make([]symID, 0, 8), id)
	if len(s.idx) > 0 {
		gone = append(gone, t.sameElements(m, id)...)
		for _, u := range gone[1:] {
			next.known[u] = false
		}
	}
	for len(gone) > 0 {
		id, gone = gone[0], gone[1:]
		for u := range t.syms {
			if next.known[u] && slices.ContainsFunc(t.syms[u].idx, func(f form) bool { return f.mentions(id) }) {
				next.known[u] = false
				gone = append(gone, symID(u))
			}
		}
	}
	return next, true
}

// mentions tells whether a symbol is in a form, not counting indices.
func (f form) mentions(id symID) bool {
	return slices.ContainsFunc(f.terms, func(x term) bool { return x.s == id })
}
