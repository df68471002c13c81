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
	Slot     // as it is now
	buffer   []byte
	buffered int64 // states in it
	taken    int   // bytes of the buffer that have been read by Next
	reading  []byte
	next     int   // the segment to read after that
	skip     int64 // so many states of it have been expanded
}

// NewQueue makes a queue of what is stored of a slot.
func NewQueue(s Slot) *Queue {
	q := &Queue{Slot: s}
	q.Segments = s.Segments[:len(s.Segments):len(s.Segments)]
	for q.skip = s.Expanded; q.next < len(q.Segments) && q.skip >= q.Segments[q.next].States; q.next++ {
		q.skip -= q.Segments[q.next].States
	}
	return q
}

// Each calls a function with each state that is stored, up to an error.
func (s *Slot) Each(store Store, f func(e *Entry) error) error {
	var e Entry
	states := int64(0)
	for _, segment := range s.Segments {
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
	if states != s.States {
		return fmt.Errorf("%d states are stored of a slot that has %d", states, s.States)
	}
	return nil
}

// Add appends a state, and returns its number.
func (q *Queue) Add(e *Entry) (number int64) {
	q.buffer = e.Append(q.buffer)
	q.buffered++
	q.States++
	return q.States - 1
}

// Open is how many states wait to be expanded.
func (q *Queue) Open() int64 { return q.States - q.Expanded }

// Buffered is how many bytes are not stored.
func (q *Queue) Buffered() int { return len(q.buffer) }

// Next reads the first state that has not been expanded, which is from now on. There must be one. The entry is valid
// until the next call for this queue.
func (q *Queue) Next(store Store, e *Entry) (err error) {
	for len(q.reading) == 0 && q.next < len(q.Segments) {
		if q.reading, err = fetch(store, q.Segments[q.next]); err != nil {
			return err
		}
		for q.next++; q.skip > 0; q.skip-- {
			if q.reading, err = e.Read(q.reading); err != nil {
				return err
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
	return err
}

// Spill stores what is not stored.
func (q *Queue) Spill(store Store) error {
	if q.buffered == 0 {
		return nil
	}
	packed, err := pack(q.buffer)
	if err != nil {
		return err
	}
	name, err := put(store, "states", packed)
	if err != nil {
		return err
	}
	q.Segments = append(q.Segments, Segment{name, q.buffered})
	if q.taken > 0 { // everything before has been read
		q.reading, q.next = q.buffer[q.taken:], len(q.Segments)
	}
	q.buffer, q.buffered, q.taken = nil, 0, 0
	return nil
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
