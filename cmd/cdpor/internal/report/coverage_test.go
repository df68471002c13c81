package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"cdpor/lang"
	"cdpor/lang/step"
)

// TestCoverageOf lists what single executions leave out: statements by their place, however often they were written
// out.
func TestCoverageOf(t *testing.T) {
	src, err := lang.Load("p.yaml",
		[]byte("cdpor: 1\nshared: {x: 0..9}\nprocedures:\n  p(k int): |\n    if x == k { x = 9 }\nthreads:\n"+
			"  a: |\n    choose { x = 1 } or { x = 2 } or { x = 3 }\n    p(1)\n    p(3)\n"+
			"    for i in 1..2 { x = i }\n"),
		lang.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := step.NewCoveringMachine(src.Program)
	if err != nil {
		t.Fatal(err)
	}
	for alternative, want := range [][]untaken{
		{{untakenAlternative, "a.1", 8, 5, "choose", 2, 3}, {untakenAlternative, "a.1", 8, 5, "choose", 3, 3},
			{untakenStatement, "a.3", 8, 27, "x = 2", 0, 0}, {untakenStatement, "a.4", 8, 40, "x = 3", 0, 0}},
		{{untakenTrue, "a.5", 5, 5, "if x == k", 0, 0}, {untakenStatement, "a.6", 5, 17, "x = 9", 0, 0},
			{untakenAlternative, "a.1", 8, 5, "choose", 1, 3}, {untakenAlternative, "a.1", 8, 5, "choose", 3, 3},
			{untakenStatement, "a.2", 8, 14, "x = 1", 0, 0}, {untakenStatement, "a.4", 8, 40, "x = 3", 0, 0}},
	} {
		c, r, s := m.NewCoverage(), m.NewRunner(), m.Initial()
		r.Cover(c)
		for first := true; !m.Finished(s, 0); first = false {
			r.Take(s, map[bool]int{true: alternative}[first])
		}
		got := coverageOf(m, c)
		if diff := cmp.Diff(want, got.Untaken); diff != "" {
			t.Errorf("alternative %d (-want +got):\n%s", alternative, diff)
		}
		if missing := got.Statements - got.Taken; missing != map[int]int{0: 2, 1: 3}[alternative] {
			t.Errorf("alternative %d: %d of %d statements", alternative, got.Taken, got.Statements)
		}
	}
}
