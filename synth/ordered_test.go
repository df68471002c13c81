//go:build cgo && !noz3

package synth

import (
	"context"
	"slices"
	"strings"
	"testing"

	"cdpor/constraints"
)

const guarded = `cdpor: 1
name: guarded
shared: {m: mutex, x: int, y: int}
threads:
  a:
    count: 2
    run: |
      lock m
      held: x = x * 2
      unlock m
      out: y = y * 2
  b: |
    lock m
    held: x = x + 1
    unlock m
    out: y = y + 1
`

// TestOrdered: what never meets is listed and costs no question; the others are what they would be, and a file that
// says otherwise is proved as ever.
func TestOrdered(t *testing.T) {
	set, report, err := Synthesize(context.Background(), load(t, guarded), Options{AnyState: true})
	if err != nil {
		t.Fatal(err)
	}
	var ordered []string
	for _, p := range set.Pairs {
		if p.Status == constraints.Ordered {
			ordered = append(ordered, p.A.Name()+" "+p.B.Name())
			if !constraints.IsFalse(p.Commute) || !constraints.IsFalse(p.Uniform) {
				t.Errorf("%s, %s: ordered, but not dependent", p.A.Name(), p.B.Name())
			}
		}
	}
	if want := []string{"a.held a.held", "a.held b.held", "a.3 a.3", "a.3 b.3"}; !slices.Equal(ordered, want) ||
		report.Ordered != len(want) {
		t.Errorf("ordered: %q, and %d counted; want %q", ordered, report.Ordered, want)
	}
	if p := find(t, set, "a.out", "b.out"); p.Status != constraints.Exact {
		t.Errorf("a.out and b.out meet: %s", p.Status)
	}
	const head = "cdpor-constraints: 1\n"
	for _, c := range []struct {
		name, file       string
		refuted, weakest bool
	}{
		{"as it is", "ordered: [[a.held, b.held]]\n", false, true},
		{"they do meet", "ordered: [[a.out, a.out]]\n", false, false},
		{"edited, right", "pairs: [{blocks: [a.held, a.held], commute: x >= 0, uniform: \"false\"}]\n", false, false},
		{"edited, wrong", "pairs: [{blocks: [a.held, b.held], commute: x >= 0, uniform: \"false\"}]\n", true, false},
	} {
		got := check(t, guarded, head+c.file)
		if refuted := len(got.Findings) > 0; refuted != c.refuted || got.Pairs[0].Weakest != c.weakest {
			t.Errorf("%s: refuted %v, weakest %v", c.name, refuted, got.Pairs[0].Weakest)
		}
	}
	prog := load(t, guarded)
	x, err := Explain(context.Background(), prog, stepNamed(t, prog, "a.held"), stepNamed(t, prog, "b.held"),
		Options{AnyState: true})
	if err != nil || !strings.Contains(strings.Join(x.Text(), "\n"), "no two processes are at these steps") {
		t.Error(x, err)
	}
	// An older file that has conditions for such a pair says the same.
	older, err := constraints.Load(prog, "c.yaml",
		[]byte(head+"pairs: [{blocks: [a.held, b.held], commute: x == 1, uniform: x == 1}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	now, err := constraints.Load(prog, "c.yaml", []byte(head+"ordered: [[a.held, b.held]]\n"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := Diff(context.Background(), prog, older, now, Options{AnyState: true})
	if err != nil || len(list) != 1 || !list[0].Same() {
		t.Errorf("%+v %v", list, err)
	}
}
