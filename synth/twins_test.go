//go:build cgo && !noz3

package synth

import (
	"context"
	"math/rand"
	"testing"

	"cdpor/constraints"
	"cdpor/lang/step"
)

// TestTwins: of two pairs of equal steps one may not have been asked for, so what is found for a triple of one says
// nothing of the other. Here c creates the independence of the second pair, whose step a2 is independent of it.
func TestTwins(t *testing.T) {
	text := `cdpor: 1
shared: {x: int, y: int}
threads:
  a1: x = 5
  b1: y = x
  a2: x = 5
  b2: y = x
  c: x = 5
check: {deadlock: allowed}
`
	asked := map[[2]string]bool{{"a1.1", "b1.1"}: true, {"a2.1", "b2.1"}: true, {"a2.1", "c.1"}: true,
		{"b1.1", "c.1"}: true, {"b2.1", "c.1"}: true}
	prog := load(t, text)
	set, _, err := Synthesize(context.Background(), prog, Options{AnyState: true, Pairs: func(a, b *step.Step) bool {
		return asked[[2]string{a.Name(), b.Name()}] || asked[[2]string{b.Name(), a.Name()}]
	}})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range int64(30) {
		r := rand.New(rand.NewSource(seed))
		if msg := newComparison(t, set, r, seed).run(&tally{}); msg != "" {
			t.Fatalf("seed %d: %s\n%s", seed, msg, set.Format())
		}
	}
	if first := find(t, set, "a1.1", "b1.1"); constraints.IsFalse(first.Uniform) {
		t.Error("the first pair lost its uniform part to a step that neither is independent of")
	}
}
