package slots

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"slices"
	"sync"
)

// A Queue are the states of a slot in the order of their numbers. Those that are stored take no memory, but for the
// segment that is being read.
type Queue struct {
	Slot           // as it is now
	buffer  buffer // of states that wait
	taken   int    // bytes of the buffer that have been read by Next
	reading []byte
	reader  coder // of what is read
	next    int   // the segment to read after that
	skip    int64 // so many states of it have been expanded

	direct buffer // of those that do not wait
}

// A buffer has states that are not stored.
type buffer struct {
	coder
	bytes  []byte
	states int64
}

func (b *buffer) add(e *Entry) {
	b.bytes = b.append(b.bytes, e)
	b.states++
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
	var c coder
	states := int64(0)
	for _, list := range s.lists() {
		for _, segment := range list {
			b, err := fetch(store, segment)
			if err != nil {
				return err
			}
			c.reset()
			for states += segment.States; len(b) > 0; {
				if b, err = c.read(b, &e); err != nil {
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
	q.buffer.add(e)
	q.States++
	return 2 * (q.States - 1)
}

// AddDirect appends a state that will have been expanded when the queue is stored, and returns its number.
func (q *Queue) AddDirect(e *Entry) (number int64) {
	q.direct.add(e)
	q.Directly++
	return 2*(q.Directly-1) + 1
}

// Open is how many states wait to be expanded.
func (q *Queue) Open() int64 { return q.States - q.Expanded }

// Buffered is how many bytes are not stored.
func (q *Queue) Buffered() int { return len(q.buffer.bytes) + len(q.direct.bytes) }

// Next reads the first state that waits, which has been expanded from now on, and returns its number. There must be
// one. The entry is valid until the next call for this queue.
func (q *Queue) Next(store Store, e *Entry) (number int64, err error) {
	for len(q.reading) == 0 && q.next < len(q.Segments) {
		if q.reading, err = fetch(store, q.Segments[q.next]); err != nil {
			return 0, err
		}
		q.reader.reset()
		for q.next++; q.skip > 0; q.skip-- {
			if q.reading, err = q.reader.read(q.reading, e); err != nil {
				return 0, err
			}
		}
	}
	if len(q.reading) > 0 {
		q.reading, err = q.reader.read(q.reading, e)
	} else {
		var rest []byte
		if q.taken == 0 {
			q.reader.reset()
		}
		rest, err = q.reader.read(q.buffer.bytes[q.taken:], e)
		q.taken = len(q.buffer.bytes) - len(rest)
	}
	if err == nil {
		q.Expanded++
	}
	return 2 * (q.Expanded - 1), err
}

// Spill stores what is not stored.
func (q *Queue) Spill(store Store) (err error) {
	if q.Direct, err = q.direct.spill(store, q.Direct); err != nil {
		return err
	}
	last := len(q.reading) == 0 && q.next == len(q.Segments) // what is not stored is to be read next
	var rest []byte
	if last {
		if rest = slices.Clone(q.buffer.bytes[q.taken:]); q.taken == 0 {
			q.reader.reset()
		}
	}
	if q.Segments, err = q.buffer.spill(store, q.Segments); err != nil {
		return err
	}
	if last {
		q.reading, q.next = rest, len(q.Segments)
	}
	q.taken = 0
	return nil
}

// spill stores a segment, unless it is empty, and appends it to a list. The buffer is empty then.
func (b *buffer) spill(store Store, list []Segment) ([]Segment, error) {
	if b.states == 0 {
		return list, nil
	}
	packed, err := pack(b.bytes)
	if err != nil {
		return list, err
	}
	name, err := put(store, "states", packed)
	if err != nil {
		return list, err
	}
	list = append(list, Segment{name, b.states})
	if b.reset(); cap(b.bytes) > mostKept {
		b.bytes = nil
	}
	b.bytes, b.states = b.bytes[:0], 0
	return list, nil
}

// mostKept is how many bytes a buffer that is empty may take.
const mostKept = 256 << 10

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
