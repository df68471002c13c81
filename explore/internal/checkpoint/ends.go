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
	var values, schedule []byte
	put := s.Found.Put
	if len(s.Counts) == 1 { // what a single worker has found is distinct
		put = s.Found.PutNew
	}
	for _, n := range s.Counts {
		for range n {
			count, err := binary.ReadUvarint(r)
			if err != nil {
				return NoEnd(err)
			}
			if values, err = readAfter(r, values); err != nil {
				return err
			}
			if schedule, err = readAfter(r, schedule); err != nil {
				return err
			}
			put(values, schedule, int64(count))
		}
	}
	return nil
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
