package schedules

import (
	"context"
	"math/rand"
	"slices"
	"testing"

	"cdpor/lang/random"
	"cdpor/lang/step"
)

// TestSimplifyTable are schedules that are simplified by hand.
func TestSimplifyTable(t *testing.T) {
	for _, c := range []struct {
		name, shared, threads string
		schedule, simple      []int32
		cause                 []int32 // of the last step
	}{
		{"independent steps go together", "x: int, y: int", "a: 'x = 1; x = 2'\n  b: 'y = 1; y = 2'",
			[]int32{0, 1, 0, 1}, []int32{0, 0, 1, 1}, []int32{1, 1}},
		{"a step that another one reads stays before it", "x: int, y: int", "a: 'x = 1; x = 2'\n  b: 'y = x; y = 2'",
			[]int32{0, 1, 0, 1}, []int32{0, 1, 1, 0}, []int32{0, 1, 1}},
		{"nothing to gain", "x: int", "a: x = 1\n  b: x = 2", []int32{1, 0}, []int32{1, 0}, []int32{1, 0}},
		{"what is waited for", "m: mutex, x: int", "a: 'lock m; unlock m'\n  b: x = 1\n  c: lock m",
			[]int32{0, 1, 0, 2}, []int32{1, 0, 0, 2}, []int32{0, 0, 2}},
	} {
		m := load(t, "table.yaml", "cdpor: 1\natomicity: statement\n"+
			"shared: {"+c.shared+"}\nthreads:\n  "+c.threads+"\n")
		ctx := context.Background()
		got := Simplify(ctx, m, c.schedule)
		if Switches(m, got) != Switches(m, c.simple) || !slices.Equal(run(m, got), run(m, c.schedule)) {
			t.Errorf("%s: %v became %v, as good as %v is wanted", c.name, c.schedule, got, c.simple)
		}
		if got := Cause(ctx, m, c.schedule); !slices.Equal(got, c.cause) {
			t.Errorf("%s: the last step of %v depends on %v, %v is wanted", c.name, c.schedule, got, c.cause)
		}
	}
}

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
			foot, other := make(step.Footprint, m.FootprintWords()), make(step.Footprint, m.FootprintWords())
			if step.Conflict(r.Footprint(at, p, foot).Clone(), r.Footprint(at, q, other)) {
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
		var possible []int32
		for a := range int32(m.NumActions()) {
			if r.CanTake(s, int(a)) {
				possible = append(possible, a)
			}
		}
		if len(possible) == 0 {
			break
		}
		a := possible[rng.Intn(len(possible))]
		schedule = append(schedule, a)
		r.Take(s, int(a))
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
	return load(t, "random.yaml", random.Program(rng, random.Draw(rng)))
}
