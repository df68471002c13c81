package explore

import (
	"fmt"
	"slices"
	"testing"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/stateset"
	"cdpor/lang/step"
)

// A filledTable is a table of visits of states made by hand: the word of x and that of y have any values.
type filledTable struct {
	*visitedTable
	m *step.Machine
}

func newFilledTable(t *testing.T, most int64) filledTable {
	m, err := load(handmade("x: int, y: int", "p: x = 1", "q: y = 1"))
	if err != nil {
		t.Fatal(err)
	}
	return filledTable{newVisitedTable(stateset.PackingOf(m), m.NumProcs(), most), m}
}

func (f filledTable) state(x, y int64) (step.State, *stateset.Packed) {
	s, p := f.m.Initial(), f.set.Vector()
	s[0], s[1] = x, y
	f.set.Pack(p, s)
	return s, p
}

func (f filledTable) remember(x, y int64, asleep actionset.Set, future ...uint16) {
	s, p := f.state(x, y)
	f.find(nil, p, s) // as a search does when it arrives, which numbers the parts
	f.keep(p, p, s, visit{f.sleepers(asleep), future})
}

func (f filledTable) found(x, y int64) string {
	s, p := f.state(x, y)
	v, ok := f.find(nil, p, s)
	if !ok {
		return "not there"
	}
	return fmt.Sprint(actionset.Members[int](&f.asleep[v.asleep], nil), v.future)
}

// TestVisitedTable keeps visits and finds them.
func TestVisitedTable(t *testing.T) {
	f := newFilledTable(t, 0)
	none, some := actionset.Set{}, actionset.Set{}
	some.Add(1)
	equal(t, "in an empty table", f.found(0, 0), "not there")
	f.remember(0, 0, none, 1, 2)
	f.remember(0, 1, some, 3, 4)
	equal(t, "the first", f.found(0, 0), "[] [1 2]")
	equal(t, "the second", f.found(0, 1), "[1] [3 4]")
	equal(t, "another", f.found(1, 0), "not there")
	f.remember(0, 0, some, 5, 0)
	equal(t, "visited again", f.found(0, 0), "[1] [5 0]")
	equal(t, "the other one then", f.found(0, 1), "[1] [3 4]")
	equal(t, "how many", f.len(), 2)
	equal(t, "no sleepers", f.sleepers(none), 0)
	equal(t, "the same sleepers", f.sleepers(some), f.sleepers(some))
	if equal(t, "sets of sleepers", len(f.asleep), 2); f.full() {
		t.Error("two are too many")
	}
	for i := range int64(1000) { // through several sizes, and widths of numbers
		f.remember(i<<40, -i, none, uint16(i), uint16(i+1))
	}
	for i := int64(1); i < 1000; i++ {
		equal(t, fmt.Sprint("number ", i), f.found(i<<40, -i), fmt.Sprint("[] [", i, " ", i+1, "]"))
	}
	equal(t, "the second at last", f.found(0, 1), "[1] [3 4]")
	equal(t, "forgotten", f.dropped, 0)
}

// TestVisitedTableForgets bounds the visits and the bytes of a table: what has been found since the last sweep stays, of
// the others about half; when that is not enough, nothing.
func TestVisitedTableForgets(t *testing.T) {
	f := newFilledTable(t, 0)
	f.mostVisits = 9
	for i := range int64(9) {
		if f.remember(i, 0, actionset.Set{}, uint16(i), 7); f.full() {
			t.Fatal("full with ", i+1)
		}
	}
	if f.remember(9, 0, actionset.Set{}, 9, 7); !f.full() {
		t.Fatal("not full with 10")
	}
	for _, i := range []int64{2, 5} {
		f.found(i, 0)
	}
	if !f.sweep() {
		t.Error("without a bound of bytes a sweep is enough")
	}
	equal(t, "found before", f.found(2, 0), "[] [2 7]")
	equal(t, "found before", f.found(5, 0), "[] [5 7]")
	equal(t, "never found", f.found(3, 0), "not there")
	equal(t, "how many are left", f.len(), 2)
	equal(t, "forgotten", f.dropped, 8)
	equal(t, "futures that are left", len(f.later), 2*f.procs)

	for i := range int64(10) {
		f.remember(i, 1, actionset.Set{}, uint16(i), 8)
		f.found(i, 1)
	}
	f.found(2, 0)
	f.found(5, 0)
	f.sweep() // all have been found: any half goes
	if n := f.len(); n > 6 || n == 0 {
		t.Errorf("%d of 12 are left", n)
	}
	kept := int64(f.len())
	equal(t, "forgotten", f.dropped, 8+12-kept)
	for i := range int64(10) {
		if got := f.found(i, 1); got != "not there" {
			equal(t, "left", got, fmt.Sprint("[] [", i, " 8]"))
		}
	}

	f = newFilledTable(t, 1)
	if f.remember(1, 1, actionset.Set{}, 1, 1); !f.full() {
		t.Error("a byte is enough")
	}
	if f.sweep() {
		t.Error("a byte is enough after a sweep")
	}
	before := f.renewals
	f.remember(2, 2, actionset.Set{}, 2, 2)
	dropped, count := f.dropped, f.len()
	f.renew(stateset.PackingOf(f.m))
	equal(t, "renewed", f.renewals, before+1)
	equal(t, "forgotten by renewing", f.dropped, dropped+int64(count))
	equal(t, "when all is forgotten", f.found(2, 2), "not there")
	f.remember(3, 3, actionset.Set{}, 3, 3)
	equal(t, "kept after that", f.found(3, 3), "[] [3 3]")
}

// TestStackStates finds states on the stack, of which several have the same hash.
func TestStackStates(t *testing.T) {
	var s stackStates
	find := func(hash uint64, among ...int) int {
		return s.find(hash, func(d int) bool { return slices.Contains(among, d) })
	}
	equal(t, "on an empty stack", find(1, 0), -1)
	for d := range 200 {
		s.push(d, uint64(d%7))
	}
	equal(t, "the one with the hash", find(3, 3), 3)
	equal(t, "another with the hash", find(3, 150), 150) // 150 = 21*7+3
	equal(t, "none with the hash", find(3, 4), -1)
	equal(t, "no such hash", find(8, 8), -1)
	s.pop(100)
	equal(t, "one that was taken away", find(3, 150), -1)
	equal(t, "one below", find(3, 94), 94)
	s.push(100, 50)
	equal(t, "a new one", find(50, 100), 100)
}
