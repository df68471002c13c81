//go:build cgo && !noz3

package synth

import (
	"context"
	"maps"
	"slices"
	"testing"

	"cdpor/constraints"
	"cdpor/lang"
	"cdpor/lang/step"
)

// What the conditions of the shipped programs come to, in characters: true and false are not counted. These are the
// best figures so far; a change that makes them smaller lowers them here.
const (
	medianLength, ninthDecile, longest = 21, 68, 503
	overLimit                          = 67 // conditions of more than lengthLimit
	lengthLimit                        = 160
)

// TestLengths: the conditions that people read do not grow.
func TestLengths(t *testing.T) {
	var lengths []int
	s, err := NewSession(Options{})
	if err != nil {
		t.Fatal(err)
	}
	programs := shipped(t)
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		set, _, err := s.Synthesize(context.Background(), programs[name])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, p := range set.Pairs {
			for _, e := range []*step.Expr{p.Commute, p.Uniform} {
				if !constraints.IsTrue(e) && !constraints.IsFalse(e) {
					lengths = append(lengths, len(lang.FormatExpr(e, p.A.Template, p.B.Template)))
				}
			}
		}
	}
	slices.Sort(lengths)
	n := len(lengths)
	median, decile, most := lengths[n/2], lengths[n*9/10], lengths[n-1]
	at, _ := slices.BinarySearch(lengths, lengthLimit+1)
	t.Logf("%d conditions: median %d, ninth decile %d, longest %d, %d of more than %d", n, median, decile, most, n-at,
		lengthLimit)
	if median > medianLength || decile > ninthDecile || most > longest || n-at > overLimit {
		t.Errorf("the conditions have grown: median %d, ninth decile %d, longest %d, %d of more than %d", median, decile,
			most, n-at, lengthLimit)
	}
}
