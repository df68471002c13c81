package explore

import (
	"context"
	"math/rand"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/program"
	"cdpor/explore/internal/states"
	"cdpor/lang/random"
	"cdpor/lang/step"
)

// TestTransitions walks through shipped programs and random ones: every word that a step changes is among those that it
// is said to have written, and what is enabled after it is what is found from what was enabled before.
func TestTransitions(t *testing.T) {
	walk := func(name string, m *step.Machine, rng *rand.Rand) {
		r, now := m.NewRunner(), m.Initial()
		var enabled, open actionset.Set
		program.FindEnabled(m, r, now, &enabled, &open)
		for range 60 {
			if enabled.Empty() {
				return
			}
			list := actionset.Members[int](&enabled, nil)
			a := list[rng.Intn(len(list))]
			id, before := m.StepID(now, m.ProcOf(a)), slices.Clone(now)
			words := slices.Clone(r.TakeLogged(now, a))
			for w := range now {
				if now[w] != before[w] && !slices.Contains(words, int32(w)) {
					_, s := m.StepAt(id)
					t.Fatalf("%s\n%s has written word %d", name, s.Name(), w)
				}
			}
			program.UpdateEnabled(m, r, now, m.ProcOf(a), id, &enabled, &open)
			var all, allOpen actionset.Set
			if program.FindEnabled(m, r, now, &all, &allOpen); enabled != all || open != allOpen {
				t.Fatalf("%s\nenabled: %v, found before the step: %v", name,
					actionset.Members[int](&all, nil), actionset.Members[int](&enabled, nil))
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
		text := random.Program(rng, random.DrawCyclic(rng))
		m, err := load(text)
		if err != nil {
			t.Fatal(err)
		}
		walk(text, m, rng)
	}
}

// BenchmarkExhaustive visits the states of shipped programs; an op is a complete search.
func BenchmarkExhaustive(b *testing.B) {
	for _, c := range []struct{ name, n string }{{"dining-philosophers", "8"}, {"fib-observed", "5"}, {"inc", "6"}} {
		m := shipped(b, c.name, map[string]string{"N": c.n})
		b.Run(c.name+c.n, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				res, err := Run(context.Background(), m, states.Algorithm, Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(res.States), "states/op")
				b.ReportMetric(float64(res.Memory)/float64(res.States), "bytes/state")
			}
		})
	}
}
