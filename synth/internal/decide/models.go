package decide

import "cdpor/synth/internal/term"

// Models. Of two opposite questions after the same decisions one is answered by any state in which the decisions hold.
// So the states that earlier questions have found are kept, and looked at before anything is proved, with the values of
// symbols that they say nothing of chosen freely.

// A model is a state: a value for each symbol that is known in it. What is known satisfies the bounds of the symbols,
// and what quotients, remainders, products, and elements at equal indices mean.
type model struct {
	value []int64
	known []bool
}

const (
	// maxModels is how many models a set keeps.
	maxModels = 24
	// maxFactor bounds the coefficients of forms that models are asked about, maxNumber the values.
	maxFactor, maxNumber = 1 << 20, 1 << 40
)

// A modelSet has the models of a table that were found last, those of use last at the end.
type modelSet struct {
	t    *term.Table
	list []model
}

// about forgets the models of other tables.
func (all *modelSet) about(t *term.Table) *modelSet {
	if all.t != t {
		all.t, all.list = t, nil
	}
	return all
}

// add keeps the solution of a question, the values of some symbols, in the place of the oldest one if there are enough.
func (all *modelSet) add(syms []term.SymID, values []int64) {
	list, m := all.list, model{}
	if len(list) == maxModels {
		m = list[0]
		copy(list, list[1:])
		list = list[:maxModels-1]
	}
	m.value, m.known = m.value[:0], m.known[:0]
	m.grow(len(all.t.Syms))
	for i, id := range syms {
		m.value[id], m.known[id] = values[i], true
	}
	all.list = append(list, m)
}

// grow makes room for new symbols, which are unknown.
func (m *model) grow(count int) {
	for len(m.value) < count {
		m.value, m.known = append(m.value, 0), append(m.known, false)
	}
}

// show reports whether a model satisfies a cube and the facts of the table.
func (all *modelSet) show(lits []term.Literal) bool {
	s := all.list
	for i := len(s) - 1; i >= 0; i-- {
		if all.satisfies(&s[i], lits) {
			m := s[i] // likely to be of use again
			copy(s[i:], s[i+1:])
			s[len(s)-1] = m
			return true
		}
	}
	return false
}

// satisfies reports whether a model is known to satisfy a cube and the facts of the table.
func (all *modelSet) satisfies(m *model, lits []term.Literal) bool {
	m.grow(len(all.t.Syms))
	for _, list := range [...][]term.Literal{lits, all.t.Facts} {
		for i := range list {
			if holds, ok := all.truth(m, &list[i]); !ok || !holds {
				return false
			}
		}
	}
	return true
}

// truth is the truth of a literal in a model; ok is false where that cannot be said.
func (all *modelSet) truth(m *model, l *term.Literal) (holds, ok bool) {
	sum, ok := all.sum(m, term.Form{Terms: all.t.Dirs[l.Dir].Terms})
	return (l.Rel == term.EqRel && sum == l.K || l.Rel == term.LeRel && sum <= l.K) != l.Neg, ok
}

// sum is the value of a form in a model, which chooses the values of symbols that are new to it; ok is false where it
// cannot.
func (all *modelSet) sum(m *model, f term.Form) (sum int64, ok bool) {
	sum = f.K
	if large(sum) {
		return 0, false
	}
	for _, x := range f.Terms {
		if !m.known[x.S] && !all.complete(m, x.S) || x.C > maxFactor || x.C < -maxFactor {
			return 0, false
		}
		if sum += x.C * m.value[x.S]; large(sum) {
			return 0, false
		}
	}
	return sum, true
}

// complete chooses the value of a symbol that a model says nothing of: what others determine, else what is nearest to
// zero.
func (all *modelSet) complete(m *model, id term.SymID) bool {
	s := &all.t.Syms[id]
	if s.Mem.View == term.Keyed { // its values depend on those of other keys
		return false
	}
	idx := make([]int64, 0, 2)
	for _, f := range s.Idx {
		i, ok := all.sum(m, f)
		if !ok {
			return false
		}
		idx = append(idx, i)
	}
	v := min(max(0, s.Lo), s.Hi)
	switch s.Kind {
	case term.MulSym:
		if a, b := idx[0], idx[1]; a > maxFactor || a < -maxFactor || b > maxFactor || b < -maxFactor {
			return false
		}
		v = idx[0] * idx[1]
	case term.DivSym, term.ModSym:
		if idx[1] == 0 {
			return false
		}
		if v = idx[0] / idx[1]; s.Kind == term.ModSym {
			v = idx[0] % idx[1]
		}
	case term.WrapSym:
		v = s.Typ.Wrap(idx[0])
	default:
		if u, found := all.twinElement(m, id, idx); found {
			v = m.value[u]
		}
	}
	if v < s.Lo || v > s.Hi || v >= maxNumber || v <= -maxNumber {
		return false
	}
	m.value[id], m.known[id] = v, true
	return true
}

// twinElement is another symbol that is known in a model and means the same element as one with some indices.
func (all *modelSet) twinElement(m *model, id term.SymID, idx []int64) (twin term.SymID, found bool) {
	if len(idx) == 0 {
		return 0, false
	}
	for u := range all.t.Syms {
		if all.means(m, term.SymID(u), id, idx) {
			return term.SymID(u), true
		}
	}
	return 0, false
}

// means reports whether another symbol, known in a model, means the element that a symbol means with some indices.
func (all *modelSet) means(m *model, u, id term.SymID, idx []int64) bool {
	y, s := &all.t.Syms[u], &all.t.Syms[id]
	if u == id || int(u) >= len(m.known) || !m.known[u] || y.Kind != term.WordSym || y.Mem != s.Mem ||
		len(y.Idx) != len(idx) {
		return false
	}
	for k, f := range y.Idx {
		if i, ok := all.sum(m, f); !ok || i != idx[k] {
			return false
		}
	}
	return true
}
