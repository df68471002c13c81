//go:build cgo && !noz3

package synth

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// hard makes the solver work: products of unknowns.
const hard = `
cdpor: 1
name: hard
shared: {x: int, y: int, z: int, w: int}
threads:
  p: |
    s: atomic { if x * x * x + y * y * y == z * z * z && x > 1 && y > 1 { w = x * y * z * w } }
  q: |
    s: atomic { if w * w * w + z * z == y * y * y * x && w > 7 { x = x * y + z * w; z = x * x } }
`

// TestInterrupt: neither an exploration nor the solver goes on for a caller whose context has ended, which would take
// hours here, and the session is good for other programs afterwards.
func TestInterrupt(t *testing.T) {
	session, err := NewSession(Options{AnyState: true, RLimit: 1 << 31})
	if err != nil {
		t.Fatal(err)
	}
	for _, wait := range []time.Duration{0, 20 * time.Millisecond, 100 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(context.Background(), wait)
		set, report, err := session.Synthesize(ctx, load(t, hard))
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("after %v: error %v", wait, err)
		}
		if set == nil || report == nil || len(set.Pairs) != 0 {
			t.Errorf("the only pair is not finished: %v", set)
		}
		set, _, err = session.Synthesize(context.Background(), load(t, slides))
		if err != nil || len(set.Pairs) != 3 {
			t.Fatalf("the session is spoiled: %v", err)
		}
	}
}

// TestBudget: without questions to the solver nothing is claimed but what needs no proof of the solver.
func TestBudget(t *testing.T) {
	prog := load(t, `
cdpor: 1
shared: {x: int = 1, y: int = 2}
threads:
  a: |
    one: atomic { if x * y > 7 { x = y } }
  b: |
    two: atomic { y = x * y }
`)
	asked := 0
	opt := Options{AnyState: true, MaxQueries: 1, Dump: func(number int, question, answer string) {
		if asked++; number != asked || !strings.Contains(question, "(assert") || answer == "" {
			t.Errorf("question %d: %s: %s", number, answer, question)
		}
	}}
	set, report, err := Synthesize(context.Background(), prog, opt)
	if err != nil {
		t.Fatal(err)
	}
	if report.Queries != 1 || asked != 1 || report.Exact != 0 {
		t.Errorf("%+v\n%s", report, set.Format())
	}
}

func TestVersion(t *testing.T) {
	if v := Version(); !strings.Contains(v, "z3 ") || strings.Count(v, ".") < 2 {
		t.Errorf("version %q does not say which Z3", v)
	}
}
