package report

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cdpor/explore"
	"cdpor/explore/replay"
	"cdpor/lang/langtest"
	"cdpor/lang/step"
)

// searched is the report of a search of a program, in which a hook sees how executions end.
func searched(t *testing.T, path string, params map[string]string, hook func(*step.Machine, step.State)) *Report {
	t.Helper()
	m := langtest.File(t, path, params)
	p, err := replay.New(m)
	if err != nil {
		t.Fatal(err)
	}
	r := &Report{Machine: m, Player: p, Patience: context.Background()}
	if r.Algorithm, err = explore.Find("source"); err != nil {
		t.Fatal(err)
	}
	opt := explore.Options{}
	if hook != nil {
		opt.Terminal = func(at step.State) { hook(m, at) }
	}
	if r.Result, err = explore.Run(context.Background(), m, r.Algorithm, opt); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestGroups: violations at one place are one, and in how many executions they happen lies between the numbers given.
func TestGroups(t *testing.T) {
	executions := int64(0)
	r := searched(t, "../../../../testdata/programs/check-then-act.yaml", map[string]string{"CONSUMERS": "4"},
		func(m *step.Machine, s step.State) {
			if m.EndingOf(s) == step.Failed {
				executions++
			}
		})
	groups := r.Groups()
	if len(groups) != 1 || len(groups[0].members) != 4 {
		t.Fatalf("%d groups", len(groups))
	}
	g := &groups[0]
	least, most := g.count()
	if least != executions || most != executions || least == 0 {
		t.Errorf("%d executions fail; said are %d to %d", executions, least, most)
	}
	r.Result.Violations = append(r.Result.Violations, &explore.Violation{Kind: explore.FailedStep, Node: &step.Node{}})
	if least, most = g.count(); least > executions || most < executions || least == most {
		t.Errorf("%d executions fail; beside another failure, said are %d to %d", executions, least, most)
	}
	r.Result.Violations = r.Result.Violations[:len(r.Result.Violations)-1]
	for _, v := range g.members {
		if len(r.schedule(v)) < len(r.schedule(g.Shown)) {
			t.Errorf("a schedule of %d steps is shown, one of %d could be", len(r.schedule(g.Shown)),
				len(r.schedule(v)))
		}
	}
	if got := g.threads(); got != "consumer[0..3]" {
		t.Error(got)
	}
	r.grouped, r.Options.AllViolations = nil, true
	if n := len(r.Groups()); n != 4 {
		t.Errorf("--all-violations: %d", n)
	}
}

// TestDeadlockGroups: deadlocks that differ in which thread is which are one, others are not.
func TestDeadlockGroups(t *testing.T) {
	path := filepath.Join(t.TempDir(), "circle.yaml")
	text := `cdpor: 1
shared: {m: "array[3] mutex", n: int}
threads:
  taker:
    count: 3
    run: |
      lock(m[self])
      lock(m[(self + 1) % 3])
      unlock(m[(self + 1) % 3])
      unlock(m[self])
  waiter:
    count: 3
    run: |
      n += 1
      await n == 2
check: {deadlock: forbidden}
`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	r := searched(t, path, nil, nil)
	for _, g := range r.Groups() {
		least, most := g.count()
		sum := int64(0)
		for _, v := range g.members {
			sum += v.Count
		}
		if least != most || least != sum {
			t.Errorf("%d to %d executions, of %d", least, most, sum)
		}
	}
	// The waiters end or wait with n = 3; all three takers wait in a circle or have ended.
	waiting := map[string]bool{}
	for _, v := range r.Result.Violations {
		takers, waiters := 0, 0
		for p, proc := range r.Machine.Program.Procs {
			if r.Machine.StepOf(v.Words, p) == nil {
				continue
			}
			if strings.HasPrefix(proc.Name, "taker[") {
				takers++
			} else {
				waiters++
			}
		}
		waiting[fmt.Sprint(takers, waiters)] = true
	}
	if len(r.Groups()) != len(waiting) || len(r.Result.Violations) <= len(waiting) || len(waiting) < 3 {
		t.Errorf("%d violations in %d groups, %d are wanted", len(r.Result.Violations), len(r.Groups()), len(waiting))
	}
}

func TestInstances(t *testing.T) {
	got := instances([]string{"c[4]", "c[0]", "p", "c[1]", "c[2]", "c[0]", "a[7]"})
	if want := "a[7], c[0..2], c[4], p"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestDeadlocksElsewhere: deadlocks that wait at the same places are one only if a permutation of interchangeable
// threads leads from one to another, whatever differs between them.
func TestDeadlocksElsewhere(t *testing.T) {
	for _, c := range []struct {
		name, text     string
		states, groups int
		places         int
	}{
		{"shared variables", `
shared: {done: bool, crash: bool, lost: bool}
threads:
  boss: "choose { crash = true } or { lost = true } or { done = true }"
  worker: await done
`, 2, 2, 1},
		{"the late one of three, if there is one", `
shared: {n: int, late: "array[3] bool"}
threads:
  worker:
    count: 3
    run: |
      if n == 2 { late[self] = true }
      n += 1
      await n > 3
`, 4, 2, 1},
		{"which thread it is matters", `
shared: {n: int, late: "array[3] bool", weight: int}
threads:
  worker:
    count: 3
    run: |
      if n == 2 { atomic { late[self] = true; weight = self * self } }
      n += 1
      await n > 3
`, 4, 4, 1},
		{"two places", `
shared: {first: bool, go: bool}
threads:
  a: "choose { first = true; await go } or { await go && first }"
`, 2, 2, 2},
	} {
		path := filepath.Join(t.TempDir(), "p.yaml")
		if err := os.WriteFile(path, []byte("cdpor: 1\n"+c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		r := searched(t, path, nil, nil)
		places := 0
		for i, g := range r.Groups() {
			if !g.Again() {
				places++
			}
			if text := g.Text(); g.Again() != strings.Contains(text, "in the state") {
				t.Errorf("%s: violation %d: %s", c.name, i+1, text)
			}
		}
		if n := len(r.Result.Violations); n != c.states || len(r.Groups()) != c.groups || places != c.places {
			t.Errorf("%s: %d states, %d groups, %d places; want %d, %d, %d", c.name, n, len(r.Groups()), places,
				c.states, c.groups, c.places)
		}
	}
}

// TestRaceGroups: a data race is one, whichever of its two accesses comes upon the other.
func TestRaceGroups(t *testing.T) {
	for _, c := range []struct {
		name, text     string
		violations, of int
	}{
		{"two writes", "shared: {x: int}\nthreads: {a: x = 1, b: x = 2}\n", 1, 2},
		{"two instances", "shared: {x: int}\nthreads: {a: {count: 2, run: x = self}}\n", 1, 2},
		{"a write and a read", "shared: {x: int}\nthreads: {a: x = 1, b: {count: 2, run: let r = x}}\n", 1, 2},
		{"two variables", "shared: {x: int, y: int}\nthreads: {a: x = 1; y = 1, b: x = 2; y = 2}\n", 2, 4},
		{"a procedure", "shared: {x: int}\nprocedures: {f(v int): x = v}\nthreads: {a: f(1), b: f(2)}\n", 1, 2},
	} {
		path := filepath.Join(t.TempDir(), "p.yaml")
		if err := os.WriteFile(path, []byte("cdpor: 1\n"+c.text+"check: {races: forbidden}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		r := searched(t, path, nil, nil)
		if n := len(r.Groups()); n != c.violations || len(r.Result.Violations) != c.of {
			t.Errorf("%s: %d of %d violations are distinct, want %d of %d", c.name, n, len(r.Result.Violations),
				c.violations, c.of)
		}
		r = searched(t, path, nil, nil)
		r.Options.AllViolations = true
		if n := len(r.Groups()); n != c.of {
			t.Errorf("%s: %d of all violations, want %d", c.name, n, c.of)
		}
	}
}

// TestCrashNamedOnce: a deadlock says once who has crashed, in a line of its own and among others.
func TestCrashNamedOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.yaml")
	text := "cdpor: 1\nshared: {m: mutex, x: 0..9}\ncrashes: {count: 1, of: [a]}\nthreads:\n" +
		"  a: |\n    lock m\n    x = any(1..2)\n    unlock m\n  b: |\n    lock m\n    unlock m\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	r := searched(t, path, nil, nil)
	again := 0
	for _, g := range r.Groups() {
		if g.Again() {
			again++
		}
		text := g.Text()
		if n := strings.Count(text, "crashed"); n != 1 {
			t.Errorf("a has crashed, which is told %d times: %s", n, text)
		}
		if text := stateText(r.Machine, g.Shown.Words); strings.Count(text, "crashed") != 1 {
			t.Error(text)
		}
	}
	if again == 0 {
		t.Error("no deadlock waits where another one does")
	}
	// that a has crashed behind its last step only the flag says
	text = "cdpor: 1\nshared: {x: 0..9}\ncrashes: {count: 1, of: [a]}\nthreads: {a: x = 1, b: await x == 2}\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	states := map[string]bool{}
	r = searched(t, path, nil, nil)
	for _, g := range r.Groups() {
		states[stateText(r.Machine, g.Shown.Words)] = true
	}
	if len(states) != len(r.Groups()) || len(states) < 3 {
		t.Errorf("%d deadlocks look like %v", len(r.Groups()), states)
	}
}
