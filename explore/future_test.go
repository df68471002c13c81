package explore

import (
	"context"
	"math/bits"
	"math/rand"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/executions"
	"cdpor/explore/internal/future"
	"cdpor/lang/random"
	"cdpor/lang/step"
)

// TestFuture: whatever a process does later on, itself or through what it starts, is in its future. On random walks
// through random and shipped programs, the steps that are taken are compared with the futures in an earlier state of
// the walk.
func TestFuture(t *testing.T) {
	var total struct{ events, narrow, later int }
	walk := func(name string, x *executions.Search, ahead *future.Analysis, rng *rand.Rand) {
		m := machineOf(x)
		now := m.Initial()
		var from step.State
		roots := make([]int, m.NumProcs()) // whose future a process belongs to
		for n, start := 0, rng.Intn(8); n < 60; n++ {
			if n == start {
				from = slices.Clone(now)
				for p := range roots {
					roots[p] = p
				}
			}
			var enabled []int
			for a := range m.NumActions() {
				if runnerOf(x).CanTake(now, a) {
					enabled = append(enabled, a)
				}
			}
			if len(enabled) == 0 {
				return
			}
			a := enabled[rng.Intn(len(enabled))]
			p := m.ProcOf(a)
			id := m.StepID(now, p)
			foot := runnerOf(x).Footprint(now, p, make(step.Footprint, m.FootprintWords())).Clone()
			before := slices.Clone(now)
			runnerOf(x).Take(now, a)
			for q := range roots {
				if m.Asleep(before, q) && !m.Asleep(now, q) {
					roots[q] = roots[p]
				}
			}
			if from == nil {
				continue
			}
			f := ahead.Of(from, roots[p], m.StepID(from, roots[p]))
			_, s := m.StepAt(id)
			at := slices.IndexFunc(f.Steps, func(g future.Step) bool {
				return within(foot, g.Whole()) && within(ahead.RivalsOf(id), g.Rivals)
			})
			if at < 0 || !within(f.Steps[at].Foot, f.Foot) {
				t.Errorf("%s\n%s is not in the future of %s", name, s.Name(), m.Program.Procs[roots[p]].Name)
				return
			}
			total.events++
			if roots[p] != p {
				total.later++
			}
			if size(f.Steps[at].Whole()) < size(m.AnyFootprint(p, s.Index)) {
				total.narrow++
			}
		}
	}
	walks := func(name string, m *step.Machine, rng *rand.Rand, times int) { // of one search, which remembers futures
		if m.NumActions() > MaxActions {
			return
		}
		x, err := executions.New(context.Background(), m, dpor.ContextAlgorithm, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for ahead := future.New(machineOf(x), x.Unconditional); times > 0; times-- {
			walk(name, x, ahead, rng)
		}
	}
	for _, dir := range []string{"programs", "actors", "traps"} {
		files, err := filepath.Glob("../testdata/" + dir + "/*.yaml")
		if err != nil || len(files) == 0 {
			t.Fatal("no programs in ", dir, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, ".constraints.yaml") {
				continue
			}
			walks(file, loadFile(t, file, nil), rand.New(rand.NewSource(1)), 10)
		}
	}
	for i := range *programs {
		rng := rand.New(rand.NewSource(*seed + int64(i)))
		c := random.Draw(rng)
		c.Spawns, c.Actors = rng.Intn(2) == 0, c.Actors || i%2 == 0
		text := random.Program(rng, c)
		m, err := load(text)
		if err != nil {
			t.Fatal(err)
		}
		if walks(text, m, rng, 3); t.Failed() {
			t.Fatal("seed ", *seed+int64(i))
		}
	}
	t.Logf("%d steps, %d of processes started meanwhile, %d known better than from the text", total.events, total.later,
		total.narrow)
	if total.later < 1000 || total.narrow < 1000 {
		t.Error("too few to tell")
	}
}

// within reports whether a bit set is a part of another.
func within(a, b []uint64) bool {
	for i := range a {
		if a[i]&^b[i] != 0 {
			return false
		}
	}
	return true
}

func size(f step.Footprint) (n int) {
	for _, w := range f {
		n += bits.OnesCount64(w)
	}
	return n
}
