package slots

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

// A Ref is a state: its slot, and its number there.
type Ref struct {
	Slot   int // -1: none
	Number int64
}

// An Entry is a state of a slot, and how the search came there.
type Entry struct {
	Parent Ref   // none, of the initial state
	Action int32 // that leads to it
	Depth  int64
	Failed []int32 // processes, in the order in which they failed
	Words  []byte
}

// Append appends the bytes of an entry.
func (e *Entry) Append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(e.Parent.Slot+1))
	b = binary.AppendUvarint(b, uint64(e.Parent.Number))
	b = binary.AppendUvarint(b, uint64(e.Action))
	b = binary.AppendUvarint(b, uint64(e.Depth))
	b = binary.AppendUvarint(b, uint64(len(e.Failed)))
	for _, p := range e.Failed {
		b = binary.AppendUvarint(b, uint64(p))
	}
	b = binary.AppendUvarint(b, uint64(len(e.Words)))
	return append(b, e.Words...)
}

// ErrForm says that bytes do not have the form of what they should be.
var ErrForm = errors.New("a part of a state is missing")

// Read reads what Append has appended, and returns the bytes behind it. The words are not copied.
func (e *Entry) Read(b []byte) (rest []byte, err error) {
	bad := false
	number := func() uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			bad, b = true, nil
			return 0
		}
		b = b[n:]
		return v
	}
	e.Parent.Slot, e.Parent.Number = int(number())-1, int64(number())
	e.Action, e.Depth = int32(number()), int64(number())
	e.Failed = e.Failed[:0]
	for n := number(); n > 0 && !bad; n-- {
		e.Failed = append(e.Failed, int32(number()))
	}
	n := number()
	if bad || n > uint64(len(b)) {
		return nil, ErrForm
	}
	e.Words = b[:n:n]
	return b[n:], nil
}

// A Queue are the states of a slot in the order of their numbers. Those that are stored take no memory, but for the
// segment that is being read.
type Queue struct {
	Slot            // as it is now
	buffer   []byte // of states that wait
	buffered int64  // states in it
	taken    int    // bytes of the buffer that have been read by Next
	reading  []byte
	next     int   // the segment to read after that
	skip     int64 // so many states of it have been expanded

	direct   []byte // as buffer, of those that do not wait
	unstored int64  // states in it
}

// NewQueue makes a queue of what is stored of a slot.
func NewQueue(s Slot) *Queue {
	q := &Queue{Slot: s}
	q.Segments = s.Segments[:len(s.Segments):len(s.Segments)]
	q.Direct = s.Direct[:len(s.Direct):len(s.Direct)]
	for q.skip = s.Expanded; q.next < len(q.Segments) && q.skip >= q.Segments[q.next].States; q.next++ {
		q.skip -= q.Segments[q.next].States
	}
	return q
}

// Each calls a function with each state that is stored, up to an error.
func (s *Slot) Each(store Store, f func(e *Entry) error) error {
	var e Entry
	states := int64(0)
	for _, list := range s.lists() {
		for _, segment := range list {
			b, err := fetch(store, segment)
			if err != nil {
				return err
			}
			for states += segment.States; len(b) > 0; {
				if b, err = e.Read(b); err != nil {
					return fmt.Errorf("%s: %w", segment.Name, err)
				}
				if err := f(&e); err != nil {
					return err
				}
			}
		}
	}
	if states != s.All() {
		return fmt.Errorf("%d states are stored of a slot that has %d", states, s.All())
	}
	return nil
}

// Add appends a state that waits to be expanded, and returns its number.
func (q *Queue) Add(e *Entry) (number int64) {
	q.buffer = e.Append(q.buffer)
	q.buffered++
	q.States++
	return 2 * (q.States - 1)
}

// AddDirect appends a state that will have been expanded when the queue is stored, and returns its number.
func (q *Queue) AddDirect(e *Entry) (number int64) {
	q.direct = e.Append(q.direct)
	q.unstored++
	q.Directly++
	return 2*(q.Directly-1) + 1
}

// Open is how many states wait to be expanded.
func (q *Queue) Open() int64 { return q.States - q.Expanded }

// Buffered is how many bytes are not stored.
func (q *Queue) Buffered() int { return len(q.buffer) + len(q.direct) }

// Next reads the first state that waits, which has been expanded from now on, and returns its number. There must be
// one. The entry is valid until the next call for this queue.
func (q *Queue) Next(store Store, e *Entry) (number int64, err error) {
	for len(q.reading) == 0 && q.next < len(q.Segments) {
		if q.reading, err = fetch(store, q.Segments[q.next]); err != nil {
			return 0, err
		}
		for q.next++; q.skip > 0; q.skip-- {
			if q.reading, err = e.Read(q.reading); err != nil {
				return 0, err
			}
		}
	}
	if len(q.reading) > 0 {
		q.reading, err = e.Read(q.reading)
	} else {
		var rest []byte
		rest, err = e.Read(q.buffer[q.taken:])
		q.taken = len(q.buffer) - len(rest)
	}
	if err == nil {
		q.Expanded++
	}
	return 2 * (q.Expanded - 1), err
}

// Spill stores what is not stored.
func (q *Queue) Spill(store Store) (err error) {
	if q.Direct, err = spill(store, q.Direct, q.direct, q.unstored); err != nil {
		return err
	}
	q.direct, q.unstored = nil, 0
	last := len(q.reading) == 0 && q.next == len(q.Segments) // what is not stored is to be read next
	if q.Segments, err = spill(store, q.Segments, q.buffer, q.buffered); err != nil {
		return err
	}
	if last {
		q.reading, q.next = q.buffer[q.taken:], len(q.Segments)
	}
	q.buffer, q.buffered, q.taken = nil, 0, 0
	return nil
}

// spill stores a segment, unless it is empty, and appends it to a list.
func spill(store Store, list []Segment, buffer []byte, states int64) ([]Segment, error) {
	if states == 0 {
		return list, nil
	}
	packed, err := pack(buffer)
	if err != nil {
		return list, err
	}
	name, err := put(store, "states", packed)
	if err != nil {
		return list, err
	}
	return append(list, Segment{name, states}), nil
}

// packers are used again: one takes a megabyte.
var packers = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // which is a level
	return w
}}

func pack(b []byte) ([]byte, error) {
	var packed bytes.Buffer
	w, _ := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	w.Reset(&packed)
	if _, err := w.Write(b); err != nil {
		return nil, err
	}
	err := w.Close()
	return packed.Bytes(), err
}

// fetch reads a segment.
func fetch(store Store, s Segment) ([]byte, error) {
	packed, err := store.Get(s.Name)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return b, nil
}
