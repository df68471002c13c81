package native

import (
	"testing"

	"cdpor/explore/dpor"
)

// What others could have done before a panic is tried: the step that ends the program is in conflict with all others.
// And so is a select that somebody else takes away, who meets one of its cases.
func TestBehindPanic(t *testing.T) {
	test := built(t, "ordinary")
	for _, name := range []string{"TestTwiceClosedBug", "TestClosedTooSoonBug", "TestOfferBug"} {
		want := explored(t, test, name, Options{Algorithm: dpor.SleepAlgorithm, All: true, Plain: true})
		if !known(want.Findings, Crash) || !known(want.Findings, Deadlock) || len(want.Findings) != 2 {
			t.Errorf("%s: %+v", name, want)
		}
		for _, a := range []*dpor.Algorithm{dpor.SourceAlgorithm, dpor.OptimalAlgorithm, dpor.ClassicAlgorithm} {
			r := explored(t, test, name, Options{Algorithm: a, All: true, Plain: true})
			if r.Executions != want.Executions || r.Stuck != want.Stuck || len(r.Findings) != 2 {
				t.Errorf("%s by %s: %+v, by sleep sets alone %+v", name, a.Name, r, want)
			}
			r = explored(t, test, name, Options{Algorithm: a, All: true})
			if r.Executions > want.Executions || (r.Stuck > 0) != (want.Stuck > 0) || len(r.Findings) != 2 {
				t.Errorf("%s by %s and numbers: %+v, by sleep sets alone %+v", name, a.Name, r, want)
			}
		}
	}
}
