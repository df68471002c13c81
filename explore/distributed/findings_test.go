package distributed

import (
	"fmt"
	"slices"
	"testing"

	"cdpor/explore"
	"cdpor/explore/dpor"
	"cdpor/explore/internal/executions"
	"cdpor/explore/internal/joblog"
	"cdpor/explore/internal/results"
	"cdpor/explore/internal/states"
	"cdpor/lang/langtest"
	"cdpor/lang/step"

	"github.com/google/go-cmp/cmp"
)

const lostUpdate = `
cdpor: 1
shared: {x: int}
threads:
  t: {count: 3, run: "let seen = x; x = seen + 1"}
check: {final: x == 3, reachable: x == 4}
`

const stuck = `
cdpor: 1
shared: {a: mutex, b: mutex}
threads:
  p: with lock a { with lock b { skip } }
  q: with lock b { with lock a { skip } }
`

// machine is that of a program.
func machine(t *testing.T, text string) *step.Machine {
	return langtest.Machine(t, "program.yaml", text, nil)
}

// findings are those of no record.
func findings(t *testing.T, m *step.Machine, a *dpor.Algorithm) *Findings {
	t.Helper()
	f, err := NewFindings(t.Context(), m.Fresh(), a, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// records is what a worker that makes a pause after some nodes writes about a whole search.
func records(t *testing.T, m *step.Machine, a *dpor.Algorithm, pause int64) (list [][]byte) {
	t.Helper()
	w, err := executions.NewTaskWork(t.Context(), m.Fresh(), a, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.TakeUp(&joblog.Task{ID: joblog.Root, Begin: -1}); err != nil {
		t.Fatal(err)
	}
	for over := false; !over; {
		if over, err = w.Explore(pause); err != nil {
			t.Fatal(err)
		}
		r, err := w.Record(len(list), over, false)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, r.Found)
	}
	return list
}

// TestFindings: what the records of a search have found together is what a search alone finds, also by way of a
// snapshot in between.
func TestFindings(t *testing.T) {
	for _, test := range []struct {
		name, text string
		kinds      int // of what is wrong
	}{
		{"lost update", lostUpdate, 2}, // the end is wrong, and an outcome is missing
		{"stuck", stuck, 1},
	} {
		for _, algorithm := range []string{"source", "classic", "context"} {
			t.Run(test.name+" by "+algorithm, func(t *testing.T) {
				a, err := explore.Find(algorithm)
				if err != nil {
					t.Fatal(err)
				}
				m := machine(t, test.text)
				alone, err := explore.Run(t.Context(), m.Fresh(), a, explore.Options{})
				if err != nil {
					t.Fatal(err)
				}
				f := findings(t, m, a)
				list := records(t, m, a, 5)
				if len(list) < 2 {
					t.Fatalf("the search is written down in %d records", len(list))
				}
				for _, found := range list {
					snapshot, err := f.Save()
					if err != nil {
						t.Fatal(err)
					}
					if err := f.Reset(); err != nil || f.Sofar().Executions != 0 || f.Violated() {
						t.Fatalf("%d executions behind Reset: %v", f.Sofar().Executions, err)
					}
					for _, part := range [][]byte{snapshot, found} {
						if err := f.Add(part); err != nil {
							t.Fatal(err)
						}
					}
				}
				if !f.Violated() || len(f.Violations(0, 100)) != len(f.Sofar().Violations) ||
					len(f.Violations(1, 100)) != len(f.Sofar().Violations)-1 || len(f.Violations(0, 1)) != 1 ||
					len(f.Violations(100, 1)) != 0 {
					t.Errorf("of %d violations so far others are told", len(f.Sofar().Violations))
				}
				r := f.Result("")
				kinds := map[results.ViolationKind]bool{}
				for _, v := range r.Violations {
					kinds[v.Kind] = true
				}
				if len(kinds) != test.kinds {
					t.Errorf("what is wrong: %v", kinds)
				}
				if diff := cmp.Diff(said(alone), said(r)); diff != "" {
					t.Errorf("a search alone (-) and its records together (+):\n%s", diff)
				}
			})
		}
	}
}

// said is what a result says that does not depend on who has explored.
func said(r *results.Result) map[string]any {
	outcomes := []string{}
	for _, o := range r.Outcomes.All() {
		outcomes = append(outcomes, fmt.Sprint(o.Words, o.Count))
	}
	slices.Sort(outcomes)
	wrong := []string{}
	for _, v := range r.Violations {
		wrong = append(wrong, fmt.Sprint(v.Kind, v.Words, v.Count))
	}
	slices.Sort(wrong)
	return map[string]any{"verdict": r.Verdict, "stopped": r.Stopped, "executions": r.Executions, "outcomes": outcomes,
		"violations": wrong}
}

// TestForeignRecords: what is none of the search is refused, and adds nothing.
func TestForeignRecords(t *testing.T) {
	m := machine(t, lostUpdate)
	source, err := explore.Find("source")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []*dpor.Algorithm{source, states.Algorithm} {
		for _, text := range []string{"none of this search\n", "{", "{}\n{}", "\x00"} {
			f := findings(t, m, a)
			if err := f.Add([]byte(text)); err == nil {
				t.Errorf("%s takes %q", a.Name, text)
			}
			if f.Sofar().Executions != 0 || f.Violated() || len(f.Violations(0, 9)) != 0 {
				t.Errorf("%s has found something in %q", a.Name, text)
			}
		}
	}
	f := findings(t, m, source)
	f.Unread(3)
	if r := f.Result(results.StoppedTime); r.Unread != 3 || r.Verdict != results.Bounded {
		t.Errorf("verdict %s with %d unread records", r.Verdict, r.Unread)
	}
}
