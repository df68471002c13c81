package explore

import (
	"context"
	"math/rand"
	"slices"
	"testing"

	"cdpor/explore/internal/actionset"
	"cdpor/lang/random"
	"cdpor/lang/step"
)

// TestSimplify: the simplified schedule of a random execution leads to the same state, with no more switches; and where
// all schedules with the same events are few enough to be tried, none of the same trace has fewer.
func TestSimplify(t *testing.T) {
	fewer, compared := 0, 0
	for seed := range int64(300) {
		m := randomMachine(t, seed)
		schedule := randomSchedule(m, rand.New(rand.NewSource(seed)))
		got := Simplify(context.Background(), m, schedule)
		if !slices.Equal(run(m, got), run(m, schedule)) {
			t.Fatalf("seed %d: %v and %v lead to different states", seed, schedule, got)
		}
		before, after := Switches(m, schedule), Switches(m, got)
		if after > before {
			t.Fatalf("seed %d: %d switches became %d", seed, before, after)
		}
		if after < before {
			fewer++
		}
		if best, ok := fewestBySwapping(m, schedule); ok {
			compared++
			if after != best {
				t.Fatalf("seed %d: %v has %d switches, %d are enough", seed, got, after, best)
			}
		}
	}
	if fewer < 20 || compared < 100 {
		t.Errorf("only %d schedules got simpler and %d could be compared", fewer, compared)
	}
}

// fewestBySwapping tries every schedule that swaps of neighbours with disjoint footprints lead to.
func fewestBySwapping(m *step.Machine, schedule []int32) (best int, ok bool) {
	key := func(s []int32) string {
		var b []byte
		for _, a := range s {
			b = append(b, byte(a))
		}
		return string(b)
	}
	best = Switches(m, schedule)
	seen, todo := map[string]bool{key(schedule): true}, [][]int32{schedule}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		best = min(best, Switches(m, s))
		for i := 1; i < len(s); i++ {
			p, q := m.ProcOf(int(s[i-1])), m.ProcOf(int(s[i]))
			r, at := m.NewRunner(), run(m, s[:i-1])
			if p == q || !r.CanTake(at, int(s[i])) {
				continue
			}
			foot := make(step.Footprint, m.FootprintWords())
			if step.Conflict(r.Footprint(at, p, foot).Clone(), r.Footprint(at, q, make(step.Footprint, m.FootprintWords()))) {
				continue
			}
			swapped := slices.Clone(s)
			swapped[i-1], swapped[i] = s[i], s[i-1]
			if k := key(swapped); !seen[k] {
				if seen[k] = true; len(seen) > 500 {
					return 0, false
				}
				todo = append(todo, swapped)
			}
		}
	}
	return best, true
}

func randomSchedule(m *step.Machine, rng *rand.Rand) (schedule []int32) {
	r, s := m.NewRunner(), m.Initial()
	for len(schedule) < 100 {
		var enabled actionset.Set
		if enabledActions(m, r, s, &enabled); enabled.Empty() {
			break
		}
		a := enabled.Next(0)
		for skip := rng.Intn(enabled.Len()); skip > 0; skip-- {
			a = enabled.Next(a + 1)
		}
		schedule = append(schedule, int32(a))
		r.Take(s, a)
	}
	return
}

// TestCause: what an execution is cut down to can be followed and ends with the same step.
func TestCause(t *testing.T) {
	shorter := 0
	for seed := range int64(300) {
		m := randomMachine(t, seed)
		schedule := randomSchedule(m, rand.New(rand.NewSource(seed)))
		if len(schedule) == 0 {
			continue
		}
		got := Cause(context.Background(), m, schedule)
		if run(m, got) == nil || got[len(got)-1] != schedule[len(schedule)-1] {
			t.Fatalf("seed %d: %v became %v", seed, schedule, got)
		}
		if len(got) < len(schedule) {
			shorter++
		}
	}
	if shorter < 20 {
		t.Errorf("only %d schedules got shorter", shorter)
	}
}

func randomMachine(t *testing.T, seed int64) *step.Machine {
	rng := rand.New(rand.NewSource(seed))
	m, err := load(random.Program(rng, random.Draw(rng)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}
