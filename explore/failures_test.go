package explore

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"cdpor/explore/internal/states"
	"cdpor/lang/step"

	"github.com/google/go-cmp/cmp"
)

// wrongs lists what a search has found to be wrong, and checks that the schedules show it: what fails, fails in their
// last steps.
func wrongs(t *testing.T, m *step.Machine, res *Result) (list []string) {
	for _, v := range res.Violations {
		text := fmt.Sprintf("%s by %d", v.Kind, v.Proc)
		if v.Property != nil {
			text = fmt.Sprintf("%s %s by %d", v.Kind, v.Property.Text, v.Proc)
		}
		list = append(list, text)
		if v.Kind == InvariantFalse || v.Node == nil {
			continue
		}
		if res.Executions == 0 && v.Count != 0 {
			t.Errorf("%s is counted %d times, and no execution ended", text, v.Count)
		}
		r, s, before := m.NewRunner(), m.Initial(), false
		for _, a := range v.Schedule {
			before = m.Failed(s, v.Proc)
			r.Take(s, int(a))
		}
		if before || !m.Failed(s, v.Proc) {
			t.Errorf("%s: its schedule %v does not end with the failure", text, v.Schedule)
		}
	}
	slices.Sort(list)
	return list
}

const threeInts = "cdpor: 1\nshared: {a: int, b: int, c: int}\n"

// endless are programs that fail beside a thread that never ends.
var endless = []struct {
	name, text string
	want       []string // of exhaustive
}{
	{"assertion", threeInts + `
threads:
  P0: while true { a = 0 }
  P1: |
    b = 1
    assert b == 0
`, []string{"failure by 1"}},
	{"run-time error", threeInts + `
threads:
  P0: while true { a = 0 }
  P1: a = 1 / b
`, []string{"failure by 1"}},
	{"always", threeInts + `
threads:
  P0: while true { a = 0 }
  P1: b = 1
  P2: b = 2
check: {always: [b == 0]}
`, []string{"always b == 0 by 1", "always b == 0 by 2"}},
	{"transition", threeInts + `
threads:
  P0: while true { a = 0 }
  P1: |
    b = 1
    b = 0
check: {transition: [b >= old(b)]}
`, []string{"transition b >= old(b) by 1"}},
	{"invariant", threeInts + `
invariant: [b == 0]
threads:
  P0: while true { a = 0 }
  P1: b = 1
`, []string{"invariant b == 0 by 0"}},
	{"what is spawned", threeInts + `
bounds: {w: 2}
threads:
  P0: while true { a = 0 }
  P1: |
    b = 1
    let h = spawn w(b)
  w:
    params: [z int]
    run: |
      c = 1
      assert z == 0
`, []string{"failure by 2"}},
	{"what fails as it is started", threeInts + `
bounds: {w: 2}
threads:
  P0: while true { a = 0 }
  P1: |
    let h = spawn w(b)
  w:
    params: [z int]
    run: |
      var l int = 1 / z
      c = 1
`, []string{"failure by 2"}},
	{"at the start", threeInts + `
threads:
  P0: while true { a = 0 }
  P1: |
    var l int = 0
    var k int = 1 / l
    b = k
`, []string{"failure by 1"}},
	{"a dropped thread", threeInts + `
threads:
  P0: while true { a = 0; assume b == 0 }
  P1: |
    b = 1
    assert b == 0
`, []string{"failure by 1"}},
	{"instances", threeInts + `
threads:
  P0: {count: 3, run: "while true { if a != self { a = self } }"}
  P1: {count: 2, run: "b += 1; assert b == 1"}
`, []string{"failure by 3", "failure by 4"}},
}

// TestEndless: a failure counts when it happens. Beside a thread that never ends, no execution comes to its end.
func TestEndless(t *testing.T) {
	for _, c := range endless {
		m, err := load(c.text)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, opt := range []Options{{}, {Symmetry: true}, {Workers: 3}, {Symmetry: true, Workers: 2},
			{Validate: true}, {Preempt: true, Preemptions: 5}} {
			res, err := Run(context.Background(), m, states.Algorithm, opt)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, wrongs(t, m, res)); diff != "" || res.Verdict != Violated {
				t.Errorf("%s, %+v: %s (-want +got):\n%s", c.name, opt, res.Verdict, diff)
			}
		}
	}
}

// TestFailureInCut: a failure counts in an execution that is cut.
func TestFailureInCut(t *testing.T) {
	m, err := load(`cdpor: 1
shared: {a: int, b: int, c: int, d: int}
invariant: [c == 0]
threads:
  P0: |
    c = 1
    assert c == 0
  P1: b = 1
  P2: |
    d = 1
    d = 0
  P3: while true { a = 1 - a }
check: {always: [b == 0], transition: [d >= old(d)]}
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range Algorithms() {
		for _, opt := range []Options{
			{MaxDepth: 8}, {MaxDepth: 8, Workers: atMost(a, 2)}, {MaxDepth: 8, Validate: true},
		} {
			res, err := Run(context.Background(), m, a, opt)
			if err != nil {
				t.Fatal(err)
			}
			if (a.Stateful || a.Chooses) != (res.Stopped == StoppedComplete) || res.Verdict != Violated {
				t.Errorf("%s, %+v: %s, stopped: %s", a.Name, opt, res.Verdict, res.Stopped)
			}
			want := []string{"always b == 0 by 1",
				"failure by 0", "invariant c == 0 by 0", "transition d >= old(d) by 2"}
			if diff := cmp.Diff(want, wrongs(t, m, res)); diff != "" {
				t.Errorf("%s, %+v (-want +got):\n%s", a.Name, opt, diff)
			}
		}
	}
}
