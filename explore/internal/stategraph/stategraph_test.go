package stategraph

import (
	"math/rand"
	"slices"
	"testing"

	"cdpor/explore/liveness"
	"cdpor/lang/langtest"
	"cdpor/lang/random"
	"cdpor/lang/step"
)

func load(t *testing.T, text string) *step.Machine {
	return langtest.Machine(t, "test.yaml", text, nil)
}

// A plainGraph is a state graph made with a map of whole states.
type plainGraph struct {
	states []step.State
	kinds  []liveness.Kind
	edges  int
}

// explore makes one breadth first, nil if there are more than limit states.
func explore(m *step.Machine, limit int) *plainGraph {
	g, run, known := &plainGraph{}, m.NewRunner(), map[string]bool{}
	add := func(s step.State) {
		if key := string(s.Bytes()); !known[key] {
			known[key] = true
			g.states = append(g.states, s)
		}
	}
	add(m.Initial())
	for i := 0; i < len(g.states); i++ {
		s, kind := g.states[i], liveness.End
		if m.Void(s) {
			g.kinds = append(g.kinds, liveness.Void)
			continue
		}
		for a := range m.NumActions() {
			if run.CanTake(s, a) {
				next := slices.Clone(s)
				run.Take(next, a)
				add(next)
				g.edges++
				kind = liveness.Live
			}
		}
		if g.kinds = append(g.kinds, kind); len(g.states) > limit {
			return nil
		}
	}
	return g
}

// TestExplore compares state graphs of random programs with such plain ones: states, what they are, in which of them
// some process has not ended, and how many edges there are.
func TestExplore(t *testing.T) {
	const limit = 3000
	never := func() string { return "" }
	void, ends, compared := 0, 0, 0
	for seed := range int64(150) {
		rng := rand.New(rand.NewSource(seed))
		m := load(t, random.Program(rng, random.Draw(rng)))
		plain := explore(m, limit)
		if plain == nil {
			continue
		}
		running := func(s step.State) bool {
			for p := range m.NumProcs() {
				if m.StepOf(s, p) != nil {
					return true
				}
			}
			return false
		}
		conditions := []Condition{
			func(_ *step.Runner, s step.State) (bool, bool) { return running(s), true },
			func(_ *step.Runner, s step.State) (bool, bool) { return true, running(s) }, // is false at the end
		}
		g, why := Explore(m, m.Initial(), limit+1, false, never, conditions)
		if g == nil {
			t.Fatalf("seed %d: no graph (%s), there are %d states", seed, why, len(plain.states))
		}
		if g.States() != len(plain.states) || g.Edges() != plain.edges {
			t.Fatalf("seed %d: %d states and %d edges, want %d and %d", seed, g.States(), g.Edges(),
				len(plain.states), plain.edges)
		}
		for i, s := range plain.states {
			n, holds := uint32(i), running(s)
			if g.KindOf(n) != plain.kinds[i] {
				t.Fatalf("seed %d: state %d is %v, want %v", seed, i, g.KindOf(n), plain.kinds[i])
			}
			if g.Holds(0).Has(n) != holds || g.Holds(1).Has(n) != holds || g.Fails(0).Has(n) == holds {
				t.Fatalf("seed %d: state %d: the conditions hold or not", seed, i)
			}
			switch plain.kinds[i] {
			case liveness.Void:
				void++
			case liveness.End:
				ends++
			}
		}
		if few, _ := Explore(m, m.Initial(), len(plain.states)-1, false, never, nil); few != nil && few.States() > 1 {
			t.Fatalf("seed %d: a graph of %d states with room for one less", seed, few.States())
		}
		compared++
	}
	t.Logf("%d programs, %d states where something failed, %d ends", compared, void, ends)
	if compared < 75 || void == 0 || ends == 0 {
		t.Error("that says little")
	}
}

// TestStop: whoever is asked now and then can stop the making of a graph.
func TestStop(t *testing.T) {
	m := load(t, "cdpor: 1\nshared: {x: int}\nthreads:\n"+
		"  p: {count: 5, run: 'x += 1; x += 1; x += 1; x += 1; x += 1'}\n")
	asked := 0
	g, why := Explore(m, m.Initial(), 1<<20, false, func() string {
		if asked++; asked == 3 {
			return "enough"
		}
		return ""
	}, nil)
	if g != nil || why != "enough" {
		t.Errorf("%v, %q", g, why)
	}
}
