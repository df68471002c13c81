package explore

import (
	"math/rand"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cdpor/lang/random"
	"cdpor/lang/step"
)

// TestChanges walks through shipped programs and random ones: no step may change a word that it is not said to change.
func TestChanges(t *testing.T) {
	steps, narrow := 0, 0
	walk := func(name string, m *step.Machine, rng *rand.Rand) {
		r, now := m.NewRunner(), m.Initial()
		for range 60 {
			var enabled actionSet
			if enabledActions(m, r, now, &enabled); enabled.empty() {
				return
			}
			list := members[int](&enabled, nil)
			a := list[rng.Intn(len(list))]
			id, before := m.StepID(now, m.ProcOf(a)), slices.Clone(now)
			r.Take(now, a)
			steps++
			words := m.Changes(id)
			if words == nil {
				continue
			}
			if !slices.IsSorted(words) {
				t.Fatalf("%s: %v", name, words)
			}
			for w := range now {
				if _, may := slices.BinarySearch(words, int32(w)); !may && now[w] != before[w] {
					_, s := m.StepAt(id)
					t.Fatalf("%s\n%s changes word %d", name, s.Name(), w)
				}
			}
			if len(words) < len(now) {
				narrow++
			}
		}
	}
	files, err := filepath.Glob("../testdata/*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".constraints.yaml") {
			continue
		}
		m := loadFile(t, file, nil)
		for i := range int64(10) {
			walk(file, m, rand.New(rand.NewSource(i)))
		}
	}
	for i := range *programs {
		rng := rand.New(rand.NewSource(*seed + int64(i)))
		text := random.Program(rng, random.Draw(rng))
		m, err := load(text)
		if err != nil {
			t.Fatal(err)
		}
		walk(text, m, rng)
	}
	if narrow < steps/2 {
		t.Errorf("of %d steps only %d are said to leave something alone", steps, narrow)
	}
}
