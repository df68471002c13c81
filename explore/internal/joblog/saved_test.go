package joblog

import (
	"bytes"
	"encoding/json"
	"flag"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	"cdpor/lang/step"
)

var logs = flag.Int("logs", 100, "random logs that are folded with and without saving")

// someOf draws actions.
func someOf(rng *rand.Rand) (list []int32) {
	for a := range int32(7) {
		if rng.Intn(3) == 0 {
			list = append(list, a)
		}
	}
	return list
}

// draw draws a record for a fold, now and then one that does not count, or that no worker can have made.
func draw(rng *rand.Rand, f *Fold) *Record {
	switch k := rng.Intn(60); {
	case k == 0:
		return &Record{Origins: [][]step.Origin{{}}}
	case k == 1:
		return &Record{Take: &Take{Node: rng.Intn(5), Action: rng.Intn(8)}}
	case k == 2:
		return &Record{Task: ID{rng.Intn(6) - 1, rng.Intn(3)}, Number: rng.Intn(4)}
	case k == 3 && rng.Intn(5) == 0:
		return &Record{End: "cancelled"}
	case k < 25:
		if take := f.Waiting(); take != nil {
			return &Record{Take: take}
		}
	}
	ids := f.UnderWay()
	if len(ids) == 0 {
		return &Record{Task: Root}
	}
	id := ids[rng.Intn(len(ids))]
	c := f.tasks[id]
	r := &Record{Task: id, Number: c.next}
	if rng.Intn(10) == 0 {
		r.Tries, r.Left = 1, c.task
		return r
	}
	for d := range c.path {
		if rng.Intn(3) == 0 {
			r.Insert = append(r.Insert, Insertion{Depth: d, Actions: someOf(rng)})
		}
	}
	for rng.Intn(2) == 0 && len(c.path)+len(r.Split) < 6 {
		u := splitOff(int32(rng.Intn(7)), someOf(rng), someOf(rng), someOf(rng))
		u.StateSleep, u.Excluded = someOf(rng), someOf(rng)
		r.Split = append(r.Split, u)
	}
	if len(r.Split) > 0 || rng.Intn(3) > 0 {
		own := len(c.path) + len(r.Split)
		r.Left = &Task{ID: id, Own: own, Begin: -1, Levels: levels(make([]int32, own+1)...)}
	}
	return r
}

