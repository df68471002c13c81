package explore

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cdpor/explore/dpor"
	"cdpor/explore/internal/results"
	"cdpor/explore/internal/states"
	"cdpor/explore/internal/symmetry"
	"cdpor/lang"
	"cdpor/lang/step"
)

var update = flag.Bool("update", false, "write the table of states with --symmetry")

// whatWasFound are what a search found, as text that does not depend on the order: outcomes and deadlocks with their
// counts, violations.
func whatWasFound(r *Result) (list []string) {
	for _, o := range r.Outcomes.All() {
		list = append(list, fmt.Sprint("outcome ", o.Words, o.Count))
	}
	for _, o := range r.Deadlocks.All() {
		list = append(list, fmt.Sprint("deadlock ", o.Words, o.Count))
	}
	for _, v := range r.Violations {
		k := v.Key()
		text := fmt.Sprintf("violation %s %p %d %v %p %v", k.Kind, k.Property, k.Proc, k.Fault, k.Node, v.Words)
		list = append(list, text)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// agreeSymmetric compares a search that reduces symmetry with one that does not, and runs the schedules of what it
// found.
func agreeSymmetric(m *step.Machine, plain, reduced *Result) error {
	if a, b := whatWasFound(plain), whatWasFound(reduced); !slices.Equal(a, b) || plain.Verdict != reduced.Verdict {
		return fmt.Errorf("found\n%s\n%s\nwithout the reduction\n%s\n%s",
			reduced.Verdict, strings.Join(b, "\n"), plain.Verdict, strings.Join(a, "\n"))
	}
	ends, err := results.NewCollector(m, states.Algorithm, nil)
	if err != nil {
		return err
	}
	run := func(schedule []int32) (step.State, error) {
		r, s := m.NewRunner(), m.Initial()
		for _, a := range schedule {
			if !r.CanTake(s, int(a)) {
				return nil, fmt.Errorf("the schedule %v is not possible", schedule)
			}
			r.Take(s, int(a))
		}
		if ends.Linear != nil {
			return slices.Clone(ends.Outcome.Unrecorded(s)), nil
		}
		return s, nil
	}
	for _, o := range reduced.Outcomes.All() {
		s, err := run(o.Schedule)
		if err != nil {
			return err
		}
		before := ends.Outcomes.Len()
		ends.Terminal(given(o.Schedule), s)
		if ends.Outcomes.Len() != before+1 || !slices.Equal(ends.Outcomes.At(before).Words, o.Words) {
			return fmt.Errorf("the schedule %v does not lead to %v", o.Schedule, o.Words)
		}
	}
	for _, o := range reduced.Deadlocks.All() {
		if s, err := run(o.Schedule); err != nil || !slices.Equal(s, o.Words) {
			return fmt.Errorf("the schedule %v leads to %v, not to the deadlock %v: %w", o.Schedule, s, o.Words, err)
		}
	}
	for _, v := range reduced.Violations {
		s, err := run(v.Schedule)
		if err != nil {
			return err
		}
		fault, node, failed := m.Failure(s, v.Proc)
		if v.Kind == FailedStep && (!failed || node != v.Node || fault != v.Fault) {
			return fmt.Errorf("the schedule %v does not lead to the failure of process %d", v.Schedule, v.Proc)
		}
	}
	return nil
}

// given is a trail that is known.
type given []int32

func (g given) Schedule(list []int32) []int32 { return append(list, g...) }

// TestSymmetry explores the shipped programs with the reduction and without.
func TestSymmetry(t *testing.T) {
	files, err := filepath.Glob("../testdata/*/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	reduced := 0
	for _, file := range files {
		m := loadFile(t, file, nil)
		if len(symmetry.New(m).Groups) == 0 {
			continue
		}
		for _, opt := range []Options{{}, {Seed: 3}, {Preempt: true, Preemptions: 1}} {
			plain, err := Run(context.Background(), m, states.Algorithm, opt)
			if err != nil {
				t.Fatal(err)
			}
			opt.Symmetry = true
			res, err := Run(context.Background(), m, states.Algorithm, opt)
			if err != nil {
				t.Fatal(err)
			}
			if err := agreeSymmetric(m, plain, res); err != nil && !opt.Preempt {
				t.Errorf("%s: %v", file, err)
			} else if plain.Verdict != res.Verdict {
				t.Errorf("%s: %s, without the reduction %s", file, res.Verdict, plain.Verdict)
			}
			if plain.States < res.States || plain.Executions != res.Executions && !opt.Preempt {
				t.Errorf("%s: %d states, %d executions; without the reduction %d and %d",
					file, res.States, res.Executions, plain.States, plain.Executions)
			}
		}
		reduced++
	}
	if reduced < 30 {
		t.Errorf("only %d programs have interchangeable threads", reduced)
	}
}

// TestInterchangeable has threads that use their number in one way each.
func TestInterchangeable(t *testing.T) {
	for _, c := range []struct{ shared, thread, more, why string }{
		{"x: int", "x += 1", "", ""},
		{"x: int", "x = self", "", "do not start alike"}, // x is 0 at first
		{"x: int = -1", "x = self", "", ""},
		{"x: int = -1", "if x != self { x = self }", "", ""},
		{"x: int = -1", "x = self + 1", "", "integer (line 9)"},
		{"x: int = -1", "if self > 0 { x = 0 }", "", "integer (line 9)"},
		{"x: int = -1", "if self == 1 { x = 0 }", "", "constant 1"},
		{"x: int = -1", "if self == 7 { x = 0 }", "", ""},
		{"x: 0..1, y: int", "x = self; y += 1", "", "do not all fit"},
		{"x: -1..2 = -1", "x = self", "", ""},
		{"a: \"array[3] int\"", "a[self] += 1", "", ""},
		{"a: \"array[4] int\"", "a[self] += 1", "", ""},
		{"a: \"array[2] int\"", "a[self] += 1", "", "do not all fit"},
		{"a: \"array[3] int\"", "a[(self + 1) % 3] += 1", "", "integer (line 9)"},
		{"a: \"array[3] int\"", "a[self] += 1", "  other: a[0] = 5\n", "constant 0"},
		{"a: \"array[3] int\"", "a[self] += 1", "  other: \"var s int = 0; for i in 0..2 { s += a[i] }\"\n", "integer"},
		{"a: \"array[3] int\", x: int", "await a.all(v, v < 2); a[self] += 1; x = a.count(v, v > 0) + a.sum()", "", ""},
		{"a: \"array[3] int\", b: \"array[3] int\"", "a[self] = 1; if a.any(v, v == 1 && b[0] == 2) { b[self] = 2 }",
			"", "constant 0"},
		{"a: \"array[4] int\"", "a[self] += 1; await a.any(v, v == 1 || v == 2)", "", ""},
		{"a: \"array[3] int\"", "a[self] += 1; await a[0] == 1 || a[1] == 1", "", "constant 0"},
		{"a: \"array[3] int\"", "a[self] += 1; await a[0] == 1 || a[1] == 1 || a[2] == 2", "", "constant 0"},
		{"a: \"array[3] int = [1, 1, 1]\"", "a[self] += 1", "", ""},
		{"a: \"array[3] int = [1, 2, 1]\"", "a[self] += 1", "", "do not start alike"},
		{"a: \"array[3] int = -1\"", "a[self] = self", "", ""},
		{"a: \"array[3] mutex\"", "lock a[self]; unlock a[self]", "", ""},
		{"m: mutex", "lock m; unlock m", "", ""},
		{"q: \"queue[int, 3]\"", "q.push(self)", "", ""},
		{"q: \"set[int, 3]\"", "q.add(self)", "", "integer (line 9)"},
		{"q: \"list[int?, 3]\"", "q.append(self); q.append(null)", "", ""},
		{"x: int", "x = y", "", ""}, // y is a parameter
	} {
		params := ""
		if strings.Contains(c.thread, "= y") {
			params = "\n    params: {y: 2 * self}"
			c.why = "do not start alike"
		}
		text := fmt.Sprintf("cdpor: 1\nname: alike\nshared: {%s}\n"+
			"threads:\n%s  t:\n    count: 3%s\n    run: |\n      %s\n", c.shared, c.more, params, c.thread)
		if c.more == "" {
			text = strings.Replace(text, "threads:\n", "# one kind\nthreads:\n", 1)
		}
		src, err := lang.Load("alike.yaml", []byte(text), lang.Options{})
		if err != nil {
			t.Errorf("%v\n%s", err, text)
			continue
		}
		m, err := step.NewMachine(src.Program)
		if err != nil {
			t.Fatal(err)
		}
		found := symmetry.New(m).Found
		if len(found) != 1 || (found[0].Why == "") != (c.why == "") || !strings.Contains(found[0].Why, c.why) {
			t.Errorf("%s: %+v, want %q", c.thread, found, c.why)
		}
		plain, err := Run(context.Background(), m, states.Algorithm, Options{})
		if err != nil {
			t.Fatal(err)
		}
		reduced, err := Run(context.Background(), m, states.Algorithm, Options{Symmetry: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := agreeSymmetric(m, plain, reduced); err != nil {
			t.Errorf("%s: %v", c.thread, err)
		}
	}
}

// TestSymmetryRefused is about algorithms that explore executions.
func TestSymmetryRefused(t *testing.T) {
	_, err := Run(context.Background(), shipped(t, "ainc", nil), dpor.SourceAlgorithm, Options{Symmetry: true})
	if err == nil || !strings.Contains(err.Error(), "exhaustive") {
		t.Error(err)
	}
}

// TestSymmetryResumed stops a search after every few executions and goes on.
func TestSymmetryResumed(t *testing.T) {
	for _, name := range []string{"fetch-add", "santa-claus", "signal-not-broadcast"} {
		m := shipped(t, name, nil)
		whole, err := Run(context.Background(), m, states.Algorithm, Options{Symmetry: true})
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		opt := Options{Symmetry: true, MaxExecutions: 1, Checkpoint: func(_ string, save func() *Checkpoint) {
			text.Reset()
			if err := save().Write(&text); err != nil {
				t.Fatal(err)
			}
		}}
		res, err := Run(context.Background(), m, states.Algorithm, opt)
		for err == nil && res.Stopped == StoppedExecutions {
			opt.Symmetry, opt.MaxExecutions = false, res.Executions+1 // that symmetry is reduced is in the checkpoint
			cp, wrong := ReadCheckpoint(&text)
			if wrong != nil {
				t.Fatal(wrong)
			}
			res, err = Resume(context.Background(), m, cp, opt)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := agreeSymmetric(m, whole, res); err != nil || res.States != whole.States || len(res.Symmetry) == 0 {
			t.Errorf("%s: %d states, uninterrupted %d: %v", name, res.States, whole.States, err)
		}
	}
}

// TestSymmetryTable keeps the table of states with --symmetry true.
func TestSymmetryTable(t *testing.T) {
	rows := "| program | states | with `--symmetry` | ratio |\n|---|---|---|---|\n"
	for _, c := range []struct {
		name   string
		params map[string]string
	}{
		{"lockinc", map[string]string{"N": "6"}},
		{"ticket-lock", map[string]string{"N": "5"}},
		{"readers", map[string]string{"N": "8"}},
		{"fetch-add", map[string]string{"N": "8"}},
		{"counted-transfers", nil},
		{"dropping-logger", nil},
		{"santa-claus", nil},
	} {
		m := shipped(t, c.name, c.params)
		var count [2]int64
		for i, symmetry := range []bool{false, true} {
			res, err := Run(context.Background(), m, states.Algorithm, Options{Symmetry: symmetry})
			if err != nil {
				t.Fatal(err)
			}
			count[i] = res.States
		}
		name := c.name
		for _, key := range slices.Sorted(maps.Keys(c.params)) {
			name += " " + key + "=" + c.params[key]
		}
		rows += fmt.Sprintf("| %s | %d | %d | %.1f |\n",
			name, count[0], count[1], float64(count[0])/float64(count[1]))
	}
	const path = "../testdata/tables/performance.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	table := regexp.MustCompile("\\| program \\| states \\| with `--symmetry` .*\n(\\|.*\n)*")
	if !table.Match(text) {
		t.Fatal(errors.New(path + " has no table of states with --symmetry"))
	}
	want := table.ReplaceAllLiteral(text, []byte(rows))
	if string(want) == string(text) {
		return
	}
	if !*update {
		t.Fatalf("%s: the table is now\n%s", path, rows)
	}
	if err := os.WriteFile(path, want, 0o644); err != nil {
		t.Fatal(err)
	}
}
