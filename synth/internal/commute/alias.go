package commute

import (
	"math"
	"slices"

	"cdpor/synth/internal/partition"
	"cdpor/synth/internal/term"
)

// One step may speak of item[k] and the other one of item[0]. Where k is 0 these are one word, and what is known of it
// under both names is said of one: k != 0 || item[0].stock != 3, not item[0].stock > 3 || k != 0 || item[k].stock < 3.

// maxSplits bounds the equations that leaves are told apart by, maxWords the words that are compared.
const maxSplits, maxWords = 4, 16

// oneName says the same in each leaf with one name for words that its own equations make the same. Leaves that leave it
// open whether the words are the same are split. It is nil if there are no such words, or if some pair of leaves would
// no longer contradict each other in one direction.
func (n *Entry) oneName(leaves []partition.Leaf) []partition.Leaf {
	if n.A == n.B { // of which the cells are about the words of both processes anyway
		return nil
	}
	words := n.wordsOf(leaves)
	same := n.same(leaves, words)
	if len(same) == 0 || len(same) > maxSplits {
		return nil
	}
	split := leaves
	for _, s := range same {
		var next []partition.Leaf
		for _, f := range split {
			if n.decides(f.Cube, s.when) || !n.mentions(f.Cube, s.word) {
				next = append(next, f)
				continue
			}
			for _, l := range []term.Literal{s.when, s.when.Not()} {
				g := f
				g.Cube = append(slices.Clone(f.Cube), l)
				next = append(next, g)
			}
		}
		split = next
	}
	var renamed []partition.Leaf
	first := func(l term.Literal) int { // whether the words are the same stands in front of what they hold
		if slices.ContainsFunc(same, func(a alias) bool { return a.when.Dir == l.Dir }) {
			return 0
		}
		return 1
	}
	for _, f := range split {
		if cube, possible := n.renamed(f.Cube, words); possible {
			slices.SortStableFunc(cube, func(l, m term.Literal) int { return first(l) - first(m) })
			f.Cube = cube
			renamed = append(renamed, f)
		}
	}
	if !partition.Apart(renamed) {
		return nil
	}
	return renamed
}

// An alias is an equation that makes a word the same as one with another name.
type alias struct {
	when term.Literal
	word [2]term.SymID
}

// same are the equations of some leaves that make two of the words the same.
func (n *Entry) same(leaves []partition.Leaf, words []term.SymID) (list []alias) {
	for _, f := range leaves {
		for _, eq := range n.equations(f.Cube) {
			when := n.Table.Atom(eq, term.EqRel)
			for i, y := range words {
				for _, x := range words[:i] {
					a := alias{when, [2]term.SymID{x, y}}
					if n.areSame(x, y, []term.Form{eq}) && !slices.Contains(list, a) {
						list = append(list, a)
					}
				}
			}
		}
	}
	return list
}

// decides reports whether a cube tells whether an equation holds.
func (n *Entry) decides(cube []term.Literal, when term.Literal) bool {
	v := n.interval(cube, when.Dir)
	_, known := v.Decides(when)
	return known
}

// interval is what a cube says of a direction.
func (n *Entry) interval(cube []term.Literal, dir int) *term.Interval {
	v := &term.Interval{Lo: n.Table.Dirs[dir].Lo, Hi: n.Table.Dirs[dir].Hi}
	for _, l := range cube {
		if l.Dir == dir {
			v.Add(l)
		}
	}
	return v
}

// mentions reports whether a cube is about one of two words.
func (n *Entry) mentions(cube []term.Literal, words [2]term.SymID) bool {
	return slices.ContainsFunc(cube, func(l term.Literal) bool {
		return slices.ContainsFunc(n.Table.Dirs[l.Dir].Terms, func(x term.Term) bool {
			return x.S == words[0] || x.S == words[1]
		})
	})
}

// wordsOf are the symbols of elements in leaves, in the order in which the table has them; nil if they are too many.
func (n *Entry) wordsOf(leaves []partition.Leaf) (words []term.SymID) {
	for _, f := range leaves {
		for _, l := range f.Cube {
			for _, x := range n.Table.Dirs[l.Dir].Terms {
				if s := &n.Table.Syms[x.S]; s.Kind == term.WordSym && len(s.Idx) > 0 && !slices.Contains(words, x.S) {
					words = append(words, x.S)
				}
				if len(words) > maxWords {
					return nil
				}
			}
		}
	}
	slices.Sort(words)
	return words
}

