package explore

import (
	"context"
	"math/rand"
	"path/filepath"
	"strings"
	"testing"

	"cdpor/explore/internal/states"
	"cdpor/lang/random"
	"cdpor/lang/step"

	"github.com/google/go-cmp/cmp"
)

// TestLookAhead holds searches that always look ahead, and one that begins to in the middle, against one that never
// does: all numbers are the same, and all outcomes with their schedules. Words without a code and numbers that get
// wider are among the random programs and the larger ones.
func TestLookAhead(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	const never = 1 << 40
	explore := func(m *step.Machine, crowd int64) *Result {
		x, err := states.New(context.Background(), m, states.Algorithm,
			Options{MaxDepth: 25, MaxExecutions: 1000, Validate: true})
		if err != nil {
			t.Fatal(err)
		}
		x.Crowd = crowd
		x.Begin()
		r, err := x.Conclude()
		if err != nil {
			t.Fatal(err)
		}
		r.Memory = 0 // chunks of states that the depth limit keeps the search from are there or not
		return r
	}
	check := func(name string, m *step.Machine) {
		want := explore(m, never)
		for crowd := range int64(4) { // at once, and later and later
			got := explore(m, crowd)
			if a, b := numbers(got), numbers(want); a != b {
				t.Fatalf("%s\nlooking ahead at %d events for a state:\n%+v, want\n%+v", name, crowd, a, b)
			}
			if diff := cmp.Diff(list(got.Outcomes), list(want.Outcomes)); diff != "" {
				t.Fatalf("%s\n%s", name, diff)
			}
			if diff := cmp.Diff(list(got.Deadlocks), list(want.Deadlocks)); diff != "" {
				t.Fatalf("%s\n%s", name, diff)
			}
		}
	}
	files, err := filepath.Glob("../testdata/*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("testdata/regressions/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, more...)
	for _, file := range files {
		if strings.HasSuffix(file, ".constraints.yaml") {
			continue
		}
		if m := loadFile(t, file, nil); m.NumActions() <= 8 { // the others have too many states
			check(file, m)
		}
	}
	check("dining-philosophers", shipped(t, "dining-philosophers", map[string]string{"N": "7"}))
	for i := range *programs / 8 {
		rng := rand.New(rand.NewSource(*seed + int64(i)))
		text := random.Program(rng, random.DrawCyclic(rng))
		m, err := load(text)
		if err != nil {
			t.Fatal(err)
		}
		check(text, m)
	}
}

// numbers are the numbers of a result.
func numbers(r *Result) (all [20]int64) {
	for i, n := range r.Sums() {
		all[i] = *n
	}
	all[len(all)-1] = int64(r.MaxDepth)
	return all
}

// list are all ends.
func list(e OutcomeSet) (all []Outcome) {
	for _, o := range e.All() {
		all = append(all, o)
	}
	return all
}
