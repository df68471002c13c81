package explore

import (
	"context"
	"math/rand"
	"testing"

	"cdpor/lang/step"
)

// TestTreeSet compares the set with a map, for every small length and several packings, for words small and large, negative ones too.
// The vectors are a walk: each is packed with the help of the one before or from nothing.
func TestTreeSet(t *testing.T) {
	for words := range 120 {
		rng := rand.New(rand.NewSource(int64(words)))
		p := &packing{room: []int{manyChunks, oneChunk}[words/2%2]}
		for range words {
			if words%2 == 0 {
				p.add(leastInt, someInts, 0)
			} else { // words of few bits
				p.add(int64(rng.Intn(2)-1), uint64(1+rng.Intn(20)), int64(rng.Intn(3)*100))
			}
		}
		set, want := newTreeSet(p), map[string]bool{}
		v, before, old := make(step.State, words), set.vector(), make(step.State, words)
		to := set.vector()
		for i := range 10_000 {
			for range min(words, rng.Intn(4)) {
				w := int64(rng.Intn(4))
				switch rng.Intn(30) {
				case 0:
					w -= 2
				case 1:
					w = []int64{253, 254, 255, 256, 1 << 40}[rng.Intn(5)]
				case 2:
					w -= 1 << 62
				}
				v[rng.Intn(words)] = w
			}
			from := before
			if i == 0 || rng.Intn(10) == 0 {
				from = nil
			}
			key := string(v.Bytes())
			if added := set.add(from, old, to, v); added == want[key] {
				t.Fatalf("%v: added %v", v, added)
			}
			want[key] = true
			before, to = to, before
			copy(old, v)
		}
		if set.len() != len(want) {
			t.Errorf("%d words: %d vectors, want %d", words, set.len(), len(want))
		}
	}
}

// BenchmarkExhaustive visits the states of shipped programs; an op is a complete search.
func BenchmarkExhaustive(b *testing.B) {
	for _, c := range []struct{ name, n string }{{"dining-philosophers", "8"}, {"fib-observed", "5"}, {"inc", "6"}} {
		m := shipped(b, c.name, map[string]string{"N": c.n})
		b.Run(c.name+c.n, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				res, err := Run(context.Background(), m, exhaustiveAlgorithm, Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(res.States), "states/op")
				b.ReportMetric(float64(res.Memory)/float64(res.States), "bytes/state")
			}
		})
	}
}
