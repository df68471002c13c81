package explore

import (
	"errors"
	"math/rand"
	"testing"

	"cdpor/explore/oracle"
	"cdpor/lang/random"
)

// TestSpins: searches that compare no states find all ends of programs whose processes go round, where these change
// nothing for ever or the search ends for another reason. go test ./explore -run Spins -args -n=20000 -seed=1
func TestSpins(t *testing.T) {
	before, enough := spinning.Load(), int64(*programs/20)
	for i := 0; i < *programs/4 || spinning.Load()-before < enough && i < *programs; i++ {
		rng := rand.New(rand.NewSource(*seed + int64(i)))
		text := random.Program(rng, random.DrawCyclic(rng))
		if i%3 == 0 {
			text = random.Waiting(rng)
		}
		m, err := load(text)
		if err != nil {
			t.Fatal(err)
		}
		g, err := oracle.Search(m, maxStates)
		if errors.Is(err, oracle.ErrLimit) || err == nil && !g.Cyclic {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		table := &lazyTable{m: m, rng: rng}
		for _, v := range variants(m, table, nil, table.uniformAt, rng) {
			if !v.spins() {
				continue
			}
			if err := compareVariant(m, g, v); err != nil && !errors.Is(err, oracle.ErrLimit) {
				t.Fatalf("seed %d: %v: %v\n%s", *seed+int64(i), v, err, text)
			}
		}
	}
	if n := spinning.Load() - before; n < enough {
		t.Errorf("only %d searches came to an end", n)
	} else {
		t.Log(n, "searches came to an end")
	}
}
