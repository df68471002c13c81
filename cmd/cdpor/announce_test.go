package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/replay"
	"cdpor/lang/step"

	"github.com/google/go-cmp/cmp"
)

// traced is a program with its tracer.
func traced(t *testing.T, path string, params map[string]string) *subject {
	t.Helper()
	s := load(t, path, params)
	var err error
	if s.t, err = replay.New(s.m); err != nil {
		t.Fatal(err)
	}
	return s
}

// aReport is a report of a search of a program, in which a hook sees how executions end.
func aReport(t *testing.T, path string, params map[string]string, hook func(*step.Machine, step.State)) (*report, *bytes.Buffer) {
	t.Helper()
	s, opt := traced(t, path, params), explore.Options{}
	if hook != nil {
		opt.Terminal = func(at step.State) { hook(s.m, at) }
	}
	a, err := explore.Find("source")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	r := &report{m: s.m, t: s.t, out: &out, options: reportOptions{Program: path, Arguments: path}, algorithm: a, patience: context.Background(), knowledge: &source.Source{}}
	if r.result, err = explore.Run(context.Background(), s.m, a, opt); err != nil {
		t.Fatal(err)
	}
	return r, &out
}

// patient is an environment in which nothing is shown for an hour.
func patient(out io.Writer) *environment {
	return &environment{stdout: out, stderr: out, now: time.Now, holdBack: time.Hour, ctx: context.Background()}
}

const buffer = "../../testdata/programs/check-then-act.yaml"

// TestAnnouncer: what is found in the first moment is shown when that is over, later things at once, equal ones once,
// and nothing when the report comes.
func TestAnnouncer(t *testing.T) {
	r, out := aReport(t, buffer, map[string]string{"CONSUMERS": "3"}, nil)
	if len(r.result.Violations) != 3 {
		t.Fatalf("%d violations", len(r.result.Violations))
	}
	a := newAnnouncer(newProgress(patient(out)))
	found := a.found(r, "search")
	if !found(r.result.Violations[0]) || !found(r.result.Violations[1]) || out.Len() > 0 {
		t.Errorf("shown in the first moment: %s", out)
	}
	a.release()
	want := "cdpor: violation: " + r.violationText(r.result.Violations[0]) + "\n  found by the search, in " +
		terminal.Plural(len(r.result.Violations[0].Schedule), "step") + "\n  replay: " + r.replayLine(r.result.Violations[0].Schedule) + "\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
	out.Reset()
	found(r.result.Violations[2])
	other := &explore.Violation{Kind: explore.DeadlockFound, Words: r.m.Initial(), Schedule: slices.Repeat([]int32{0, 1}, 2000)}
	if found(other); strings.Count(out.String(), "violation:") != 1 || !strings.Contains(out.String(), "in 4000 steps; the report at the end has") {
		t.Errorf("shown at once: %s", out)
	}
	out.Reset()
	a.end()
	another := *other
	another.Kind = explore.FinalBroken
	another.Property = &step.Property{Text: "x"}
	if found(&another); out.Len() > 0 {
		t.Errorf("shown with the report: %s", out)
	}
}

// TestAnnouncerEnough: an announcer does not go on for ever.
func TestAnnouncerEnough(t *testing.T) {
	r, out := aReport(t, buffer, nil, nil)
	a := newAnnouncer(newProgress(patient(out)))
	a.release()
	found, calls := a.found(r, "search"), 0
	for more := true; more; calls++ {
		more = found(&explore.Violation{Kind: explore.OutcomeExtra, Words: []int64{int64(calls), 0}, Schedule: []int32{0}})
	}
	if calls != maxAnnounced || strings.Count(out.String(), "violation:") != calls || !strings.HasSuffix(out.String(), "further violations are in the report at the end\n") {
		t.Errorf("%d calls: %s", calls, out)
	}
}

