//go:build cgo && !noz3

package synth

import (
	"context"
	"maps"
	"math/rand"
	"slices"
	"testing"

	"cdpor/constraints"
	"cdpor/lang/random"
)

// TestShippedFiles: what is written for the shipped programs can be read again, means the same, and its facts are
// proved.
func TestShippedFiles(t *testing.T) {
	s, err := NewSession(Options{})
	if err != nil {
		t.Fatal(err)
	}
	programs := shipped(t)
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		prog := programs[name]
		set, _, err := s.Synthesize(context.Background(), prog)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		file := set.Format()
		again, err := constraints.Load(prog, name, file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if string(again.Format()) != string(file) {
			t.Errorf("%s: read and written again it is another file:\n%s\ninstead of\n%s", name, again.Format(), file)
		}
		e := s.engine(context.Background(), prog)
		for _, f := range again.Assumed {
			if why := e.known.doubt(f); why != "" {
				t.Errorf("%s: %s: %s", name, factText(f), why)
			}
		}
	}
}

// TestRandomFiles: so can what is written for random programs.
func TestRandomFiles(t *testing.T) {
	s, err := NewSession(Options{})
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{`cdpor: 1
atomicity: access
shared: {a: int = 1, ra: A}
bounds: {A: 2, A.m: 2}
actors:
  A(p int):
    methods:
      m(k int) int: |
        return k
threads:
  p: |
    let a1 = new A(0); ra = a1; let f = a1!m(1); a = await f
  q: a = a
`}
	for i := range int64(300) {
		r := rand.New(rand.NewSource(i))
		texts = append(texts, random.Program(r, random.Draw(r)))
	}
	for _, text := range texts {
		prog := load(t, text)
		set, _, err := s.Synthesize(context.Background(), prog)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		file := set.Format()
		again, err := constraints.Load(prog, "random.yaml", file)
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, text, file)
		}
		if string(again.Format()) != string(file) {
			t.Errorf("read and written again it is another file:\n%s\ninstead of\n%s", again.Format(), file)
		}
	}
}
