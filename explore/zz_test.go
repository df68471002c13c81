package explore

import (
	"context"
	"fmt"
	"math/rand"
	"testing"

	"cdpor/lang/random"
)

func TestZZ(t *testing.T) {
	solve, err := newSolver()
	if err != nil {
		t.Fatal(err)
	}
	for i := range *cuts {
		rng := rand.New(rand.NewSource(*seed + int64(i)))
		text := random.Program(rng, random.Draw(rng))
		m, err := load(text)
		if err != nil {
			continue
		}
		c, err := solve(m)
		if err != nil {
			t.Fatal(err)
		}
		counts := map[int64]string{}
		for s := range int64(12) {
			for _, early := range []bool{false, true} {
				ctx, cancel := context.WithCancel(context.Background())
				opt := Options{MaxDepth: 300, Seed: s, Conditions: c, Progress: func(r *Result) {
					if r.Nodes > 1000 {
						cancel()
					}
				}}
				x, err := newSearch(ctx, m.Fresh(), optimalAlgorithm, opt)
				if err != nil {
					t.Fatal(err)
				}
				x.inParcels = early
				x.begin()
				r, err := x.conclude()
				if err != nil {
					t.Fatal(err)
				}
				cancel()
				if r.Stopped != StoppedComplete {
					continue
				}
				counts[r.Executions] += fmt.Sprintf(" %d/%v", s, early)
			}
		}
		if len(counts) > 1 {
			t.Logf("program %d: %v", *seed+int64(i), counts)
		}
	}
}