// again saves a fold and restores it, as text.
func again(t *testing.T, f *Fold) *Fold {
	t.Helper()
	text, err := json.Marshal(f.Save())
	if err != nil {
		t.Fatal(err)
	}
	var s Saved
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	g, err := s.Restore()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestSaved folds random logs. A fold that is saved and restored between any two records must say the same of each.
func TestSaved(t *testing.T) {
	counted, taken, done := 0, 0, 0
	for seed := range int64(*logs) {
		rng := rand.New(rand.NewSource(seed))
		f := NewFold(seed%2 == 0)
		g := again(t, f)
		for range 1 + rng.Intn(80) {
			r := draw(rng, f)
			one, errOne := f.Apply(r)
			other, errOther := g.Apply(r)
			if one != other || (errOne == nil) != (errOther == nil) {
				t.Fatalf("log %d: record %+v counts: %v, %v; of what was saved %v, %v", seed, r, one, errOne, other,
					errOther)
			}
			if one {
				counted++
			}
			if r.Take != nil && one {
				taken++
			}
			if rng.Intn(3) == 0 {
				g = again(t, g)
			}
			same(t, seed, f, g)
		}
		if f.Done() {
			done++
		}
	}
	t.Logf("%d records count, %d take something, %d logs are at their end", counted, taken, done)
	if counted < *logs || taken < *logs/2 || done == 0 {
		t.Error("that says little")
	}
}

// same compares two folds in all that others ask them.
func same(t *testing.T, seed int64, f, g *Fold) {
	t.Helper()
	if !reflect.DeepEqual(f.Waiting(), g.Waiting()) || f.Active() != g.Active() ||
		f.Done() != g.Done() || f.Ended() != g.Ended() || !slices.Equal(f.UnderWay(), g.UnderWay()) {
		t.Fatalf("log %d: %+v was saved as %+v", seed, f, g)
	}
	a, err := json.Marshal(f.Save())
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(g.Save())
	if err != nil || string(a) != string(b) {
		t.Fatalf("log %d: %s was saved as %s, %v", seed, a, b, err)
	}
	for id := range f.tasks {
		p, next := f.Task(id)
		q, other := g.Task(id)
		if (p == nil) != (q == nil) || p != nil && next != other {
			t.Fatalf("log %d: task %v is %v, %d, not %v, %d", seed, id, q, other, p, next)
		}
	}
}

// TestSavedFields: what a fold has is saved. Who gives it another field has to save it, and to count it here.
func TestSavedFields(t *testing.T) {
	for _, c := range []struct {
		of    any
		saved int
	}{{Fold{}, 7}, {upper{}, 8}, {chain{}, 4}} {
		if n := reflect.TypeOf(c.of).NumField(); n != c.saved {
			t.Errorf("%T has %d fields, of which %d are saved", c.of, n, c.saved)
		}
	}
}

// TestSavedErrors restores what no Save has made.
func TestSavedErrors(t *testing.T) {
	for i, s := range []Saved{
		{},
		{Tasks: 1, Open: []int{0}},
		{Tasks: 1, Under: []SavedChain{{ID: ID{0, 0}}}},
		{Tasks: 1, Under: []SavedChain{{ID: Root}}},
		{Tasks: 1, Nodes: []SavedUpper{{Above: 3}}},
		{Tasks: 1, Nodes: []SavedUpper{{Above: -1, Sleep: []int32{1000}}}},
		{Tasks: 1, Nodes: []SavedUpper{{Above: -1, Taken: 1}}},
		{Tasks: 1, Under: []SavedChain{{ID: Root, Task: &Task{ID: Root}, Path: []int{0}}}},
	} {
		if _, err := s.Restore(); err == nil {
			t.Errorf("%d: %+v is a fold", i, s)
		}
	}
}

// FuzzFold folds records that anybody may have written, one behind the other, from the beginning or from a snapshot on:
// none brings the fold down, and what is saved after each can be restored.
func FuzzFold(f *testing.F) {
	for seed := range int64(20) {
		rng := rand.New(rand.NewSource(seed))
		fold := NewFold(seed%2 == 0)
		text := []byte{byte(seed % 2)}
		for range 12 {
			r := draw(rng, fold)
			record, err := r.Marshal()
			if err != nil {
				f.Fatal(err)
			}
			text = append(append(text, record...), 0xff)
			_, _ = fold.Apply(r)
		}
		f.Add(text)
		saved, err := json.Marshal(fold.Save())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(slices.Concat([]byte{2}, saved, []byte{0xff}, text[1:]))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) == 0 {
			return
		}
		fold := NewFold(text[0]&1 == 0)
		records := bytes.Split(text[1:], []byte{0xff})
		if text[0]&2 != 0 { // from a snapshot on, which a worker may have bent
			s := &Saved{}
			if json.Unmarshal(records[0], s) != nil {
				return
			}
			var err error
			if fold, err = s.Restore(); err != nil {
				return
			}
			records = records[1:]
		}
		for _, record := range records {
			r := &Record{}
			if r.Unmarshal(record) != nil {
				continue
			}
			_, _ = fold.Apply(r)
			for _, take := range fold.WaitingAll(3) {
				_ = take.Node
			}
			for _, id := range fold.UnderWay() {
				if p, _ := fold.Task(id); p != nil {
					p.Path()
				}
			}
			saved, err := json.Marshal(fold.Save())
			if err != nil {
				t.Fatal(err)
			}
			again := &Saved{}
			if err := json.Unmarshal(saved, again); err != nil {
				t.Fatal(err)
			}
			if _, err := again.Restore(); err != nil {
				t.Fatalf("%v after %s", err, record)
			}
		}
	})
}
