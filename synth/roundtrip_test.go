//go:build cgo && !noz3

package synth

import (
	"context"
	"maps"
	"slices"
	"testing"

	"cdpor/constraints"
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
