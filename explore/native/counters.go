package native

import (
	"slices"

	"cdpor/explore/internal/happens"
	"cdpor/lang/golang/native"
)

// Adds to a WaitGroup count as independent, though the counter must not get negative: where it does so in some of the
// orders of an execution only, the others do not show it. So each execution is asked whether there is such an order. A
// set of events that is closed under happens-before has too few units added exactly if the units that its Dones take
// cannot be matched with different units that were added before them (Hall's marriage theorem); that order is executed.

// A unit is 1 that an event adds or takes; at is -1 for what a counter has in the beginning.
type unit struct{ at int }

// checkCounters executes an order of the execution on the stack in which some counter gets negative, if there is one.
func (x *search) checkCounters() {
	if !x.opt.Algorithm.Races {
		return
	}
	added, taken := map[int32][]unit{}, map[int32][]unit{}
	initial := x.m.at(x.Levels[x.Depth].State).initial
	for d := range x.Depth {
		e := &x.Levels[d].Event
		id, n, yes := int32(0), 0, false
		if e.Proc > 0 {
			id, n, yes = x.m.at(x.Levels[d].State).next[e.Proc].op.Adds()
		}
		if !yes || n > mostUnits || n < -mostUnits {
			continue
		}
		if _, known := added[id]; !known {
			added[id] = slices.Repeat([]unit{{-1}}, min(mostUnits, max(0, initial.At(id).Count())))
		}
		for range max(n, -n) {
			if n > 0 {
				added[id] = append(added[id], unit{d})
			} else {
				taken[id] = append(taken[id], unit{d})
			}
		}
	}
	for id, list := range taken {
		if wrong := x.unmatched(added[id], list); wrong != nil {
			x.tryOrder(wrong)
		}
	}
}

// mostUnits is how many a single Add may add for this.
const mostUnits = 1 << 8

// unmatched are the stack positions of Dones that take more than was added before them; nil if there are none.
func (x *search) unmatched(added, taken []unit) (wrong []int) {
	by := make([]int, len(added)) // who takes it
	for i := range by {
		by[i] = -1
	}
	var seen []bool
	var reached []int
	var match func(k int) bool
	match = func(k int) bool {
		reached = append(reached, taken[k].at)
		for i, a := range added {
			before := a.at < 0 || happens.Covers(x.Levels[taken[k].at].Event.Clock, &x.Levels[a.at].Event)
			if seen[i] || !before {
				continue
			}
			if seen[i] = true; by[i] < 0 || match(by[i]) {
				by[i] = k
				return true
			}
		}
		return false
	}
	for k := range taken {
		seen, reached = make([]bool, len(added)), reached[:0]
		if !match(k) {
			return reached
		}
	}
	return nil
}

// tryOrder executes some events and what happens before them, the rest behind.
func (x *search) tryOrder(last []int) {
	var prefix []int32
	for d := range x.Depth {
		e := &x.Levels[d].Event
		if slices.ContainsFunc(last, func(k int) bool { return happens.Covers(x.Levels[k].Event.Clock, e) }) {
			prefix = append(prefix, int32(e.Action))
		}
	}
	n := x.m.root
	for _, a := range prefix {
		if n != nil {
			n = n.child(a)
		}
	}
	if n == nil || !n.ends {
		x.execute(&native.Command{Prefix: prefix})
	}
}
