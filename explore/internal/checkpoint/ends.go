package checkpoint

import (
	"bufio"
	"encoding/binary"

	"cdpor/explore/internal/outcomes"
	"cdpor/explore/internal/stateset"
)

// Ends are ends as plain data: how many each worker has found. There may be millions, so they are written apart,
// as they are kept: of each the count, the length of the values, the values, the length of the schedule, its actions.
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
	var count [binary.MaxVarintLen64]byte
	for _, e := range s.lists {
		for n, record := range e.Records() {
			if _, err := w.Write(binary.AppendUvarint(count[:0], uint64(n))); err != nil {
				return err
			}
			if _, err := w.Write(record); err != nil {
				return err
			}
		}
	}
	return nil
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
			if values, err = readPart(r, values); err != nil {
				return err
			}
			if schedule, err = readPart(r, schedule); err != nil {
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
