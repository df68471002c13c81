package states

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"cdpor/explore/internal/engine"
	"cdpor/explore/internal/stategraph"
	"cdpor/explore/liveness"
	"cdpor/lang/langtest"
	"cdpor/lang/random"
	"cdpor/lang/step"
)

// TestComponents: how executions end is the same from the components that a search has come by as from the whole state
// graph. A search that remembers no edges says it wherever who is enabled and who runs is enough.
func TestComponents(t *testing.T) {
	rng := rand.New(rand.NewSource(20261127))
	counts := map[string]int{}
	for n := 0; n < 600; n++ {
		text := random.Program(rng, random.DrawCyclic(rng))
		if rng.Intn(2) == 0 {
			text = random.Waiting(rng)
		}
		m := langtest.Machine(t, "random.yaml", text, nil)
		const most = 4000
		g, _ := stategraph.Explore(m, m.Initial(), most, false, func() string { return "" }, nil)
		if g == nil {
			continue
		}
		want := g.Termination()
		for _, edges := range []bool{true, false} {
			got := search(t, m, edges)
			switch {
			case got == nil && !edges:
				counts["not without edges"]++
				continue
			case got == nil:
				t.Fatalf("nothing is said\n%s", text)
			case got.Class != want.Class || !slices.Equal(got.Needs, want.Needs) && got.Class < liveness.NeedNotEnd:
				t.Fatalf("edges %t: %v %v, want %v %v\n%s", edges, got.Class, got.Needs, want.Class, want.Needs, text)
			}
			counts[fmt.Sprintf("%v, edges %t", got.Class, edges)]++
			if got.Class == liveness.CannotEnd {
				s := m.Initial()
				for run, i := m.NewRunner(), 0; i < len(got.NoWay.Stem); i++ {
					run.Take(s, int(got.NoWay.Stem[i]))
				}
				if g, _ := stategraph.Explore(m, s, most, false, func() string { return "" }, nil); g.CanEnd(0) {
					t.Fatalf("edges %t: an end can be reached behind %v\n%s", edges, got.NoWay.Stem, text)
				}
			}
		}
	}
	t.Log(counts)
	classes := []liveness.Class{liveness.AllEnd, liveness.EndIfWeak, liveness.NeedNotEnd, liveness.CannotEnd}
	for _, class := range classes {
		for _, edges := range []bool{true, false} {
			if what := fmt.Sprintf("%v, edges %t", class, edges); counts[what] == 0 {
				t.Errorf("no program was of the kind: %s", what)
			}
		}
	}
	for _, what := range []string{"end-if-strong, edges true", "not without edges"} {
		if counts[what] == 0 {
			t.Errorf("no program was of the kind: %s", what)
		}
	}
}

// search is what a search says of how executions end, with or without edges; nil if it says nothing.
func search(t *testing.T, m *step.Machine, edges bool) *liveness.Termination {
	t.Helper()
	x, err := New(context.Background(), m, Algorithm, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if x.Ends == nil { // all loops count
		return &liveness.Termination{}
	}
	x.Ends.many = !edges
	x.Begin()
	r, err := x.Conclude()
	if err != nil {
		t.Fatal(err)
	}
	if r.Ends == nil {
		return nil
	}
	return r.Ends.Termination
}
