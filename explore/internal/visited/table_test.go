package visited

import (
	"fmt"
	"slices"
	"testing"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/stateset"
	"cdpor/lang/langtest"
	"cdpor/lang/step"
)

// A filledTable is a table of visits of states made by hand: the word of x and that of y have any values.
type filledTable struct {
	*Table
	m *step.Machine
}

func newFilledTable(t *testing.T, most int64) filledTable {
	t.Helper()
	const text = "cdpor: 1\nshared: {x: int, y: int}\nthreads:\n  p: {run: x = 1}\n  q: {run: y = 1}\n"
	m := langtest.Machine(t, "table.yaml", text, nil)
	return filledTable{NewTable(stateset.PackingOf(m), m.NumProcs(), most), m}
}

func (f filledTable) state(x, y int64) (step.State, *stateset.Packed) {
	s, p := f.m.Initial(), f.Set.Vector()
	s[0], s[1] = x, y
	f.Set.Pack(p, s)
	return s, p
}

func (f filledTable) remember(x, y int64, asleep actionset.Set, future ...uint16) {
	s, p := f.state(x, y)
	f.Find(nil, p, s) // as a search does when it arrives, which numbers the parts
	f.Keep(p, p, s, Visit{f.Sleepers(asleep), future})
}

func (f filledTable) found(x, y int64) string {
	s, p := f.state(x, y)
	v, ok := f.Find(nil, p, s)
	if !ok {
		return "not there"
	}
	return fmt.Sprint(actionset.Members[int](&f.Asleep[v.Asleep], nil), v.Future)
}

// TestVisitedTable keeps visits and finds them.
func TestVisitedTable(t *testing.T) {
	f := newFilledTable(t, 0)
	none, some := actionset.Set{}, actionset.Set{}
	some.Add(1)
	same(t, "in an empty table", f.found(0, 0), "not there")
	f.remember(0, 0, none, 1, 2)
	f.remember(0, 1, some, 3, 4)
	same(t, "the first", f.found(0, 0), "[] [1 2]")
	same(t, "the second", f.found(0, 1), "[1] [3 4]")
	same(t, "another", f.found(1, 0), "not there")
	f.remember(0, 0, some, 5, 0)
	same(t, "visited again", f.found(0, 0), "[1] [5 0]")
	same(t, "the other one then", f.found(0, 1), "[1] [3 4]")
	same(t, "how many", f.len(), 2)
	same(t, "no sleepers", f.Sleepers(none), 0)
	same(t, "the same sleepers", f.Sleepers(some), f.Sleepers(some))
	if same(t, "sets of sleepers", len(f.Asleep), 2); f.Full() {
		t.Error("two are too many")
	}
	for i := range int64(1000) { // through several sizes, and widths of numbers
		f.remember(i<<40, -i, none, uint16(i), uint16(i+1))
	}
	for i := int64(1); i < 1000; i++ {
		same(t, fmt.Sprint("number ", i), f.found(i<<40, -i), fmt.Sprint("[] [", i, " ", i+1, "]"))
	}
	same(t, "the second at last", f.found(0, 1), "[1] [3 4]")
	same(t, "forgotten", f.Dropped, 0)
}

// TestVisitedTableForgets bounds the visits and the bytes of a table: what has been found since the last sweep stays,
// of the others about half; when that is not enough, nothing.
func TestVisitedTableForgets(t *testing.T) {
	f := newFilledTable(t, 0)
	f.MostVisits = 9
	for i := range int64(9) {
		if f.remember(i, 0, actionset.Set{}, uint16(i), 7); f.Full() {
			t.Fatal("full with ", i+1)
		}
	}
	if f.remember(9, 0, actionset.Set{}, 9, 7); !f.Full() {
		t.Fatal("not full with 10")
	}
	for _, i := range []int64{2, 5} {
		f.found(i, 0)
	}
	if !f.Sweep() {
		t.Error("without a bound of bytes a sweep is enough")
	}
	same(t, "found before", f.found(2, 0), "[] [2 7]")
	same(t, "found before", f.found(5, 0), "[] [5 7]")
	same(t, "never found", f.found(3, 0), "not there")
	same(t, "how many are left", f.len(), 2)
	same(t, "forgotten", f.Dropped, 8)
	same(t, "futures that are left", len(f.later), 2*f.procs)

	for i := range int64(10) {
		f.remember(i, 1, actionset.Set{}, uint16(i), 8)
		f.found(i, 1)
	}
	f.found(2, 0)
	f.found(5, 0)
	f.Sweep() // all have been found: any half goes
	if n := f.len(); n > 6 || n == 0 {
		t.Errorf("%d of 12 are left", n)
	}
	kept := int64(f.len())
	same(t, "forgotten", f.Dropped, 8+12-kept)
	for i := range int64(10) {
		if got := f.found(i, 1); got != "not there" {
			same(t, "left", got, fmt.Sprint("[] [", i, " 8]"))
		}
	}

	f = newFilledTable(t, 1)
	if f.remember(1, 1, actionset.Set{}, 1, 1); !f.Full() {
		t.Error("a byte is enough")
	}
	if f.Sweep() {
		t.Error("a byte is enough after a sweep")
	}
	before := f.Renewals
	f.remember(2, 2, actionset.Set{}, 2, 2)
	dropped, count := f.Dropped, f.len()
	f.Renew(stateset.PackingOf(f.m))
	same(t, "renewed", f.Renewals, before+1)
	same(t, "forgotten by renewing", f.Dropped, dropped+int64(count))
	same(t, "when all is forgotten", f.found(2, 2), "not there")
	f.remember(3, 3, actionset.Set{}, 3, 3)
	same(t, "kept after that", f.found(3, 3), "[] [3 3]")
}

// TestStackStates finds states on the stack, of which several have the same hash.
func TestStackStates(t *testing.T) {
	var s StackStates
	find := func(hash uint64, among ...int) int {
		return s.Find(hash, func(d int) bool { return slices.Contains(among, d) })
	}
	same(t, "on an empty stack", find(1, 0), -1)
	for d := range 200 {
		s.Push(d, uint64(d%7))
	}
	same(t, "the one with the hash", find(3, 3), 3)
	same(t, "another with the hash", find(3, 150), 150) // 150 = 21*7+3
	same(t, "none with the hash", find(3, 4), -1)
	same(t, "no such hash", find(8, 8), -1)
	s.Pop(100)
	same(t, "one that was taken away", find(3, 150), -1)
	same(t, "one below", find(3, 94), 94)
	s.Push(100, 50)
	same(t, "a new one", find(50, 100), 100)
}

func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, not %v", what, got, want)
	}
}

// TestHashState: states that differ in words without a code have different hashes, so that many of them on the stack
// are found one by one.
func TestHashState(t *testing.T) {
	f := newFilledTable(t, 0)
	hashes := map[uint64]bool{}
	const states = 3000
	for x := range int64(states) {
		s, p := f.state(x, -x)
		hashes[HashState(p, s)] = true
	}
	if len(hashes) != states {
		t.Errorf("%d hashes of %d states", len(hashes), states)
	}
}