// renamed is a cube with one of several names for each word, which is one with a number for an index if there is one;
// possible is false if no state is in it.
func (n *Entry) renamed(cube []term.Literal, words []term.SymID) (renamed []term.Literal, possible bool) {
	known := n.equations(cube)
	other := map[term.SymID]term.SymID{}
	for i, y := range words {
		for _, x := range words[:i] {
			from, to := y, x
			if n.rank(y, words) > n.rank(x, words) {
				from, to = x, y
			}
			if _, has := other[from]; !has && n.areSame(x, y, known) {
				other[from] = to
			}
		}
	}
	for _, l := range cube {
		f, same := term.Constant(-l.K), true
		for _, x := range n.Table.Dirs[l.Dir].Terms {
			s := x.S
			for to, has := other[s]; has; to, has = other[s] {
				s, same = to, false
			}
			f = f.Plus(x.C, term.One(s))
		}
		switch {
		case same:
		case f.Constant() && (f.K == 0 || l.Rel == term.LeRel && f.K < 0) == l.Neg,
			!f.Constant() && l.Rel == term.EqRel && f.NoZero() && !l.Neg:
			return nil, false
		case f.Constant() || l.Rel == term.EqRel && f.NoZero():
			continue
		default:
			m := n.Table.Atom(f, l.Rel)
			m.Neg = m.Neg != l.Neg
			n.Names.Like(m, l)
			l = m
		}
		if v := n.interval(append(renamed[:len(renamed):len(renamed)], l), l.Dir); v.Lo > v.Hi {
			return nil, false
		}
		renamed = append(renamed, l)
	}
	return renamed, true
}

// rank is high for the name that a word is best said with: numbers for indices, else those of words that have no other
// name, else what p knows them by.
func (n *Entry) rank(word term.SymID, words []term.SymID) (rank int) {
	s := &n.Table.Syms[word]
	first := slices.IndexFunc(s.Idx, func(f term.Form) bool { return !f.Constant() })
	if first < 0 {
		return math.MaxInt
	}
	for _, y := range words {
		other := &n.Table.Syms[y]
		if slices.EqualFunc(s.Idx, other.Idx, term.Form.Equal) && !slices.ContainsFunc(words, func(z term.SymID) bool {
			return z != y && n.Table.Syms[z].Mem == other.Mem
		}) {
			rank += 2
		}
	}
	if n.Table.Syms[s.Idx[first].Terms[0].S].Mem.Slot == 0 {
		rank++
	}
	return rank
}

// areSame reports whether equations make two words the same.
func (n *Entry) areSame(x, y term.SymID, known []term.Form) bool {
	s, t := &n.Table.Syms[x], &n.Table.Syms[y]
	return s.Mem == t.Mem && len(s.Idx) == len(t.Idx) && sameWord(s, t, known)
}

// sameWord reports whether equations make all indices of two words equal.
func sameWord(s, t *term.Symbol, known []term.Form) bool {
	for i := range s.Idx {
		d := s.Idx[i].Minus(t.Idx[i])
		zero := d.Constant() && d.K == 0
		for _, f := range known {
			for _, by := range []int64{1, -1} {
				rest := d.Plus(by, f)
				zero = zero || rest.Constant() && rest.K == 0
			}
		}
		if !zero {
			return false
		}
	}
	return true
}

// equations are the forms that a cube says to be zero.
func (n *Entry) equations(cube []term.Literal) (known []term.Form) {
	of := map[int]*term.Interval{}
	for _, l := range cube {
		d := &n.Table.Dirs[l.Dir]
		if of[l.Dir] == nil {
			of[l.Dir] = &term.Interval{Lo: d.Lo, Hi: d.Hi}
		}
		v := of[l.Dir]
		if v.Lo < v.Hi {
			if v.Add(l); v.Lo == v.Hi && v.Lo != math.MinInt64 {
				known = append(known, term.Form{Terms: d.Terms, K: -v.Lo})
			}
		}
	}
	return known
}
