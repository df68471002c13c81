package explore

import "math/bits"

// MaxProcs is how many processes a program may have.
const MaxProcs = 256

// A procSet is a set of process indices.
type procSet [MaxProcs / 64]uint64

func (s *procSet) has(p int) bool { return s[p>>6]>>(p&63)&1 != 0 }
func (s *procSet) add(p int)      { s[p>>6] |= 1 << (p & 63) }
func (s *procSet) remove(p int)   { s[p>>6] &^= 1 << (p & 63) }
func (s *procSet) empty() bool    { return s[0]|s[1]|s[2]|s[3] == 0 }

// next returns the smallest member that is at least p, or -1: for p := s.next(0); p >= 0; p = s.next(p + 1).
func (s *procSet) next(p int) int {
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

func (s *procSet) len() int {
	return bits.OnesCount64(s[0]) + bits.OnesCount64(s[1]) + bits.OnesCount64(s[2]) + bits.OnesCount64(s[3])
}

func (s *procSet) minus(t *procSet) (r procSet) {
	for w := range s {
		r[w] = s[w] &^ t[w]
	}
	return
}

func (s *procSet) and(t *procSet) (r procSet) {
	for w := range s {
		r[w] = s[w] & t[w]
	}
	return
}

func (s *procSet) union(t *procSet) {
	for w := range s {
		s[w] |= t[w]
	}
}

func (s *procSet) meets(t *procSet) bool {
	return s[0]&t[0]|s[1]&t[1]|s[2]&t[2]|s[3]&t[3] != 0
}
