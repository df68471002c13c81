package synth

import (
	"math/bits"
	"slices"
)

// bitset is a set of cells.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) set(i int) { b[i/64] |= 1 << (i % 64) }

func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }

func (b bitset) equal(c bitset) bool { return slices.Equal(b, c) }

func (b bitset) add(c bitset) {
	for i := range b {
		b[i] |= c[i]
	}
}

func (b bitset) meets(c bitset) bool {
	for i := range b {
		if b[i]&c[i] != 0 {
			return true
		}
	}
	return false
}

func (b bitset) and(c bitset) bitset {
	r := make(bitset, len(b))
	for i := range b {
		r[i] = b[i] & c[i]
	}
	return r
}

func (b bitset) minus(c bitset) bitset {
	r := make(bitset, len(b))
	for i := range b {
		r[i] = b[i] &^ c[i]
	}
	return r
}

func (b bitset) count() (n int) {
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return
}
