package checkpoint

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"slices"
)

// A Stack are the levels of a stack as plain data. An execution may have millions of events, so they are made and
// written one by one, apart from the rest: most as a few numbers, and those with more than the common fields as JSON.
type Stack struct {
	Count int

	Level func(depth int) Level `json:"-"` // when it is saved
	Read  []Level               `json:"-"` // when it has been read
}

// What a level begins with.
const (
	shortLevel = iota
	jsonLevel
	disabledLevel // a short one with processes that are disabled there
)

// lists are the fields that a short level of a kind keeps as lists of bytes.
func (l *Level) lists(kind byte) []*[]int32 {
	if kind == shortLevel {
		return []*[]int32{&l.Backtrack, &l.Sleep}
	}
	return []*[]int32{&l.Backtrack, &l.Sleep, &l.Reordered}
}

// short reports whether a level has only the common fields.
func (l *Level) short() bool {
	return len(l.StateSleep)+len(l.Sequences)+len(l.Wakeup)+len(l.Excluded)+len(l.Slept) == 0 &&
		l.Visit == nil && l.Shared == 0
}

// Write makes the levels and writes them, one by one.
func (s *Stack) Write(w *bufio.Writer) error {
	var b []byte
	for d := range s.Count {
		l := s.Level(d)
		if l.short() {
			kind := byte(shortLevel)
			if len(l.Reordered) > 0 {
				kind = disabledLevel
			}
			b = append(b[:0], kind)
			for _, n := range []uint64{uint64(l.Action), uint64(l.Tried), uint64(l.Begun), uint64(l.Sibling)} {
				b = binary.AppendUvarint(b, n)
			}
			for _, list := range l.lists(kind) {
				b = binary.AppendUvarint(b, uint64(len(*list)))
				for _, a := range *list {
					b = append(b, byte(a)) // MaxActions fit
				}
			}
		} else {
			text, err := json.Marshal(&l)
			if err != nil {
				return err
			}
			b = binary.AppendUvarint(append(b[:0], jsonLevel), uint64(len(text)))
			b = append(b, text...)
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// ReadFrom reads what Write has written.
func (s *Stack) ReadFrom(r *bufio.Reader) error {
	var buf []byte
	for range s.Count {
		kind, err := r.ReadByte()
		if err != nil {
			return NoEnd(err)
		}
		var l Level
		switch kind {
		case shortLevel, disabledLevel:
			var numbers [4]uint64
			for i := range numbers {
				if numbers[i], err = binary.ReadUvarint(r); err != nil {
					return NoEnd(err)
				}
			}
			l.Action, l.Tried = int32(numbers[0]), int(numbers[1])
			l.Begun, l.Sibling = int64(numbers[2]), int64(numbers[3])
			for _, list := range l.lists(kind) {
				if buf, err = readPart(r, buf[:0]); err != nil {
					return err
				}
				for _, a := range buf {
					*list = append(*list, int32(a))
				}
			}
		case jsonLevel:
			if buf, err = readPart(r, buf[:0]); err != nil {
				return err
			}
			if err := json.Unmarshal(buf, &l); err != nil {
				return err
			}
		default:
			return errors.New("a level of the checkpoint is of no known kind")
		}
		s.Read = append(s.Read, l)
	}
	return nil
}

// readPart reads bytes with their number before them, and appends them to buf. It takes no more memory than there are
// bytes.
func readPart(r *bufio.Reader, buf []byte) ([]byte, error) {
	const block = 1 << 16
	left, err := binary.ReadUvarint(r)
	if err != nil {
		return nil, NoEnd(err)
	}
	for left > 0 {
		begin, n := len(buf), int(min(left, block))
		buf = slices.Grow(buf, n)[:begin+n]
		if _, err := io.ReadFull(r, buf[begin:]); err != nil {
			return nil, NoEnd(err)
		}
		left -= uint64(n)
	}
	return buf, nil
}

// NoEnd is an error in words if it is an end of the data that came too early.
func NoEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the checkpoint has no end")
	}
	return err
}
