package partition

import (
	"math/bits"
	"slices"
)

// Bitset is a set of cells.
type Bitset []uint64

func NewBitset(n int) Bitset { return make(Bitset, (n+63)/64) }

func (b Bitset) Set(i int) { b[i/64] |= 1 << (i % 64) }

func (b Bitset) Clear(i int) { b[i/64] &^= 1 << (i % 64) }

func (b Bitset) Has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }

func (b Bitset) Equal(c Bitset) bool { return slices.Equal(b, c) }

func (b Bitset) Add(c Bitset) {
	for i := range b {
		b[i] |= c[i]
	}
}

func (b Bitset) meets(c Bitset) bool {
	for i := range b {
		if b[i]&c[i] != 0 {
			return true
		}
	}
	return false
}

func (b Bitset) and(c Bitset) Bitset {
	r := make(Bitset, len(b))
	for i := range b {
		r[i] = b[i] & c[i]
	}
	return r
}

func (b Bitset) minus(c Bitset) Bitset {
	r := make(Bitset, len(b))
	for i := range b {
		r[i] = b[i] &^ c[i]
	}
	return r
}

func (b Bitset) Count() (n int) {
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return
}
