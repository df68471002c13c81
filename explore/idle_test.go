package explore

import (
	"context"
	"math/rand"
	"slices"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/states"
	"cdpor/lang/random"
	"cdpor/lang/step"
)

// TestIdleLast marks steps of random programs as idle, and compares what a search finds in which these wait for all
// others with a plain search that does not take them while there are others.
func TestIdleLast(t *testing.T) {
	restricted := 0
	for i := range int64(*cuts) {
		rng := rand.New(rand.NewSource(*seed + i))
		m, err := load(random.Program(rng, random.Draw(rng)))
		if err != nil {
			t.Fatal(err)
		}
		for _, tmpl := range m.Program.Templates {
			for _, s := range tmpl.Steps {
				tmpl.Nodes[s.Entry].Idle = rng.Intn(3) == 0
			}
		}
		if m, err = step.NewMachine(m.Program); err != nil {
			t.Fatal(err)
		}
		want, all, small := idleLast(m)
		if !small {
			continue
		}
		for _, workers := range []int{1, 2} {
			opt := Options{IdleLast: true, Workers: workers, Validate: true, MaxDepth: 1_000_000}
			res, err := Run(context.Background(), m, states.Algorithm, opt)
			if err != nil {
				t.Fatal(err)
			}
			if res.States != int64(want) {
				t.Fatalf("seed %d: %d states with %d workers, want %d", *seed+i, res.States, workers, want)
			}
		}
		if want < all {
			restricted++
		}
	}
	t.Logf("idle steps restricted %d searches", restricted)
	if restricted < *cuts/4 {
		t.Error("that says little")
	}
	if _, err := Run(context.Background(), wrapped(t), dpor.SourceAlgorithm, Options{IdleLast: true}); err == nil {
		t.Error("source takes IdleLast")
	}
}

// wrapped is a machine of no interest.
func wrapped(t *testing.T) *step.Machine {
	t.Helper()
	return shipped(t, "inc", map[string]string{"N": "2"})
}

// idleLast counts the states that a program reaches if idle steps wait for all others, and those that it reaches if
// they do not. small is false if there are too many.
func idleLast(m *step.Machine) (states, all int, small bool) {
	const limit = 3000
	count := func(wait bool) int {
		r := m.NewRunner()
		seen := map[string]bool{string(m.Initial().Bytes()): true}
		for todo := []step.State{m.Initial()}; len(todo) > 0 && len(seen) <= limit; {
			s := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			var busy, idle []int
			for a := range m.NumActions() {
				switch {
				case !r.CanTake(s, a):
				case wait && m.Info(m.StepID(s, m.ProcOf(a))).Idle:
					idle = append(idle, a)
				default:
					busy = append(busy, a)
				}
			}
			if len(busy) == 0 {
				busy = idle
			}
			for _, a := range busy {
				next := slices.Clone(s)
				r.Take(next, a)
				if key := string(next.Bytes()); !seen[key] {
					seen[key] = true
					todo = append(todo, next)
				}
			}
		}
		return len(seen)
	}
	states, all = count(true), count(false)
	return states, all, all <= limit
}
