package checkpoint

import (
	"bufio"
	"encoding/binary"
	"errors"

	"cdpor/explore/internal/outcomes"
	"cdpor/explore/internal/stateset"
)

// Ends are ends as plain data: how many each worker has found. There may be millions, so they are written apart: of
// each the count, the values and the schedule. An end has much in common with the one found before it, so of values and
// of schedules there is written how many bytes are those of the one before, how many follow, and these.
type Ends struct {
	Counts []int

	lists []*outcomes.Set // when they are saved
	Found outcomes.Set    `json:"-"` // when they have been read
}

// Add adds what a worker has found. It is valid until the search goes on.
func (s *Ends) Add(e *outcomes.Set) {
	s.Counts, s.lists = append(s.Counts, e.Len()), append(s.lists, e)
}

// Write writes the ends.
func (s *Ends) Write(w *bufio.Writer) error {
	var buf, lastValues, lastSchedule []byte
	for _, e := range s.lists {
		for i := range e.Len() {
			values, schedule := e.Packed(i)
			buf = binary.AppendUvarint(buf[:0], uint64(e.Count(i)))
			buf = appendAfter(buf, lastValues, values)
			buf = appendAfter(buf, lastSchedule, schedule)
			if _, err := w.Write(buf); err != nil {
				return err
			}
			lastValues, lastSchedule = values, schedule
		}
	}
	return nil
}

// appendAfter appends what readAfter reads.
func appendAfter(b, last, part []byte) []byte {
	n := 0
	for n < len(last) && n < len(part) && last[n] == part[n] {
		n++
	}
	b = binary.AppendUvarint(b, uint64(n))
	b = binary.AppendUvarint(b, uint64(len(part)-n))
	return append(b, part[n:]...)
}

// readAfter reads a part that begins as the last one does, in whose place it is put.
func readAfter(r *bufio.Reader, last []byte) ([]byte, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return nil, NoEnd(err)
	}
	if n > uint64(len(last)) {
		return nil, errors.New("an outcome has more in common with the one before than that has")
	}
	return readPart(r, last[:n])
}

// Read reads what Write has written, and adds up what several workers have found.
func (s *Ends) Read(r *bufio.Reader) error {
	put := s.Found.Put
	if len(s.Counts) == 1 { // what a single worker has found is distinct
		put = s.Found.PutNew
	}
	e := endReader{r: r}
	for _, n := range s.Counts {
		for range n {
			count, err := e.next()
			if err != nil {
				return err
			}
			put(e.values, e.schedule, count)
		}
	}
	return e.leave()
}

// An endReader reads ends. As long as the next one is in the buffer of what it reads from, it looks at that.
type endReader struct {
	r                *bufio.Reader
	ahead            []byte // what is in the buffer
	taken            int    // bytes of that
	values, schedule []byte // of the last end
}

// next reads an end.
func (e *endReader) next() (count int64, err error) {
	if count, ok := e.nextAhead(); ok {
		return count, nil
	}
	return e.nextSlow()
}

// nextAhead reads an end from the buffer. It is not ok if not all of it is there, or if it is wrong.
func (e *endReader) nextAhead() (count int64, ok bool) {
	b := e.ahead[e.taken:]
	times, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, false
	}
	same, values, rest := after(b[n:], e.values)
	before, schedule, rest := after(rest, e.schedule)
	if rest == nil {
		return 0, false
	}
	e.values, e.schedule = append(e.values[:same], values...), append(e.schedule[:before], schedule...)
	e.taken = len(e.ahead) - len(rest)
	return int64(times), true
}

// after reads what appendAfter has appended: how much a part has in common with the last one, what follows, and the
// rest, which is nil if not all is there.
func after(b, last []byte) (same int, more, rest []byte) {
	before, n := binary.Uvarint(b)
	if n <= 0 || before > uint64(len(last)) {
		return 0, nil, nil
	}
	b = b[n:]
	size, n := binary.Uvarint(b)
	if n <= 0 || size > uint64(len(b)-n) {
		return 0, nil, nil
	}
	end := n + int(size)
	return int(before), b[n:end], b[end:]
}

// nextSlow reads an end that need not be in the buffer.
func (e *endReader) nextSlow() (count int64, err error) {
	if err := e.leave(); err != nil {
		return 0, err
	}
	times, err := binary.ReadUvarint(e.r)
	if err != nil {
		return 0, NoEnd(err)
	}
	if e.values, err = readAfter(e.r, e.values); err != nil {
		return 0, err
	}
	if e.schedule, err = readAfter(e.r, e.schedule); err != nil {
		return 0, err
	}
	e.ahead, err = e.r.Peek(e.r.Buffered())
	return int64(times), err
}

// leave leaves what follows to others.
func (e *endReader) leave() error {
	_, err := e.r.Discard(e.taken)
	e.ahead, e.taken = nil, 0
	return err
}

// Fit reports whether all ends have so many values (-1: any number), and schedules of so many actions.
func (s *Ends) Fit(words, actions int) bool {
	for i := range s.Found.Len() {
		values, schedule := s.Found.Packed(i)
		if n, ok := stateset.CountWords(values); !ok || words >= 0 && n != words {
			return false
		}
		for _, a := range schedule {
			if int(a) >= actions {
				return false
			}
		}
	}
	return true
}
