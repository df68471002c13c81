package slots

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
	"time"
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

// TestQueue appends, reads, stores and reopens a slot in an order that is drawn: every state that waits is read once,
// in the order in which it was appended, and the way to each is found.
func TestQueue(t *testing.T) {
	for i := range int64(40) {
		rng, store := rand.New(rand.NewSource(i)), memory{}
		q, stored := NewQueue(Slot{}), Slot{}
		read, e := int64(0), Entry{}
		for range 300 {
			switch rng.Intn(12) {
			case 0, 1, 2, 3, 4:
				drawEntry(t, rng, q)
			case 5, 6, 7, 8, 9:
				if q.Open() == 0 {
					continue
				}
				number, err := q.Next(store, &e)
				if err != nil {
					t.Fatal(err)
				}
				if string(e.Words) != fmt.Sprint("state ", 2*read) || e.Depth != read ||
					len(e.Failed) != int(read%3) {
					t.Fatalf("seed %d: %+v, not state %d", i, e, read)
				}
				if read++; q.Expanded != read || number != 2*(read-1) {
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
			number := 2 * n
			if n >= stored.States {
				number = 2*(n-stored.States) + 1
			}
			if string(e.Words) != fmt.Sprint("state ", number) {
				return fmt.Errorf("%s, not %d", e.Words, number)
			}
			paths, err := s.Paths(store, []Ref{{0, number}})
			if err == nil && (len(paths[0]) == 0) != (e.Parent.Slot < 0) ||
				len(paths[0]) > 0 && paths[0][len(paths[0])-1] != e.Action {
				err = fmt.Errorf("the way to %d is %v", number, paths)
			}
			n++
			return err
		})
		if err != nil || n != stored.All() {
			t.Fatalf("seed %d: %v, %d states of %d", i, err, n, stored.All())
		}
		for _, number := range []int64{-1, 2 * stored.States, 2*stored.Directly + 1} {
			if _, err := s.Paths(store, []Ref{{0, number}}); err == nil {
				t.Error("there is a way to a state that is not there")
			}
		}
	}
}

// drawEntry appends a state that waits, or one that does not.
func drawEntry(t *testing.T, rng *rand.Rand, q *Queue) {
	n, add, list := q.States, q.Add, int64(0)
	if rng.Intn(2) == 0 {
		n, add, list = q.Directly, q.AddDirect, 1
	}
	parent := Ref{-1, 0}
	if before := rng.Int63n(q.All() + 1); before < q.States {
		parent = Ref{0, 2 * before}
	} else if before < q.All() {
		parent = Ref{0, 2*(before-q.States) + 1}
	}
	e := Entry{Parent: parent, Action: int32(n % 7), Depth: n, Failed: make([]int32, n%3),
		Words: []byte(fmt.Sprint("state ", 2*n+list))}
	if add(&e) != 2*n+list {
		t.Fatal("another number")
	}
}

// TestGather starts a search: the first stage waits for a worker that is about to come, but not for long, and for
// others that may follow.
func TestGather(t *testing.T) {
	start := time.Unix(0, 0)
	l := NewLeader(Pace{Silence: time.Minute, Gather: 500, Follow: 50, Ask: 200}, nil, start)
	expect := func(at time.Duration, workers ...string) {
		t.Helper()
		_, p := l.Decide(start.Add(at))
		if p == nil {
			p = &Proposal{}
		}
		if !slices.Equal(p.Workers, workers) {
			t.Errorf("at %d a stage of %v is proposed, not of %v", at, p.Workers, workers)
		}
	}
	hear := func(at time.Duration, worker string, coming bool) {
		l.Hear(Status{Worker: worker, Coming: coming}, start.Add(at))
	}
	expect(1000)
	hear(1000, "first", true)
	expect(1060)
	hear(1060, "first", false)
	expect(1109)
	hear(1100, "second", false)
	expect(1149)
	expect(1150, "first", "second")
	hear(1150, "third", true)
	expect(1499)
	expect(1500, "first", "second")
}

// TestQuiet ends a search of which the leader hears unasked that all are quiet: it asks again as soon as it has the
// answers, and not when the next round would be due.
func TestQuiet(t *testing.T) {
	now := time.Unix(0, 0)
	l := NewLeader(Pace{Barrier: time.Hour, Silence: time.Hour, Ask: time.Minute}, First("s", []string{"a", "b"}), now)
	status := func(worker string, round int64, quiet bool) {
		l.Hear(Status{Worker: worker, Stage: "s", Round: round, Quiet: quiet, Sent: 1, Received: 1}, now)
	}
	asks := func(want *Ask) (round int64) {
		t.Helper()
		now = now.Add(time.Millisecond)
		got, p := l.Decide(now)
		if p != nil || (got == nil) != (want == nil) || got != nil && got.Mode != want.Mode {
			t.Fatalf("it asks %+v, not %+v, and proposes %v", got, want, p)
		}
		if got != nil {
			round = got.Round
		}
		return round
	}
	round := asks(&Ask{Mode: Working})
	status("a", round, false)
	status("b", round, false)
	asks(nil)
	status("a", round, true)
	asks(nil)
	status("b", round, true)
	for _, mode := range []Mode{Working, Working, Storing} {
		round = asks(&Ask{Mode: mode})
		status("a", round, true)
		status("b", round, true)
	}
}
