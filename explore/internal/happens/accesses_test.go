package happens

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cdpor/explore/internal/meter"
	"cdpor/lang/langtest"
	"cdpor/lang/step"
)

// touching are three processes that touch two variables.
const touching = `cdpor: 1
shared: {x: int, y: int}
threads:
  p: {run: x = 1; y = 1}
  q: {run: let a = x; y = a}
  r: {run: x = y; y = 7}
`

// executing is an execution of touching that has taken a schedule of names.
func executing(t *testing.T, schedule string) *Execution {
	t.Helper()
	m := langtest.Machine(t, "touching.yaml", touching, nil)
	x := New(m, m.NewRunner(), nil, &meter.Meter{Ask: func(int64) {}})
	takeAll(&x, schedule)
	return &x
}

// takeAll takes a schedule.
func takeAll(x *Execution, schedule string) {
	for _, name := range strings.Fields(schedule) {
		for len(x.Levels) < x.Depth+2 {
			x.Extend(1, func(int) *Level { return &Level{} })
		}
		if x.Depth == 0 {
			copy(x.Levels[0].State, x.m.Initial())
		}
		x.Take(x.Machine.FirstAction(strings.Index("pqr", name)))
		e := &x.Levels[x.Depth].Event
		x.HappensBefore(&e.Transition, &e.Past)
		e.Clock[e.Proc] = e.Index
		x.Depth++
	}
}

// scheduleOf names the processes of the events.
func scheduleOf(x *Execution) (names string) {
	for _, lv := range x.Levels[:x.Depth] {
		names += "pqr"[lv.Event.Proc : lv.Event.Proc+1]
	}
	return names
}

// TestAccesses holds the lists of events by location and by process against an execution made by hand, while that grows
// and shrinks.
func TestAccesses(t *testing.T) {
	x := executing(t, "")
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
		{1, "r p q", []int32{0, 1, 3}, []int32{0, 1}, []int32{1, 2}, []int32{2}, [3][]int32{{0, 2}, {3}, {1}},
			2, 0, -1, 1},
		{4, "q", []int32{0, 1, 3}, []int32{0, 1}, []int32{1, 2, 4}, []int32{2, 4}, [3][]int32{{0, 2}, {3, 4}, {1}},
			5, 2, 4, 1},
		{0, "r", []int32{0}, []int32{0}, []int32{0}, nil, [3][]int32{nil, nil, {0}}, 1, -1, -1, 0},
	} {
		x.Depth = c.keep
		takeAll(x, c.schedule)
		a, what := &x.Accesses, scheduleOf(x)
		a.Follow(x)
		equalWords(t, what+": touches x", a.Touches[atX], c.touchX)
		equalWords(t, what+": writes x", a.Writes[atX], c.writeX)
		equalWords(t, what+": touches y", a.Touches[atY], c.touchY)
		equalWords(t, what+": writes y", a.Writes[atY], c.writeY)
		for p, own := range c.own {
			equalWords(t, fmt.Sprint(what, ": events of process ", p), a.Own[p], own)
		}
		for p, want := range []int{c.lastOfP, c.lastOfQ, c.lastOf} {
			text := fmt.Sprintf("%s: the last of process %d before %d", what, p, c.below)
			equal(t, text, a.Before(x, p, c.below), want)
		}
		if err := x.ValidateAccesses(); err != nil {
			t.Error(err)
		}
	}
	if x.Accesses.Forget(); len(x.Accesses.events) != 0 || len(x.Accesses.Touches[atX]) != 0 {
		t.Error("something is left")
	}
}

// footprintOf touches some locations, of which it writes others.
func footprintOf(x *Execution, touches, writes []int) step.Footprint {
	foot := make(step.Footprint, x.Machine.FootprintWords())
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
	x := executing(t, "p q r p")
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
		a, foot := &x.Accesses, footprintOf(x, c.touches, c.writes)
		equalWords(t, c.name+": conflicts", a.Conflicts(x, foot, c.clock, c.below, nil), c.want)
		var walk []int
		a.point(foot)
		for len(a.cursors) > 0 && len(walk) < 9 {
			i := a.latest()
			walk = append(walk, i)
			a.lower(int32(i), x.Levels[i].Event.Foot)
		}
		equalWords(t, c.name+": down to the last writes", walk, c.walk)
	}
	foot := footprintOf(x, nil, []int{atX})
	var walk []int
	for x.Accesses.point(foot); len(x.Accesses.cursors) > 0; x.Accesses.lower(int32(x.Accesses.latest()), nil) {
		walk = append(walk, x.Accesses.latest())
	}
	equalWords(t, "all that touches x", walk, []int{2, 1, 0})
	if equal(t, "locations of both", locations(footprintOf(x, []int{atX}, []int{atY})), 2); !x.Accesses.Narrow(foot) {
		t.Error("one location is narrow")
	}
	if x.Accesses.Few = 0; x.Accesses.Narrow(foot) || x.Accesses.helps(x, foot) {
		t.Error("one location is not narrow when none is few")
	}
}

// location is the location of a shared variable.
func location(t *testing.T, x *Execution, name string) int {
	t.Helper()
	for _, v := range x.m.Program.Shared {
		for l := range x.Machine.NumLocations() {
			if first, _ := x.Machine.LocationWords(l); v.Name == name && first == v.Offset {
				return l
			}
		}
	}
	t.Fatal("no location of ", name)
	return 0
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, not %v", what, got, want)
	}
}

// equalWords fails unless a list is the same as another.
func equalWords[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, not %v", what, got, want)
	}
}
