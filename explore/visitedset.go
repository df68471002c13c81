package explore

import (
	"math/bits"
	"math/rand/v2"

	"cdpor/lang/step"
)

// A visitedSet remembers states of one length by 128-bit hashes with random keys. Two states are confused with probability at most
// 2^-127, and so some two of n states with probability below n^2/2^128, whatever the states are. A hash is made in two steps:
//
//   - NH (Black, Halevi, Krawczyk, Krovetz, Rogaway, UMAC: Fast and Secure Message Authentication, CRYPTO 1999), the sum of
//     (k1+w1)*(k2+w2), (k3+w3)*(k4+w4)... modulo 2^128 over the words wi of the state, and once more with keys two further on:
//     256 bits, which are equal for two states with probability at most 2^-128;
//   - of these four words vi, twice, the upper half of l0 + l1*v1 + ... + l4*v4 modulo 2^128: strongly universal (Dietzfelbinger,
//     Universal Hashing and k-Wise Independent Random Variables via Integer Arithmetic without Primes, STACS 1996).
type visitedSet struct {
	hashes map[hash]struct{}
	seed   uint64
	keys   []uint64                      // of the first step
	last   [2][5]struct{ hi, lo uint64 } // of the second
}

type hash [2]uint64

// bytesPerState is what a visited state takes in the set, measured: a 16-byte key in a map at its average load.
const bytesPerState = 26

// newVisitedSet makes a set for states of a number of words. Equal seeds give equal hashes.
func newVisitedSet(words int, seed uint64) *visitedSet {
	v := &visitedSet{hashes: map[hash]struct{}{}, seed: seed, keys: make([]uint64, words+4)}
	rng := rand.NewPCG(seed, 0)
	for i := range v.keys {
		v.keys[i] = rng.Uint64()
	}
	for i := range v.last {
		for k := range v.last[i] {
			v.last[i][k].hi, v.last[i][k].lo = rng.Uint64(), rng.Uint64()
		}
	}
	return v
}

// add adds a state and reports whether it is new.
func (v *visitedSet) add(s step.State) bool {
	h := v.hash(s)
	if _, old := v.hashes[h]; old {
		return false
	}
	v.hashes[h] = struct{}{}
	return true
}

func (v *visitedSet) hash(s step.State) (h hash) {
	var a, b, c, d uint64
	i := 0
	for ; i+1 < len(s); i += 2 {
		k, w1, w2 := v.keys[i:i+4], uint64(s[i]), uint64(s[i+1])
		a, b = addProduct(a, b, k[0]+w1, k[1]+w2)
		c, d = addProduct(c, d, k[2]+w1, k[3]+w2)
	}
	if i < len(s) {
		k, w := v.keys[i:i+4], uint64(s[i])
		a, b = addProduct(a, b, k[0]+w, k[1])
		c, d = addProduct(c, d, k[2]+w, k[3])
	}
	for i := range h {
		l := &v.last[i]
		hi, lo := addProduct(l[4].hi+l[0].hi*a, l[4].lo, l[0].lo, a)
		hi, lo = addProduct(hi+l[1].hi*b, lo, l[1].lo, b)
		hi, lo = addProduct(hi+l[2].hi*c, lo, l[2].lo, c)
		h[i], _ = addProduct(hi+l[3].hi*d, lo, l[3].lo, d)
	}
	return h
}

// addProduct adds a*b to a number of 128 bits.
func addProduct(hi, lo, a, b uint64) (uint64, uint64) {
	high, low := bits.Mul64(a, b)
	lo, carry := bits.Add64(lo, low, 0)
	return hi + high + carry, lo
}
