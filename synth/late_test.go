//go:build cgo && !noz3

package synth

import (
	"context"
	"testing"
	"time"
)

// TestQuestionTime: Z3 does not come back from a question about these steps, whatever its resource limit. Given up
// after a time, it costs the one pair, and nothing of that is kept.
func TestQuestionTime(t *testing.T) {
	prog := load(t, `
cdpor: 1
shared: {x: int = 1, y: int = 2}
threads:
  a: |
    one: atomic { if x % (y*y + 1) == 2 { x = y } }
  b: |
    two: atomic { y = x * y }
  c: |
    three: atomic { x = x * y + 1 }
observe: [x, y]
`)
	kept := mapCache{}
	set, report, err := Synthesize(context.Background(), prog,
		Options{AnyState: true, QuestionTime: 500 * time.Millisecond, Cache: kept})
	if err != nil {
		t.Fatal(err)
	}
	if report.Late == 0 {
		t.Error("no question was given up: the program does not show what it is here for")
	}
	if n := len(kept); n > 1 {
		t.Errorf("%d answers kept, those from after the question, too", n)
	}
	findings, err := Check(context.Background(), prog, set, Options{AnyState: true, QuestionTime: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if len(findings.Findings) > 0 {
		t.Errorf("wrong entries: %v", findings.Findings[0])
	}
}
