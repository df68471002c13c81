package explore

import (
	"testing"

	"cdpor/explore/internal/joblog"
)

// TestPlansEarly: where nothing large can be given away, planned sequences are soon written in the order in which they
// were found; where something can, they begin with what wakes the first event of their race.
func TestPlansEarly(t *testing.T) {
	for name, early := range map[string]bool{"readers": false, "lastzero": true} {
		m := shipped(t, name, map[string]string{"N": "12"})
		w, err := NewParcelWork(t.Context(), m, optimalAlgorithm, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.TakeUp(&joblog.Parcel{ID: joblog.Root, Begin: -1}); err != nil {
			t.Fatal(err)
		}
		w.Worth(200)
		gave := 0
		for range 3 * mostVain {
			if over, err := w.Explore(100); over || err != nil {
				t.Fatalf("%s: over: %v, %v", name, over, err)
			}
			if w.Divisible() {
				gave++
			}
		}
		if early != (gave > 0) || w.x.plansEarly() != early {
			t.Errorf("%s: given away %d times, sequences begin early: %v", name, gave, w.x.plansEarly())
		}
	}
}
