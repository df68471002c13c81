package native

import (
	"testing"

	"cdpor/explore/dpor"
)

// What could have come before a panic is tried, also where the last that the goroutine did concerns nobody.
func TestBehindPanic(t *testing.T) {
	test := built(t, "ordinary")
	for _, a := range []*dpor.Algorithm{dpor.SourceAlgorithm, dpor.OptimalAlgorithm, dpor.ClassicAlgorithm,
		dpor.SleepAlgorithm} {
		r := explored(t, test, "TestTwiceClosedBug", Options{Algorithm: a, All: true})
		if !known(r.Findings, Crash) || !known(r.Findings, Deadlock) || len(r.Findings) != 2 {
			t.Errorf("%s: %+v", a.Name, r)
		}
	}
}
