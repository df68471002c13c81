package explore

import (
	"math/bits"
	"math/rand"
	"testing"

	"cdpor/lang/step"
)

// TestHash: a hash depends on every word and on the seed, and on nothing else. A change of one bit changes half of its bits.
func TestHash(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for words := 1; words < 40; words++ {
		v, same, other := newVisitedSet(words, 5), newVisitedSet(words, 5), newVisitedSet(words, 6)
		s := make(step.State, words)
		for i := range s {
			s[i] = rng.Int63n(5) - 1
		}
		h := v.hash(s)
		if h != same.hash(s) || h == other.hash(s) {
			t.Fatalf("%d words: hashes do not depend on the seed alone", words)
		}
		changed, flips := 0, 0
		for i := range s {
			for bit := range 64 {
				s[i] ^= 1 << bit
				g := v.hash(s)
				if g[0] == h[0] || g[1] == h[1] {
					t.Fatalf("%d words: bit %d of word %d changes only a part of the hash", words, bit, i)
				}
				changed += bits.OnesCount64(g[0]^h[0]) + bits.OnesCount64(g[1]^h[1])
				flips++
				s[i] ^= 1 << bit
			}
		}
		if average := float64(changed) / float64(flips); average < 60 || average > 68 {
			t.Errorf("%d words: %.1f of 128 bits change", words, average)
		}
	}
}
