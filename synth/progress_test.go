//go:build cgo && !noz3

package synth

import (
	"context"
	"testing"
)

// TestProgress: a caller hears of each pair, of a long pair while it is worked on, and of the rounds of the uniform
// phase, in this order.
func TestProgress(t *testing.T) {
	for name, text := range map[string]string{"long pairs": manyAxes, "many pairs": manyTemplates(20, 2, 2)} {
		var last Stage
		after, within, rounds := 0, 0, 0
		_, report, err := Synthesize(context.Background(), load(t, text),
			Options{AnyState: true, Progress: func(s Stage) {
				switch {
				case s.Phase < last.Phase, s.Phase == last.Phase && s.Round < last.Round, s.Phase == last.Phase &&
					s.Round == last.Round && s.Done < last.Done, s.Done > s.Total:
					t.Errorf("%s: %+v follows %+v", name, s, last)
				case s.Phase == Uniform:
					rounds = s.Round
				case s.A == nil:
					after++
				default:
					within++
				}
				last = s
			}})
		if err != nil {
			t.Fatal(err)
		}
		if after != report.Pairs {
			t.Errorf("%s: heard of the end of %d pairs of %d", name, after, report.Pairs)
		}
		if name == "long pairs" && within < 10 || name == "many pairs" && rounds < 1 {
			t.Errorf("%s: heard %d times within a pair, and of %d rounds", name, within, rounds)
		}
	}
}
