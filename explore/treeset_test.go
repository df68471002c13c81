package explore

import (
	"context"
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
