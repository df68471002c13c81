package outcomes

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"cdpor/explore/internal/stateset"

	"pgregory.net/rapid"
)

// maxAction is the greatest action that a record has room for.
const maxAction = 255

// drawEnds draws ends, of which many have the same values.
func drawEnds(t *rapid.T, label string) (list []Outcome) {
	for range rapid.IntRange(0, 300).Draw(t, label) {
		words := []int64{rapid.Int64Range(-3, 200).Draw(t, "first"), rapid.Int64Range(-2, 2).Draw(t, "second")}
		o := Outcome{Words: words, Count: 1}
		for range rapid.IntRange(0, 40).Draw(t, "events") {
			o.Schedule = append(o.Schedule, int32(rapid.IntRange(0, maxAction).Draw(t, "action")))
		}
		list = append(list, o)
	}
	return list
}

// TestSet compares the table of ends with a map: what is counted, which schedule is kept, the order, and what several
// workers have together. A tally has the same number.
func TestSet(t *testing.T) {
	key := func(words []int64) string { return fmt.Sprint(words) }
	same := func(t *rapid.T, got Set, want map[string]Outcome) {
		if got.Len() != len(want) {
			t.Fatalf("%d ends, not %d", got.Len(), len(want))
		}
		for i, o := range got.All() {
			w := want[key(o.Words)]
			if !slices.Equal(o.Words, w.Words) || o.Count != w.Count || !slices.Equal(o.Schedule, w.Schedule) {
				t.Fatalf("end %d is %v, not %v", i, o, w)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		var tables [2]Set
		total := map[string]Outcome{}
		for i := range tables {
			found := map[string]Outcome{}
			for _, o := range drawEnds(t, "ends") {
				count(&tables[i], &o)
				first, known := found[key(o.Words)]
				if !known {
					first = o
					first.Count = 0
				}
				first.Count++
				found[key(o.Words)] = first
			}
			same(t, tables[i], found)
			for k, o := range found {
				old, known := total[k]
				if known && (len(old.Schedule) < len(o.Schedule) ||
					len(old.Schedule) == len(o.Schedule) && slices.Compare(old.Schedule, o.Schedule) <= 0) {
					o.Schedule = old.Schedule
				}
				o.Count += old.Count
				total[k] = o
			}
		}
		var both Tally
		from := rapid.IntRange(0, tables[0].Len()).Draw(t, "from")
		both.Add(&tables[0], from)
		both.Add(&tables[1], 0)
		if both.Add(&tables[0], 0); both.Len() != len(total) {
			t.Fatalf("%d ends are counted, not %d", both.Len(), len(total))
		}
		if rapid.Bool().Draw(t, "sorted") {
			tables[0].Sort()
			tables[1].Sort()
			tables[0].Join(&tables[1])
			if tables[0].Len() > 0 && rapid.Bool().Draw(t, "go on") {
				for _, o := range []Outcome{
					{Words: []int64{-4, 1}, Count: 1}, {Words: tables[0].At(0).Words, Count: 2},
				} {
					count(&tables[0], &o)
					if old, known := total[key(o.Words)]; known {
						o.Schedule = old.Schedule
						o.Count += old.Count
					}
					total[key(o.Words)] = o
				}
			}
		} else {
			tables[0].Merge(&tables[1], 0)
		}
		same(t, tables[0], total)
		tables[0].Sort()
		same(t, tables[0], total)
		all := list(&tables[0])
		if !slices.IsSortedFunc(all, func(a, b Outcome) int { return slices.Compare(a.Words, b.Words) }) {
			t.Fatal("not sorted")
		}
		for _, o := range all {
			if !tables[0].Has(stateset.EncodeWords(nil, o.Words)) {
				t.Fatalf("%v is not there after sorting", o.Words)
			}
		}
		if tables[0].Has(stateset.EncodeWords(nil, []int64{-4, 0})) {
			t.Error("what was never added is there")
		}
	})
}

// list are all ends.
func list(e *Set) (all []Outcome) {
	for _, o := range e.All() {
		all = append(all, o)
	}
	return all
}

// count counts the end of a schedule as often as it says.
func count(e *Set, o *Outcome) {
	values := stateset.EncodeWords(nil, o.Words)
	if i, isNew := e.Add(values, o.Count); isNew {
		e.Keep(i, values, PackSchedule(nil, o.Schedule))
	}
}

// TestSort sorts values that are the same for long, of which some begin with others, or differ in zeros at the end.
func TestSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) string {
			b := make([]byte, rapid.IntRange(0, 40).Draw(t, "bytes"))
			for i := range b {
				if rapid.IntRange(0, 9).Draw(t, "rare") == 0 {
					b[i] = 1
				}
			}
			return string(b)
		}), 0, 200, rapid.ID).Draw(t, "values")
		var e Set
		for _, v := range values {
			e.PutNew([]byte(v), nil, 1)
		}
		e.Sort()
		slices.Sort(values)
		for i, want := range values {
			if got := e.Values(i); string(got) != want {
				t.Fatalf("% x is number %d, not % x", got, i, want)
			}
		}
	})
}

// TestSortMany sorts so many ends that several goroutines do. The first 8 bytes of values are all different, of few
// kinds, or all the same.
func TestSortMany(t *testing.T) {
	const n = 5 * manySorted
	for _, kinds := range []uint64{1, 3, 1 << 62} {
		rng := rand.New(rand.NewPCG(kinds, 0))
		var e, more Set
		want := make([]string, 0, n)
		for i := range n {
			v := binary.BigEndian.AppendUint64(nil, rng.Uint64N(kinds))
			v = binary.BigEndian.AppendUint64(v, uint64(i)*0x9E3779B97F4A7C15)
			want = append(want, string(v))
			more.PutNew(v, []byte{byte(i)}, 1)
		}
		for range 2 {
			e.Merge(&more, 0)
		}
		e.Sort()
		slices.Sort(want)
		for i, v := range want {
			if string(e.Values(i)) != v || e.Count(i) != 2 {
				t.Fatalf("%d kinds: % x is number %d, %d times; not % x", kinds, e.Values(i), i, e.Count(i), v)
			}
		}
	}
}
