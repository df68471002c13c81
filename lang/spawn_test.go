package lang

import (
	"math/rand"
	"path/filepath"
	"slices"
	"testing"

	"cdpor/lang/step"
)

// TestIdentities runs shipped programs under random schedules on one machine: names of processes lead back to them, the
// same process has the same name in all executions, and programs whose result does not depend on the schedule end in
// one state.
func TestIdentities(t *testing.T) {
	deterministic := map[string]bool{"merge-sort.yaml": true, "fib.yaml": true, "fib-futures.yaml": true,
		"quick-sort.yaml":        true,
		"producer-consumer.yaml": true, "fork-join.yaml": true}
	for _, path := range append(glob(t, "../testdata/actors/*.yaml"), "../testdata/programs/fork-join.yaml") {
		s, err := Load(path, read(t, path), Options{})
		if err != nil {
			t.Fatalf("%s", snippets(err))
		}
		m, err := step.NewMachine(s.Program)
		if err != nil {
			t.Fatal(err)
		}
		tracer, err := step.NewTracer(m)
		if err != nil {
			t.Fatal(err)
		}
		ends, named := map[string]bool{}, map[int]string{}
		for seed := range int64(30) {
			rng, r, state := rand.New(rand.NewSource(seed)), m.NewRunner(), m.Initial()
			for {
				a := possible(m, r, state, rng)
				if a < 0 {
					break
				}
				if seed%2 == 0 {
					tracer.Take(state, a)
				} else {
					r.Take(state, a)
				}
			}
			for p := range m.NumProcs() {
				if m.Asleep(state, p) {
					continue
				}
				name := m.ProcName(p)
				if back, err := m.ProcNamed(name); err != nil || back != p {
					t.Errorf("%s: process %d is called %s, which is process %d (%v)", path, p, name, back, err)
				}
				if named[p] != "" && named[p] != name {
					t.Errorf("%s: process %d is called %s and %s", path, p, named[p], name)
				}
				named[p] = name
			}
			mayLock := slices.ContainsFunc(s.Expect,
				func(e *Expect) bool { return e.Deadlocks != nil && *e.Deadlocks > 0 })
			if end := m.EndingOf(state); end != step.Ended && !(end == step.Deadlocked && mayLock) {
				t.Errorf("%s: seed %d ends as %v", path, seed, m.EndingOf(state))
			}
			ends[string(state.Bytes())] = true
		}
		if len(ends) != 1 && deterministic[filepath.Base(path)] {
			t.Errorf("%s ends in %d states", path, len(ends))
		}
	}
}

// possible draws an action that can be taken in a state, -1 if there is none.
func possible(m *step.Machine, r *step.Runner, state step.State, rng *rand.Rand) int {
	var enabled []int
	for a := range m.NumActions() {
		if r.CanTake(state, a) {
			enabled = append(enabled, a)
		}
	}
	if len(enabled) == 0 {
		return -1
	}
	return enabled[rng.Intn(len(enabled))]
}

// TestFootprints checks for random executions that a step writes nothing outside of its footprint, started processes
// included, and that what it starts is in it.
func TestFootprints(t *testing.T) {
	for _, path := range glob(t, "../testdata/actors/*.yaml") {
		s, err := Load(path, read(t, path), Options{})
		if err != nil {
			t.Fatalf("%s", snippets(err))
		}
		m, err := step.NewMachine(s.Program)
		if err != nil {
			t.Fatal(err)
		}
		rng, r, state := rand.New(rand.NewSource(1)), m.NewRunner(), m.Initial()
		for {
			a := possible(m, r, state, rng)
			if a < 0 {
				break
			}
			foot := r.Footprint(state, m.ProcOf(a), make(step.Footprint, m.FootprintWords())).Clone()
			before := append(step.State(nil), state...)
			r.Take(state, a)
			for w := range s.Program.SharedWords {
				if state[w] != before[w] && !foot.Writes(m.Location(w)) {
					t.Errorf("%s: a step of %s writes word %d outside of its footprint", path,
						s.Program.Procs[m.ProcOf(a)].Name, w)
				}
			}
		}
	}
}

// TestYield: in a method, yield lets others use the actor meanwhile; in a thread it is nothing.
func TestYield(t *testing.T) {
	for _, c := range []struct {
		statement string
		steps     int
	}{{"skip", 1}, {"yield", 2}, {"await true", 2}} {
		s := load(t, `cdpor: 1
actors:
  A:
    fields: {n: int}
    methods:
      m(): |
        n = 1
        `+c.statement+`
        n = 2
main: |
  new A()!m()
`)
		for _, p := range s.Program.Templates {
			if p.Name == "A.m" && len(p.Steps) != c.steps {
				t.Errorf("%s: %d steps, not %d", c.statement, len(p.Steps), c.steps)
			}
		}
	}
}

// TestNothingStarted: a thread may wait for what is never started.
func TestNothingStarted(t *testing.T) {
	src, err := Load("p.yaml", []byte("cdpor: 1\nshared: {c: int}\nthreads:\n  p: |\n    var h tid\n"+
		"    if h != null { join h }\n    c = 1\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := step.NewMachine(src.Program)
	if err != nil {
		t.Fatal(err)
	}
	r, s := m.NewRunner(), m.Initial()
	for r.Enabled(s, 0) {
		r.Run(s, 0)
	}
	if !m.Finished(s, 0) || s[0] != 1 {
		t.Errorf("it ends with %v", s)
	}
}
