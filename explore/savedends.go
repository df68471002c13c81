package explore

import (
	"bufio"
	"encoding/binary"
	"io"
	"slices"

	"cdpor/explore/internal/outcomes"
	"cdpor/explore/internal/stateset"
)

// savedEnds are ends as plain data: how many each worker has found. There may be millions, so they are written apart,
// as they are kept: of each the count, the length of the values, the values, the length of the schedule, its actions.
type savedEnds struct {
	Counts []int

	lists []*outcomes.Set // when they are saved
	found outcomes.Set    // when they have been read
}

// add adds what a worker has found. It is valid until the search goes on.
func (s *savedEnds) add(e *outcomes.Set) {
	s.Counts, s.lists = append(s.Counts, e.Len()), append(s.lists, e)
}

func (s *savedEnds) write(w *bufio.Writer) error {
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

// read reads what write has written, and adds up what several workers have found.
func (s *savedEnds) read(r *bufio.Reader) error {
	var values, schedule []byte
	for _, n := range s.Counts {
		for range n {
			count, err := binary.ReadUvarint(r)
			if err != nil {
				return noEnd(err)
			}
			if values, err = readPart(r, values); err != nil {
				return err
			}
			if schedule, err = readPart(r, schedule); err != nil {
				return err
			}
			s.found.Put(values, schedule, int64(count))
		}
	}
	return nil
}

// readPart reads bytes with their number before them, and takes buf for them. It takes no more memory than there are
// bytes.
func readPart(r *bufio.Reader, buf []byte) ([]byte, error) {
	const block = 1 << 16
	left, err := binary.ReadUvarint(r)
	if err != nil {
		return nil, noEnd(err)
	}
	for buf = buf[:0]; left > 0; {
		begin, n := len(buf), int(min(left, block))
		buf = slices.Grow(buf, n)[:begin+n]
		if _, err := io.ReadFull(r, buf[begin:]); err != nil {
			return nil, noEnd(err)
		}
		left -= uint64(n)
	}
	return buf, nil
}

// fit reports whether all ends have so many values (-1: any number), and schedules of so many actions.
func (s *savedEnds) fit(words, actions int) bool {
	for i := range s.found.Len() {
		values, schedule := s.found.Packed(i)
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
