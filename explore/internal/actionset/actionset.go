// Package actionset has sets of actions (step.Machine.NumActions), of a fixed size: four words, without memory of their
// own.
package actionset

import (
	"fmt"
	"math/bits"
)

// Max is how many actions a program may have: processes, and for one that chooses, its alternatives.
const Max = 256

// A Set is a set of actions (step.Machine.NumActions): of processes, where nothing is chosen.
type Set [Max / 64]uint64

func (s *Set) Has(p int) bool { return s[p>>6]>>(p&63)&1 != 0 }
func (s *Set) Add(p int)      { s[p>>6] |= 1 << (p & 63) }
func (s *Set) Remove(p int)   { s[p>>6] &^= 1 << (p & 63) }
func (s *Set) Empty() bool    { return s[0]|s[1]|s[2]|s[3] == 0 }

// Set makes s the same as t. Word by word: that does not wait for words just written, as copying several at once would.
func (s *Set) Set(t *Set) {
	for w := range s {
		s[w] = t[w]
	}
}

// Next returns the smallest member that is at least p, or -1: for p := s.Next(0); p >= 0; p = s.Next(p + 1).
func (s *Set) Next(p int) int {
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

func (s *Set) Len() int {
	return bits.OnesCount64(s[0]) + bits.OnesCount64(s[1]) + bits.OnesCount64(s[2]) + bits.OnesCount64(s[3])
}

func (s *Set) Minus(t *Set) (r Set) {
	for w := range s {
		r[w] = s[w] &^ t[w]
	}
	return
}

func (s *Set) And(t *Set) (r Set) {
	for w := range s {
		r[w] = s[w] & t[w]
	}
	return
}

func (s *Set) Union(t *Set) {
	for w := range s {
		s[w] |= t[w]
	}
}

func (s *Set) Meets(t *Set) bool {
	return s[0]&t[0]|s[1]&t[1]|s[2]&t[2]|s[3]&t[3] != 0
}

// Members appends the members of a set to a list.
func Members[T int | int32](s *Set, list []T) []T {
	for a := s.Next(0); a >= 0; a = s.Next(a + 1) {
		list = append(list, T(a))
	}
	return list
}

// Of is the set of some actions of a program that has so many; an error names one that it has not.
func Of(list []int32, actions int) (set Set, err error) {
	for _, a := range list {
		if a < 0 || int(a) >= actions {
			return set, fmt.Errorf("there is no action %d", a)
		}
		set.Add(int(a))
	}
	return set, nil
}
