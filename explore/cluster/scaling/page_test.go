package scaling

import (
	"flag"
	"testing"
	"time"
)

var write = flag.Bool("write", false, "measure, simulate, and write SCALING.md and its pictures")

func TestPage(t *testing.T) {
	if !*write {
		t.Skip()
	}
	for _, s := range searches() {
		begun := time.Now()
		s.prepare(t)
		t.Log(time.Since(begun))
		for _, alone := range []time.Duration{0, time.Minute, time.Hour, 24 * time.Hour} {
			for _, n := range []int{10, 100, 1000, 10000} {
				begun := time.Now()
				r := s.simulate(t, alone, s.parameters(n, time.Millisecond))
				t.Logf("%v %d workers: %v %.1f %s  took %v  %+v", alone, n, r.o.Time, r.speedUp(), r.limit(), time.Since(begun), r.shares())
			}
		}
	}
}
