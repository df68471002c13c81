package explore

import (
	"fmt"
	"hash/maphash"
	"math/rand"
	"testing"

	"cdpor/lang/step"
)

// TestTreeSet compares the set with a map, for every small length, for words small and large, negative ones too.
func TestTreeSet(t *testing.T) {
	for words := range 12 {
		rng := rand.New(rand.NewSource(int64(words)))
		set, want := newTreeSet(words), map[string]bool{}
		v := make(step.State, words)
		for range 20_000 {
			for range rng.Intn(3) {
				if words == 0 {
					break
				}
				w := int64(rng.Intn(4))
				switch rng.Intn(20) {
				case 0:
					w -= 2
				case 1:
					w += largeLeaf - 2
				case 2:
					w -= 1 << 62
				}
				v[rng.Intn(words)] = w
			}
			key := string(v.Bytes())
			if added := set.add(v); added == want[key] {
				t.Fatalf("%v: added %v", v, added)
			}
			want[key] = true
		}
		if set.len() != len(want) {
			t.Errorf("%d words: %d vectors, want %d", words, set.len(), len(want))
		}
	}
}

// BenchmarkVisited remembers random walks of a counter machine's states; an op is one state.
func BenchmarkVisited(b *testing.B) {
	for _, words := range []int{8, 32} {
		walk := func(rng *rand.Rand, v step.State) {
			v[rng.Intn(words)] = int64(rng.Intn(8))
		}
		b.Run(fmt.Sprintf("tree/%d", words), func(b *testing.B) {
			rng, set, v := rand.New(rand.NewSource(1)), newTreeSet(words), make(step.State, words)
			for b.Loop() {
				walk(rng, v)
				set.add(v)
			}
			b.ReportMetric(float64(set.bytes())/float64(set.len()), "bytes/state")
		})
		b.Run(fmt.Sprintf("hash/%d", words), func(b *testing.B) {
			rng, v := rand.New(rand.NewSource(1)), make(step.State, words)
			seeds := [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
			seen := map[[2]uint64]struct{}{}
			for b.Loop() {
				walk(rng, v)
				seen[[2]uint64{v.Hash(seeds[0]), v.Hash(seeds[1])}] = struct{}{}
			}
		})
	}
}
