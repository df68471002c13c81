//go:build cgo && !noz3

package synth

import (
	"context"
	"math/rand"
	"testing"

	"cdpor/lang"
)

// TestKeysOutsideOfTheirRange: a collection with room for all its keys lacks nothing when a key is missing that it
// cannot have. What was said of i + 1 for i = 1 excluded states with other keys, and the steps were said to commute
// always.
func TestKeysOutsideOfTheirRange(t *testing.T) {
	for _, more := range []string{"", "  w: i = 1 - i\n"} {
		text := `cdpor: 1
shared: {c: "set[0..1, 2]", i: 0..1, y: bool}
threads:
  a: y = c.has(i + 1) == c.has(i)
  b: atomic { c.add(i + 1); c.add(0) }
` + more + "check: {deadlock: allowed}\n"
		src, err := lang.Load("keys.yaml", []byte(text), lang.Options{})
		if err != nil {
			t.Fatal(err)
		}
		set, _, err := Synthesize(context.Background(), src.Program, Options{AnyState: true})
		if err != nil {
			t.Fatal(err)
		}
		for seed := range int64(30) {
			r := rand.New(rand.NewSource(seed))
			if msg := newComparison(t, set, r, seed).run(&tally{}); msg != "" {
				t.Fatalf("seed %d: %s\n%s\n%s", seed, msg, text, set.Format())
			}
		}
	}
}
