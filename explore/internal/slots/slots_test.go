package slots

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
)

type memory map[string][]byte

func (m memory) Put(name string, data []byte) error { m[name] = data; return nil }

func (m memory) Get(name string) ([]byte, error) {
	if data, ok := m[name]; ok {
		return data, nil
	}
	return nil, fmt.Errorf("%s is not there", name)
}

// TestAssign gives slots to workers that come and go: everybody has as many as any other, up to one, and no slot moves
// that need not.
func TestAssign(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	var now []string
	for range 2000 {
		var workers []string
		for w := range 100 {
			if rng.Intn(4) == 0 && (w < 10 || rng.Intn(3) == 0) {
				workers = append(workers, fmt.Sprint(w))
			}
		}
		next := assign(now, Many, workers)
		if len(workers) == 0 {
			if next != nil {
				t.Fatal("nobody owns something")
			}
			continue
		}
		has, kept, could := map[string]int{}, map[string]int{}, map[string]int{}
		for slot, w := range next {
			if has[w]++; !slices.Contains(workers, w) {
				t.Fatalf("slot %d belongs to %q", slot, w)
			}
			if now != nil {
				if could[now[slot]]++; now[slot] == w {
					kept[w]++
				}
			}
		}
		least, most := Many, 0
		for _, n := range has {
			least, most = min(least, n), max(most, n)
		}
		if most-least > 1 || len(has) != min(Many, len(workers)) {
			t.Fatalf("from %d to %d slots, %d workers of %d", least, most, len(has), len(workers))
		}
		for w, n := range could {
			if slices.Contains(workers, w) && kept[w] < min(n, has[w]) {
				t.Fatalf("%s keeps %d of %d, and has %d", w, kept[w], n, has[w])
			}
		}
		now = next
	}
}

// TestQueue appends, reads, stores and reopens a slot in an order that is drawn: every state is read once, in the order
// in which it was appended, and the way to each is found.
func TestQueue(t *testing.T) {
	for i := range int64(40) {
		rng, store := rand.New(rand.NewSource(i)), memory{}
		q, stored := NewQueue(Slot{}), Slot{}
		read, e := int64(0), Entry{}
		for range 300 {
			switch rng.Intn(12) {
			case 0, 1, 2, 3, 4:
				n := q.States
				parent := Ref{0, rng.Int63n(n+1) - 1}
				if parent.Number < 0 {
					parent.Slot, parent.Number = -1, 0
				}
				e := Entry{Parent: parent, Action: int32(n % 7), Depth: n, Failed: make([]int32, n%3),
					Words: []byte(fmt.Sprint("state ", n))}
				if q.Add(&e) != n {
					t.Fatal("another number")
				}
			case 5, 6, 7, 8, 9:
				if q.Open() == 0 {
					continue
				}
				if err := q.Next(store, &e); err != nil {
					t.Fatal(err)
				}
				if string(e.Words) != fmt.Sprint("state ", read) || e.Depth != read || len(e.Failed) != int(read%3) {
					t.Fatalf("seed %d: %+v, not state %d", i, e, read)
				}
				if read++; q.Expanded != read {
					t.Fatal("another number is expanded")
				}
			case 10:
				if err := q.Spill(store); err != nil {
					t.Fatal(err)
				}
				stored = q.Slot
			case 11: // what is not stored is lost
				q, read = NewQueue(stored), stored.Expanded
			}
		}
		s, n := Stage{Slots: []Slot{stored}}, int64(0)
		err := stored.Each(store, func(e *Entry) error {
			if e.Depth != n {
				return fmt.Errorf("%d, not %d", e.Depth, n)
			}
			paths, err := s.Paths(store, []Ref{{0, n}})
			if err == nil && (len(paths[0]) == 0) != (e.Parent.Slot < 0) ||
				len(paths[0]) > 0 && paths[0][len(paths[0])-1] != e.Action {
				err = fmt.Errorf("the way to %d is %v", n, paths)
			}
			n++
			return err
		})
		if err != nil || n != stored.States {
			t.Fatalf("seed %d: %v, %d states of %d", i, err, n, stored.States)
		}
		if _, err := s.Paths(store, []Ref{{0, n}}); err == nil {
			t.Error("there is a way to a state that is not there")
		}
	}
}
