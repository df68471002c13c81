package stateset

import (
	"bufio"
	"bytes"
	"math/rand"
	"sync"
	"testing"

	"cdpor/lang/step"
)

// TestTreeSet compares the set with a map, for every small length and several packings, for words small and large,
// negative ones too. The vectors are a walk: each is packed with the help of the one before or from nothing.
func TestTreeSet(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	for words := range 120 {
		rng := rand.New(rand.NewSource(int64(words)))
		p := &Packing{room: []int{manyChunks, oneChunk}[words/2%2]}
		for range words {
			if words%2 == 0 {
				p.Add(leastInt, SomeInts, 0)
			} else { // words of few bits
				p.Add(int64(rng.Intn(2)-1), uint64(1+rng.Intn(20)), int64(rng.Intn(3)*100))
			}
		}
		set, want := NewTreeSet(p), map[string]bool{}
		a := set.NewWriter()
		v, before, old := make(step.State, words), set.Vector(), make(step.State, words)
		to := set.Vector()
		others := newByChunks(p)
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
				added = a.Add(to, v)
			} else {
				added = addAfter(a, before, old, to, v)
			}
			key := string(v.Bytes())
			if added == want[key] {
				t.Fatalf("%v: added %v", v, added)
			}
			others.add(t, v)
			if !added && rng.Intn(2) == 0 {
				a.Add(to, v)
				added = true
			}
			if want[key] = true; added {
				before, to = to, before
				copy(old, v)
			} else {
				copy(v, old)
			}
		}
		if set.Len() != len(want) {
			t.Errorf("%d words: %d vectors, want %d", words, set.Len(), len(want))
		}
	}
}

// TestTreeSetShared lets several goroutines add to one set at once. The vectors come from few enough that they meet:
// each is to be new for exactly one of them, and all are there afterwards, in a copy that was saved and restored too.
func TestTreeSetShared(t *testing.T) {
	for _, words := range []int{0, 1, 2, 9, 40, 140} {
		p := &Packing{room: []int{manyChunks, oneChunk}[words/2%2]}
		for range words {
			p.Add(leastInt, SomeInts, 0)
		}
		set := NewTreeSet(p)
		const many = 4
		var adders [many]*Writer
		for i := range adders {
			adders[i] = set.NewWriter()
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
				from, to := set.Vector(), set.Vector()
				a.Add(from, old)
				for range 20_000 {
					for range min(words, 1+rng.Intn(2)) {
						at := rng.Intn(min(words, 6)) * (words - 1) / max(1, min(words, 6)-1)
						v[at] = []int64{0, 1, 2, 3, 200, 1 << 40}[rng.Intn(6)]
					}
					if addAfter(a, from, old, to, v) {
						all[i][string(v.Bytes())]++
					} else {
						all[i][string(v.Bytes())] += 0
						a.Add(to, v)
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
		if set.Len() != len(news) {
			t.Errorf("%d words: %d vectors, want %d", words, set.Len(), len(news))
		}
		saved := set.Save()
		var text bytes.Buffer
		if err := saved.Write(&text); err != nil {
			t.Fatal(err)
		}
		if err := saved.Read(bufio.NewReader(&text)); err != nil {
			t.Fatal(err)
		}
		copied, err := saved.Restore(p)
		if err != nil {
			t.Fatal(err)
		}
		a, to := copied.NewWriter(), copied.Vector()
		for key := range news {
			if v := wordsOf(key); a.Add(to, v) {
				t.Fatalf("%d words: %v is lost", words, v)
			}
		}
		if copied.Len() != set.Len() {
			t.Errorf("%d words: %d vectors restored of %d", words, copied.Len(), set.Len())
		}
	}
}

// addAfter adds a vector v with the help of that of from, old.
func addAfter(a *Writer, from *Packed, old []int64, to *Packed, v []int64) bool {
	var d Difference
	for i, w := range v {
		d.Add(&a.Set.Fields[i], old[i], w)
	}
	added, done := a.Try(from, &d, to)
	return added || !done && a.AddPlus(from, &d, to, v)
}

// wordsOf is the vector whose Bytes are a key of a map.
func wordsOf(key string) step.State {
	v := make(step.State, len(key)/8)
	copy(v.Bytes(), key)
	return v
}

// byChunks is a set to which vectors are added that come as chunks.
type byChunks struct {
	*Writer
	last, now *Packed
	want      map[string]bool
}

func newByChunks(p *Packing) *byChunks {
	set := NewTreeSet(p)
	return &byChunks{Writer: set.NewWriter(), now: set.Vector(), want: map[string]bool{}}
}

// add adds a vector, unless it has words without a code, and expects that it is unpacked again.
func (s *byChunks) add(t *testing.T, v step.State) {
	s.Set.Pack(s.now, v)
	if s.now.Large > 0 {
		return
	}
	key, got := string(v.Bytes()), make(step.State, len(v))
	if !s.Set.Unpack(s.now.Chunks, got) || string(got.Bytes()) != key {
		t.Fatalf("%v is unpacked, not %v", got, v)
	}
	if added := s.AddChunks(s.last, s.now); added == s.want[key] {
		t.Fatalf("%v: added %v", v, added)
	}
	s.want[key] = true
	if s.last == nil {
		s.last = s.Set.Vector()
	}
	s.last, s.now = s.now, s.last
}

// TestUnpack: what is no code is not unpacked.
func TestUnpack(t *testing.T) {
	p := &Packing{room: manyChunks}
	p.Add(0, 5, 7) // 5 is the code of 7
	var v [1]int64
	for code, want := range map[uint64]int64{0: 0, 4: 4, 5: 7} {
		if !p.Unpack([]uint64{code}, v[:]) || v[0] != want {
			t.Errorf("%d is unpacked as %d", code, v[0])
		}
	}
	if p.Unpack([]uint64{6}, v[:]) {
		t.Errorf("6 is unpacked as %d", v[0])
	}
}
