package slice_test

import (
	"math/rand"
	"slices"
	"strings"
	"testing"

	"cdpor/lang"
	"cdpor/lang/random"
	"cdpor/lang/slice"
	"cdpor/lang/step"
)

// parallelCases are small programs with the pairs of steps that never meet.
var parallelCases = []struct{ name, text, never string }{
	{"before the start and after the end", `
bounds: {w: 1}
threads:
  main: |
    before: x = 1
    start: let h = spawn w(1)
    beside: x = 2
    wait: join h
    after: x = 3
  w: {params: [k int], run: "set: x = k"}
`, "main.after/w.set main.before/w.set main.start/w.set"},
	{"a copy of the handle is as good, another process is not", `
bounds: {w: 2, v: 1}
threads:
  main: |
    var h = spawn w(1)
    let k = h
    h = spawn v(1)
    one: join k
    a: x = 1
    two: join h
    b: x = 2
  w: {params: [k int], run: "set: x = k"}
  v: {params: [k int], run: "set: x = k"}
`, "main.1/v.set main.1/w.set main.2/v.set main.a/w.set main.b/v.set main.b/w.set main.two/w.set w.set/w.set"},
	{"one after the other", `
bounds: {w: 3}
threads:
  main: |
    for i in 1..3 {
      let h = spawn w(i)
      beside: x = 0
      join h
      after: x = 1
    }
  w: {params: [k int], run: "set: x = k"}
`, "main.1/w.set main.after/w.set w.set/w.set"},
	{"of several only the last is waited for", `
bounds: {w: 2}
threads:
  main: |
    var h = spawn w(0)
    for i in 1..1 { h = spawn w(i) }
    join h
    after: x = 1
  w: {params: [k int], run: "set: x = k"}
`, "main.1/w.set"},
	{"what is started may start", `
bounds: {w: 1, v: 1}
threads:
  main: |
    let h = spawn w(1)
    join h
    after: x = 1
  w: {params: [k int], run: "first: spawn v(k)"}
  v: {params: [k int], run: "set: x = k"}
`, "main.1/v.set main.1/w.first main.after/w.first v.set/w.first"},
	{"a lock", `
threads:
  a: |
    with lock m { inner: x = 1 }
    outer: x = 2
  b: |
    lock m
    inner: x = 3
    unlock m
`, "a.3/b.3 a.3/b.inner a.inner/b.3 a.inner/b.inner"},
	{"a lock that is tried", `
threads:
  a: |
    with lock m { inner: x = 1 }
  b: |
    var got = trylock m
    inner: x = 3
`, ""},
	{"a lock that is given up while waiting", `
threads:
  a: |
    lock m
    before: x = 1
    c.wait(m)
    after: x = 2
    unlock m
  b: |
    with lock m { inner: x = 3; c.signal() }
`, "a.3/b.3 a.3/b.4 a.3/b.inner a.6/b.3 a.6/b.4 a.6/b.inner a.after/b.3 a.after/b.4 a.after/b.inner a.before/b.3 a.before/b.4 a.before/b.inner"},
	{"a lock that is given back under another name", `
threads:
  a: |
    let j = 0
    lock ms[0]
    inner: x = 1
    unlock ms[j]
    after: x = 2
  b: |
    with lock ms[0] { inner: x = 3 }
`, "a.3/b.3 a.3/b.inner a.inner/b.3 a.inner/b.inner"},
	{"different locks", `
threads:
  a: {count: 2, run: "with lock ms[self] { inner: x = 1 }"}
  b: |
    with lock ms[1] { inner: x = 3 }
`, ""},
	{"what a parameter excludes", `
params: {ON: false}
threads:
  a: |
    if ON { never: x = 1 }
  b: |
    always: x = 3
`, "a.never/b.always"},
}

// TestParallel lists the pairs of steps that never meet.
func TestParallel(t *testing.T) {
	for _, c := range parallelCases {
		t.Run(c.name, func(t *testing.T) {
			p := parse(t, "cdpor: 1\nname: t\nshared: {x: int, m: mutex, c: cond, ms: \"array[2] mutex\"}\n"+
				strings.TrimPrefix(c.text, "\n")).Program
			if got := strings.Join(neverTogether(p), " "); got != c.never {
				t.Errorf("never meet: %s, not %s", got, c.never)
			}
		})
	}
}

// neverTogether names the pairs that the analysis excludes, of steps that two processes can be at at all.
func neverTogether(p *step.Program) (list []string) {
	m := slice.NewParallel(p)
	var steps []*step.Step
	for _, t := range p.Templates {
		steps = append(steps, t.Steps...)
	}
	for i, a := range steps {
		for _, b := range steps[i:] {
			if (a.Template != b.Template || a.Template.Count > 1) && !m.Possible(a, b) {
				names := []string{a.Name(), b.Name()}
				slices.Sort(names)
				list = append(list, strings.Join(names, "/"))
			}
		}
	}
	slices.Sort(list)
	return list
}

