package explore

import "math/bits"

// MaxActions is how many actions a program may have: processes, and for one that chooses, its alternatives.
const MaxActions = 256

// An actionSet is a set of actions (step.Machine.NumActions): of processes, where nothing is chosen.
type actionSet [MaxActions / 64]uint64

func (s *actionSet) has(p int) bool { return s[p>>6]>>(p&63)&1 != 0 }
func (s *actionSet) add(p int)      { s[p>>6] |= 1 << (p & 63) }
func (s *actionSet) remove(p int)   { s[p>>6] &^= 1 << (p & 63) }
func (s *actionSet) empty() bool    { return s[0]|s[1]|s[2]|s[3] == 0 }

// set makes s the same as t. Word by word: that does not wait for words just written, as copying several at once would.
func (s *actionSet) set(t *actionSet) {
	for w := range s {
		s[w] = t[w]
	}
}

// next returns the smallest member that is at least p, or -1: for p := s.next(0); p >= 0; p = s.next(p + 1).
func (s *actionSet) next(p int) int {
	for w := p >> 6; w < len(s); w++ {
		word := s[w]
		if w == p>>6 {
			word &= ^uint64(0) << (p & 63)
		}
		if word != 0 {
			return w<<6 + bits.TrailingZeros64(word)
		}
	}
	return -1
}

func (s *actionSet) len() int {
	return bits.OnesCount64(s[0]) + bits.OnesCount64(s[1]) + bits.OnesCount64(s[2]) + bits.OnesCount64(s[3])
}

func (s *actionSet) minus(t *actionSet) (r actionSet) {
	for w := range s {
		r[w] = s[w] &^ t[w]
	}
	return
}

func (s *actionSet) and(t *actionSet) (r actionSet) {
	for w := range s {
		r[w] = s[w] & t[w]
	}
	return
}

func (s *actionSet) union(t *actionSet) {
	for w := range s {
		s[w] |= t[w]
	}
}

func (s *actionSet) meets(t *actionSet) bool {
	return s[0]&t[0]|s[1]&t[1]|s[2]&t[2]|s[3]&t[3] != 0
}

// members appends the members of a set to a list.
func members[T int | int32](s *actionSet, list []T) []T {
	for a := s.next(0); a >= 0; a = s.next(a + 1) {
		list = append(list, T(a))
	}
	return list
}
