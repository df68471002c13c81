package visited

import (
	"slices"
	"testing"

	"cdpor/lang/step"
)

// later is a step by hand that touches some of 32 locations, of which it writes none, and may race with step ids.
func later(id int, touches uint64, rivals ...int) LaterStep {
	s := LaterStep{ID: id, Foot: step.Footprint{touches, 0}, Rivals: make([]uint64, 1), Guard: -1}
	for _, r := range rivals {
		s.Rivals[0] |= 1 << r
	}
	return s
}

// TestFutures numbers steps of one process by hand and unites sets of them.
func TestFutures(t *testing.T) {
	f := NewFutures(2)
	l, filled := f[0], 0
	number := func(s LaterStep, words ...int64) int32 { return l.Number(s, words, func(*LaterStep) { filled++ }) }
	a, b := number(later(1, 1, 5)), number(later(2, 6, 6))
	same(t, "a step that is known", number(later(1, 1, 5)), a)
	if c := number(later(1, 2, 5)); c == a || c == b {
		t.Error("another footprint is another step")
	}
	if c := number(later(1, 1, 5), 7); c == a {
		t.Error("another local is another step")
	}
	same(t, "steps that have been filled in", filled, 4)

	one, two := l.Single(a), l.Single(b)
	both := l.Union(one, two)
	same(t, "the union the other way round", l.Union(two, one), both)
	same(t, "with the empty set", l.Union(0, one), one)
	same(t, "with a part of it", l.Union(both, two), both)
	set := &l.Sets[both]
	if want := []int32{a, b}; !slices.Equal(set.Steps, want) {
		t.Errorf("the steps are %v, not %v", set.Steps, want)
	}
	same(t, "locations", f.Size(FutureSteps{both, 0}), 3)
	writes := step.Footprint{4, 4}
	same(t, "step 6 writes what one of them reads", set.MayRace(6, writes), true)
	same(t, "step 7 is nobody's rival", set.MayRace(7, writes), false)
	same(t, "reads only", set.MayRace(6, step.Footprint{4, 0}), false)
	same(t, "the first alone", l.Sets[one].MayRace(6, writes), false)

	to := FutureSteps{one, 0}
	f.Join(to, FutureSteps{two, 0})
	same(t, "joined", to[0], both)
	same(t, "of the other process", to[1], 0)
	if f.Check([]uint16{both, 0}) != nil || f.Check([]uint16{both + 1, 0}) == nil || f.Check([]uint16{0, 1}) == nil {
		t.Error("numbers of sets that are there are good, others are not")
	}
}

// TestFuturesOfManyLocals takes steps with a guard for one when they have been met with too many locals.
func TestFuturesOfManyLocals(t *testing.T) {
	l := NewFutures(1)[0]
	for i := range int64(maxLocals) {
		same(t, "locals told apart", l.Number(later(1, 1), []int64{i}, func(*LaterStep) {}), int32(i))
	}
	rest := l.Number(later(1, 1), []int64{maxLocals}, func(*LaterStep) {})
	same(t, "one more", l.Number(later(1, 1), []int64{maxLocals + 1}, func(*LaterStep) {}), rest)
}