// TestShownWhileSearching: with all algorithms and several workers, violations are shown before the report is.
func TestShownWhileSearching(t *testing.T) {
	for _, alg := range explore.Algorithms() {
		for _, workers := range []int{1, 2} {
			for _, simulate := range []int{0, -1} {
				var out, err bytes.Buffer
				e := &environment{stdout: writerFunc(func(p []byte) (int, error) {
					if !strings.Contains(err.String(), "cdpor: violation: "+buffer+":21:17: consumer[") {
						return 0, fmt.Errorf("the report begins, and nothing has been shown: %q", err.String())
					}
					return out.Write(p)
				}), stderr: &err, now: time.Now, ctx: context.Background()}
				c := &runCommand{Algorithm: alg.Name}
				c.Program, c.Workers, c.NoConstraints = buffer, workers, true
				by := "simulation"
				if simulate == 0 {
					c.Simulate, by = &simulate, "search"
				}
				if code := c.once(e); code != error(fault.ExitViolation) {
					t.Errorf("%s with %d workers: %v", alg.Name, workers, code)
				}
				if n := strings.Count(err.String(), "cdpor: violation"); n != 1 || !strings.Contains(err.String(), "found by the "+by) {
					t.Errorf("%s with %d workers: shown %d times: %s", alg.Name, workers, n, &err)
				}
			}
		}
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestGroups: violations at one place are one, and in how many executions they happen lies between the numbers given.
func TestGroups(t *testing.T) {
	executions := int64(0)
	r, _ := aReport(t, buffer, map[string]string{"CONSUMERS": "4"}, func(m *step.Machine, s step.State) {
		if m.EndingOf(s) == step.Failed {
			executions++
		}
	})
	groups := r.groups()
	if len(groups) != 1 || len(groups[0].members) != 4 {
		t.Fatalf("%d groups", len(groups))
	}
	g := &groups[0]
	least, most := r.count(g)
	if least != executions || most != executions || least == 0 {
		t.Errorf("%d executions fail; said are %d to %d", executions, least, most)
	}
	r.result.Violations = append(r.result.Violations, &explore.Violation{Kind: explore.FailedStep, Node: &step.Node{}})
	if least, most = r.count(g); least > executions || most < executions || least == most {
		t.Errorf("%d executions fail; beside another failure, said are %d to %d", executions, least, most)
	}
	r.result.Violations = r.result.Violations[:len(r.result.Violations)-1]
	for _, v := range g.members {
		if len(r.schedule(v)) < len(r.schedule(g.shown)) {
			t.Errorf("a schedule of %d steps is shown, one of %d could be", len(r.schedule(g.shown)), len(r.schedule(v)))
		}
	}
	if got := g.threads(r.m.Program); got != "consumer[0..3]" {
		t.Error(got)
	}
	r.grouped, r.options.AllViolations = nil, true
	if n := len(r.groups()); n != 4 {
		t.Errorf("--all-violations: %d", n)
	}
}

// TestDeadlockGroups: deadlocks that differ in which thread is which are one, others are not.
func TestDeadlockGroups(t *testing.T) {
	path := filepath.Join(t.TempDir(), "circle.yaml")
	writeTestFile(t, path, `cdpor: 1
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
`)
	r, _ := aReport(t, path, nil, nil)
	for _, g := range r.groups() {
		least, most := r.count(&g)
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
	for _, v := range r.result.Violations {
		takers, waiters := 0, 0
		for p, proc := range r.m.Program.Procs {
			if r.m.StepOf(v.Words, p) == nil {
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
	if len(r.groups()) != len(waiting) || len(r.result.Violations) <= len(waiting) || len(waiting) < 3 {
		t.Errorf("%d violations in %d groups, %d are wanted", len(r.result.Violations), len(r.groups()), len(waiting))
	}
}

func TestInstances(t *testing.T) {
	got := instances([]string{"c[4]", "c[0]", "p", "c[1]", "c[2]", "c[0]", "a[7]"})
	if want := "a[7], c[0..2], c[4], p"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestSimulationChangesNothing: a whole search reports the same with schedules before it and without.
func TestSimulationChangesNothing(t *testing.T) {
	programs, err := filepath.Glob("../../testdata/programs/*.yaml")
	if err != nil || len(programs) == 0 {
		t.Fatal("no programs", err)
	}
	actors, _ := filepath.Glob("../../testdata/actors/*.yaml")
	compared, found := 0, 0
	for _, path := range append(programs, actors...) {
		run := func(more ...string) map[string]any {
			var stdout, stderr bytes.Buffer
			args := append([]string{"run", "--json", "--no-constraints", "--max-executions", "300", path}, more...)
			if code := runMain(args, nil, &stdout, &stderr); code > fault.ExitIncomplete {
				t.Fatalf("%s: exit code %d\n%s", path, code, &stderr)
			}
			var v map[string]any
			if err := json.Unmarshal(stdout.Bytes(), &v); err != nil {
				t.Fatal(err)
			}
			delete(v, "seconds")
			return v
		}
		without, with := run("--simulate", "0"), run()
		if without["stopped"] == explore.StoppedComplete {
			if compared++; without["verdict"] == "violation" {
				found++
			}
			if diff := cmp.Diff(without, with); diff != "" {
				t.Errorf("%s: without schedules before the search and with them:\n%s", path, diff)
			}
		} else if diff := cmp.Diff(without["search"], with["search"]); diff != "" {
			t.Errorf("%s: the search is another one:\n%s", path, diff)
		}
	}
	if t.Logf("%d programs, %d of them wrong", compared, found); compared < 80 || found < 15 {
		t.Errorf("only %d programs, %d of them wrong", compared, found)
	}
}

// TestShallowBug: however large the program, a shallow bug is shown before the search begins, after few events.
func TestShallowBug(t *testing.T) {
	path := filepath.Join(t.TempDir(), "huge.yaml")
	writeTestFile(t, path, `cdpor: 1
params: {N: 10, LOOPS: 1000000}
shared: {x: int, at: "array[N] int"}
threads:
  worker:
    count: N
    run: |
      for i in 1..LOOPS {
        var t int = x
        x = t + 1
        assert x > t
        at[self] = i
      }
`)
	for _, n := range []int{2, 10, 100, 250, 1000} {
		s := traced(t, path, map[string]string{"N": fmt.Sprint(n)})
		var err bytes.Buffer
		e := &environment{stdout: &err, stderr: &err, now: time.Now, ctx: context.Background()}
		c := &runCommand{StopAtFirst: true}
		c.Program = path
		p := newProgress(e)
		r, fail := c.simulate(context.Background(), &report{m: s.m, t: s.t, out: e.stdout, options: c.reported(e, &explore.Algorithm{})}, p, newAnnouncer(p))
		if fail != nil {
			t.Fatal(fail)
		}
		t.Logf("%d threads: %d events", n, r.result.Events)
		if r.result.Verdict != explore.Violated || r.result.Events > fewEvents || !strings.Contains(err.String(), "cdpor: violation") {
			t.Errorf("%d threads: verdict %s after %d events", n, r.result.Verdict, r.result.Events)
		}
	}
}

// TestStopAtFirstSlices: a slice with something wrong is the last one.
func TestStopAtFirstSlices(t *testing.T) {
	path := filepath.Join(t.TempDir(), "two.yaml")
	writeTestFile(t, path, `cdpor: 1
shared: {x: int, y: int}
threads:
  a: |
    x = 1
    y = 1
  b: |
    x = 2
    y = 2
check:
  final: [x == 1, y == 1]
`)
	count := func(more ...string) int {
		var stdout, stderr bytes.Buffer
		if code := runMain(append([]string{"run", "--slice", "--no-constraints", path}, more...), nil, &stdout, &stderr); code != fault.ExitViolation {
			t.Fatalf("exit code %d\n%s%s", code, &stdout, &stderr)
		}
		return strings.Count(stdout.String(), "\nviolation ")
	}
	if all, first := count(), count("--stop-at-first"); all != 2 || first != 1 {
		t.Errorf("%d violations, with --stop-at-first %d", all, first)
	}
}

func writeTestFile(t *testing.T, path, text string) {
	t.Helper()
	if err := files.Write(path, []byte(text)); err != nil {
		t.Fatal(err)
	}
}
