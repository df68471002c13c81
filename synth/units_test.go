//go:build cgo && !noz3

package synth

import (
	"context"
	"fmt"
	"runtime/debug"
	"testing"
)

// TestQuestionUnits: what is given up is decided by a count of work, so the result is the same each time, whenever the
// garbage collector releases terms.
func TestQuestionUnits(t *testing.T) {
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
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	first := ""
	for _, percent := range []int{-1, 100, 20, 5, 2} {
		debug.SetGCPercent(percent)
		set, report, err := Synthesize(context.Background(), prog, Options{AnyState: true, RLimit: 300})
		if err != nil {
			t.Fatal(err)
		}
		if report.GivenUp == 0 {
			t.Error("no question was given up: the program does not show what it is here for")
		}
		text := fmt.Sprint(report.GivenUp)
		for _, p := range set.Pairs {
			text += "\n" + p.Text(p.Commute) + ", " + p.Text(p.Uniform)
		}
		if first != "" && text != first {
			t.Errorf("first\n%s\nthen\n%s", first, text)
		}
		first = text
	}
}