// TestParallelStates holds the analysis against the state graphs of programs: two processes that stand at two steps in
// some state may.
func TestParallelStates(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	var found struct{ programs, never, met int }
	held := 0
	look := func(name string, p *step.Program) {
		m, err := step.NewMachine(p)
		if err != nil {
			t.Fatal(err)
		}
		met, ok := meetings(m)
		if !ok {
			return
		}
		parallel := slice.NewParallel(p)
		held += holding(t, m, parallel)
		for pair := range met {
			if !parallel.Possible(pair[0], pair[1]) {
				t.Errorf("%s: two processes meet at %s and %s", name, pair[0].Name(), pair[1].Name())
			}
		}
		found.programs, found.met, found.never = found.programs+1, found.met+len(met), found.never+len(neverTogether(p))
	}
	for _, file := range shipped(t) {
		look(file, load(t, file).Program)
	}
	for i := range *programs * 20 {
		rng := rand.New(rand.NewSource(*seed + int64(i)))
		c := random.Draw(rng)
		c.Spawns = c.Spawns || i%2 == 0
		c.Locks = c.Locks || i%4 < 2
		text := random.Program(rng, c)
		look(text, parse(t, text).Program)
		if t.Failed() {
			t.Fatal("seed ", *seed+int64(i))
		}
	}
	t.Logf("%d programs: %d pairs meet, %d never; %d times a mutex is held where it must be", found.programs,
		found.met, found.never, held)
	if held < 10*found.programs {
		t.Errorf("mutexes are held too rarely to tell: %d times", held)
	}
	if found.never < found.programs/4 {
		t.Errorf("too few pairs that never meet to tell: %d", found.never)
	}
}

// holding counts how often a process stands in a reachable state where it must hold a mutex, and fails where it does
// not.
func holding(t *testing.T, m *step.Machine, parallel *slice.Parallel) (count int) {
	r, start := m.NewRunner(), m.Initial()
	type place struct {
		proc int
		cond *step.Expr
	}
	conds := map[*step.Step][]*step.Expr{}
	evals := map[place]func(*step.Runner, step.State) (bool, bool){}
	visit(m, start, func(s step.State) {
		for p := range m.NumProcs() {
			at := m.StepOf(s, p)
			if at == nil {
				continue
			}
			if _, known := conds[at]; !known {
				conds[at] = nil
				for _, e := range parallel.Holds(at) {
					conds[at] = append(conds[at], &step.Expr{Op: step.Eq, Type: step.BoolType,
						Args: []*step.Expr{ofP(e),
							{Op: step.Me, Type: step.MutexType, Of: step.P}}})
				}
			}
			for _, cond := range conds[at] {
				k := place{p, cond}
				if evals[k] == nil {
					evals[k] = m.CompileCondition(cond, p, -1)
				}
				if holds, ok := evals[k](r, s); !holds || !ok {
					t.Errorf("%s does not hold %s at %s", m.ProcName(p),
						lang.FormatExpr(cond.Args[0], at.Template, nil), at.Name())
				}
				count++
			}
		}
	})
	return count
}

// ofP is a place in terms of the process P.
func ofP(e *step.Expr) *step.Expr {
	c := *e
	if c.Op == step.Self || c.Op == step.VarRef && !c.Var.Shared {
		c.Of = step.P
	}
	c.Args = nil
	for _, a := range e.Args {
		c.Args = append(c.Args, ofP(a))
	}
	return &c
}

// visit calls a function for the reachable states; ok is false if there are too many.
func visit(m *step.Machine, start step.State, look func(step.State)) (ok bool) {
	r := m.NewRunner()
	seen := map[string]bool{string(start.Bytes()): true}
	for todo := []step.State{start}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		look(s)
		for a := range m.NumActions() {
			if !r.CanTake(s, a) {
				continue
			}
			next := slices.Clone(s)
			r.Take(next, a)
			if key := string(next.Bytes()); !seen[key] {
				if len(seen) >= maxStates {
					return false
				}
				seen[key] = true
				todo = append(todo, next)
			}
		}
	}
	return true
}

// meetings are the pairs of steps that two processes stand at in a reachable state; ok is false if there are too many
// states.
func meetings(m *step.Machine) (met map[[2]*step.Step]bool, ok bool) {
	met = map[[2]*step.Step]bool{}
	ok = visit(m, m.Initial(), func(s step.State) {
		for p := range m.NumProcs() {
			for q := range p {
				if a, b := m.StepOf(s, p), m.StepOf(s, q); a != nil && b != nil {
					met[[2]*step.Step{a, b}] = true
				}
			}
		}
	})
	return met, ok
}
