package explore

import (
	"math/bits"
	"math/rand/v2"

	"cdpor/lang/step"
)

// A visitedSet remembers states by 128-bit hashes. Each half of a hash is the upper half of k0 + k1*w1 + k2*w2 + ... modulo
// 2^128, where the wi are the words of the state and the ki are random: a strongly universal family (Dietzfelbinger, Universal
// Hashing and k-Wise Independent Random Variables via Integer Arithmetic without Primes, STACS 1996). So two states are confused
// with probability below n^2/2^129 among n states, whatever the states are.
type visitedSet struct {
	hashes map[hash]struct{}
	seed   uint64
	keys   [][4]uint64 // per word, the two keys, each high and low half; after the last word, k0
}

type hash [2]uint64

// bytesPerState is what a visited state takes in the set, measured: a 16-byte key in a map at its average load.
const bytesPerState = 26

// newVisitedSet makes a set for states of at most a number of words. Equal seeds give equal hashes.
func newVisitedSet(words int, seed uint64) *visitedSet {
	v := &visitedSet{hashes: map[hash]struct{}{}, seed: seed, keys: make([][4]uint64, words+1)}
	rng := rand.NewPCG(seed, 0)
	for i := range v.keys {
		for k := range v.keys[i] {
			v.keys[i][k] = rng.Uint64()
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

func (v *visitedSet) hash(s step.State) hash {
	k := &v.keys[len(v.keys)-1]
	hi0, lo0, hi1, lo1 := k[0], k[1], k[2], k[3]
	keys := v.keys[:len(s)]
	for i, word := range s {
		k, w := &keys[i], uint64(word)
		hi, lo := bits.Mul64(k[1], w)
		var carry uint64
		lo0, carry = bits.Add64(lo0, lo, 0)
		hi0 += hi + k[0]*w + carry
		hi, lo = bits.Mul64(k[3], w)
		lo1, carry = bits.Add64(lo1, lo, 0)
		hi1 += hi + k[2]*w + carry
	}
	return hash{hi0, hi1}
}
