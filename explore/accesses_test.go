package explore

import (
	"fmt"
	"testing"

	"cdpor/lang/step"
)

const touching = "x: int, y: int"

var touchers = []string{"p: x = 1; y = 1", "q: let a = x; y = a", "r: x = y; y = 7"}

// TestAccesses holds the lists of events by location and by process against an execution made by hand, while that grows
// and shrinks.
func TestAccesses(t *testing.T) {
	x := executing(t, handmade(touching, touchers...), nil, "")
	atX, atY := location(t, x, "x"), location(t, x, "y")
	for _, c := range []struct {
		keep                     int // events that stay on the stack
		schedule                 string
		touchX, writeX           []int32
		touchY, writeY           []int32
		own                      [3][]int32
		below                    int
		lastOfP, lastOfQ, lastOf int // below the position below
	}{
		{0, "p q r", []int32{0, 1, 2}, []int32{0, 2}, []int32{2}, nil, [3][]int32{{0}, {1}, {2}}, 2, 0, 1, -1},
		{1, "r p q", []int32{0, 1, 3}, []int32{0, 1}, []int32{1, 2}, []int32{2}, [3][]int32{{0, 2}, {3}, {1}}, 2, 0, -1, 1},
		{4, "q", []int32{0, 1, 3}, []int32{0, 1}, []int32{1, 2, 4}, []int32{2, 4}, [3][]int32{{0, 2}, {3, 4}, {1}}, 5, 2, 4, 1},
		{0, "r", []int32{0}, []int32{0}, []int32{0}, nil, [3][]int32{nil, nil, {0}}, 1, -1, -1, 0},
	} {
		x.Depth = c.keep
		takeAll(t, x, c.schedule)
		a, what := &x.accesses, named(x, x.schedule(nil))
		a.follow(&x.execution)
		equalWords(t, what+": touches x", a.touches[atX], c.touchX)
		equalWords(t, what+": writes x", a.writes[atX], c.writeX)
		equalWords(t, what+": touches y", a.touches[atY], c.touchY)
		equalWords(t, what+": writes y", a.writes[atY], c.writeY)
		for p, own := range c.own {
			equalWords(t, fmt.Sprint(what, ": events of process ", p), a.own[p], own)
		}
		for p, want := range []int{c.lastOfP, c.lastOfQ, c.lastOf} {
			equal(t, fmt.Sprintf("%s: the last of process %d before %d", what, p, c.below), a.before(&x.execution, p, c.below), want)
		}
		if err := x.validateAccesses(); err != nil {
			t.Error(err)
		}
	}
	if x.accesses.forget(); len(x.accesses.events) != 0 || len(x.accesses.touches[atX]) != 0 {
		t.Error("something is left")
	}
}

// footprintOf touches some locations, of which it writes others.
func footprintOf(x *search, touches, writes []int) step.Footprint {
	foot := make(step.Footprint, x.m.FootprintWords())
	for _, l := range append(touches, writes...) {
		foot[l>>6] |= 1 << (l & 63)
	}
	for _, l := range writes {
		foot[len(foot)/2+l>>6] |= 1 << (l & 63)
	}
	return foot
}

// TestConflicts looks up the events that a step conflicts with: p writes x, q reads x, r reads y and writes x, p writes
// y.
func TestConflicts(t *testing.T) {
	x := executing(t, handmade(touching, touchers...), nil, "p q r p")
	atX, atY := location(t, x, "x"), location(t, x, "y")
	for _, c := range []struct {
		name            string
		touches, writes []int
		below           int
		clock           []int32
		walk            []int   // where the cursors are, one after the other, with all that lies before a write
		want            []int32 // conflicts
	}{
		{"reads x", []int{atX}, nil, 4, []int32{0, 0, 0}, []int{2}, []int32{0, 2}},
		{"reads x, knows r", []int{atX}, nil, 4, []int32{1, 1, 1}, []int{2}, []int32{2}},
		{"writes x", nil, []int{atX}, 4, []int32{0, 0, 0}, []int{2}, []int32{0, 1, 2}},
		{"writes x, knows p", nil, []int{atX}, 2, []int32{1, 0, 0}, []int{2}, []int32{0, 1}},
		{"reads y", []int{atY}, nil, 4, []int32{0, 0, 0}, []int{3}, []int32{3}},
		{"writes y", nil, []int{atY}, 4, []int32{0, 0, 0}, []int{3}, []int32{2, 3}},
		{"reads both", []int{atX, atY}, nil, 4, []int32{0, 0, 0}, []int{3, 2}, []int32{0, 2, 3}},
		{"reads y below p", []int{atY}, nil, 3, []int32{0, 0, 0}, []int{3}, nil},
		{"touches nothing", nil, nil, 4, []int32{0, 0, 0}, nil, nil},
	} {
		a, foot := &x.accesses, footprintOf(x, c.touches, c.writes)
		equalWords(t, c.name+": conflicts", a.conflicts(&x.execution, foot, c.clock, c.below, nil), c.want)
		var walk []int
		a.point(foot)
		for len(a.cursors) > 0 && len(walk) < 9 {
			i := a.latest()
			walk = append(walk, i)
			a.lower(int32(i), x.levels[i].event.foot)
		}
		equalWords(t, c.name+": down to the last writes", walk, c.walk)
	}
	foot := footprintOf(x, nil, []int{atX})
	var walk []int
	for x.accesses.point(foot); len(x.accesses.cursors) > 0; x.accesses.lower(int32(x.accesses.latest()), nil) {
		walk = append(walk, x.accesses.latest())
	}
	equalWords(t, "all that touches x", walk, []int{2, 1, 0})
	if equal(t, "locations of both", locations(footprintOf(x, []int{atX}, []int{atY})), 2); !x.accesses.narrow(foot) {
		t.Error("one location is narrow")
	}
	if x.accesses.few = 0; x.accesses.narrow(foot) || x.accesses.helps(&x.execution, foot) {
		t.Error("one location is not narrow when none is few")
	}
}
