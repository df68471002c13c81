package explore

import (
	"bufio"
	"bytes"
	"context"
	"math/rand"
	"sync"
	"testing"

	"cdpor/lang/step"
)

// TestTreeSet compares the set with a map, for every small length and several packings, for words small and large,
// negative ones too. The vectors are a walk: each is packed with the help of the one before or from nothing.
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
		a := set.newWriter()
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
			var added bool
			if i == 0 || rng.Intn(10) == 0 {
				added = a.add(to, v)
			} else {
				added = addAfter(a, before, old, to, v)
			}
			key := string(v.Bytes())
			if added == want[key] {
				t.Fatalf("%v: added %v", v, added)
			}
			if !added && rng.Intn(2) == 0 {
				a.add(to, v)
				added = true
			}
			if want[key] = true; added {
				before, to = to, before
				copy(old, v)
			} else {
				copy(v, old)
			}
		}
		if set.len() != len(want) {
			t.Errorf("%d words: %d vectors, want %d", words, set.len(), len(want))
		}
	}
}

// TestTreeSetShared lets several goroutines add to one set at once. The vectors come from few enough that they meet:
// each is to be new for exactly one of them, and all are there afterwards, in a copy that was saved and restored too.
func TestTreeSetShared(t *testing.T) {
	for _, words := range []int{0, 1, 2, 9, 40, 140} {
		p := &packing{room: []int{manyChunks, oneChunk}[words/2%2]}
		for range words {
			p.add(leastInt, someInts, 0)
		}
		set := newTreeSet(p)
		const many = 4
		var adders [many]*writer
		for i := range adders {
			adders[i] = set.newWriter()
		}
		var all [many]map[string]int // how often each vector was new
		var wg sync.WaitGroup
		for i, a := range adders {
			wg.Add(1)
			all[i] = map[string]int{}
			go func() {
				defer wg.Done()
				rng := rand.New(rand.NewSource(int64(i)))
				v, old := make(step.State, words), make(step.State, words)
				from, to := set.vector(), set.vector()
				a.add(from, old)
				for range 20_000 {
					for range min(words, 1+rng.Intn(2)) {
						v[rng.Intn(min(words, 6))*(words-1)/max(1, min(words, 6)-1)] = []int64{0, 1, 2, 3, 200, 1 << 40}[rng.Intn(6)]
					}
					if addAfter(a, from, old, to, v) {
						all[i][string(v.Bytes())]++
					} else {
						all[i][string(v.Bytes())] += 0
						a.add(to, v)
					}
					from, to = to, from
					copy(old, v)
				}
			}()
		}
		wg.Wait()
		news := map[string]int{}
		for _, found := range all {
			for key, n := range found {
				news[key] += n
			}
		}
		zero := string(make(step.State, words).Bytes())
		news[zero]++
		for key, n := range news {
			if n != 1 {
				t.Fatalf("%d words: %q was new %d times", words, key, n)
			}
		}
		if set.len() != len(news) {
			t.Errorf("%d words: %d vectors, want %d", words, set.len(), len(news))
		}
		saved := set.save()
		var text bytes.Buffer
		if err := saved.write(&text); err != nil {
			t.Fatal(err)
		}
		if err := saved.read(bufio.NewReader(&text)); err != nil {
			t.Fatal(err)
		}
		copied, err := saved.restore(p)
		if err != nil {
			t.Fatal(err)
		}
		a, to := copied.newWriter(), copied.vector()
		for key := range news {
			if v := wordsOf(key); a.add(to, v) {
				t.Fatalf("%d words: %v is lost", words, v)
			}
		}
		if copied.len() != set.len() {
			t.Errorf("%d words: %d vectors restored of %d", words, copied.len(), set.len())
		}
	}
}

// addAfter adds a vector v with the help of that of from, old.
func addAfter(a *writer, from *packed, old []int64, to *packed, v []int64) bool {
	var d difference
	for i, w := range v {
		d.add(&a.set.fields[i], old[i], w)
	}
	added, done := a.try(from, &d, to)
	return added || !done && a.addPlus(from, &d, to, v)
}

// wordsOf is the vector whose Bytes are a key of a map.
func wordsOf(key string) step.State {
	v := make(step.State, len(key)/8)
	copy(v.Bytes(), key)
	return v
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
