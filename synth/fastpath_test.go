//go:build cgo && !noz3

package synth

import (
	"context"
	"math/rand"
	"testing"

	"cdpor/lang/random"

	"github.com/google/go-cmp/cmp"
)

// TestFastPath synthesises constraints with the solver alone, and with the fast path compared with it at each question.
// They are the same.
func TestFastPath(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; go test without -short runs it")
	}
	session := func(solverAlone, validate bool) *Session {
		s, err := NewSession(Options{})
		if err != nil {
			t.Fatal(err)
		}
		s.o.SolverAlone, s.o.Validate = solverAlone, validate
		return s
	}
	alone, validated := session(true, false), session(false, true)
	asked, spared := 0, 0
	for seed := range int64(max(*flagN/15, 10)) {
		r := rand.New(rand.NewSource(*flagSeed + seed))
		prog := load(t, random.Program(r, random.Draw(r)))
		want, by, err := alone.Synthesize(context.Background(), prog)
		if err != nil {
			t.Fatal(err)
		}
		got, with, err := validated.Synthesize(context.Background(), prog)
		if err != nil {
			t.Fatalf("seed %d: %v", *flagSeed+seed, err)
		}
		if diff := cmp.Diff(string(want.Format()), string(got.Format())); diff != "" {
			t.Errorf("seed %d: with the solver alone (-), with the fast path (+):\n%s", *flagSeed+seed, diff)
		}
		asked, spared = asked+by.Queries, spared+by.Queries-with.Queries
	}
	if spared*2 < asked {
		t.Errorf("of %d questions the fast path spares %d", asked, spared)
	}
}
