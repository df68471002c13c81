package slots

import (
	"encoding/binary"
	"errors"
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

// A coder writes entries one behind the other, or reads them. What an entry has in common with the one before takes
// hardly any room.
type coder struct {
	numbers [Many + 1]int64 // of the last parent in each slot
	depth   int64
	words   []byte
}

func (c *coder) reset() {
	c.numbers, c.depth, c.words = [Many + 1]int64{}, 0, c.words[:0]
}

// append appends the bytes of an entry.
func (c *coder) append(b []byte, e *Entry) []byte {
	last := &c.numbers[e.Parent.Slot+1]
	b = binary.AppendUvarint(b, uint64(e.Parent.Slot+1))
	b = binary.AppendVarint(b, e.Parent.Number-*last)
	b = binary.AppendUvarint(b, uint64(e.Action))
	b = binary.AppendVarint(b, e.Depth-c.depth)
	*last, c.depth = e.Parent.Number, e.Depth
	b = binary.AppendUvarint(b, uint64(len(e.Failed)))
	for _, p := range e.Failed {
		b = binary.AppendUvarint(b, uint64(p))
	}
	return c.appendWords(b, e.Words)
}

// appendWords appends, of words that are as long as those before, the parts that differ, each behind the lengths of
// what does not and of itself.
func (c *coder) appendWords(b, words []byte) []byte {
	if len(words) != len(c.words) {
		c.words = append(c.words[:0], words...)
		b = binary.AppendUvarint(b, uint64(len(words))<<1)
		return append(b, words...)
	}
	b = binary.AppendUvarint(b, uint64(len(words))<<1|1)
	old := c.words[:len(words)]
	for done := 0; ; {
		from := done
		for from < len(words) && words[from] == old[from] {
			from++
		}
		b = binary.AppendUvarint(b, uint64(from-done))
		if from == len(words) {
			return b
		}
		for done = from; done < len(words) && words[done] != old[done]; done++ {
			old[done] = words[done]
		}
		b = append(binary.AppendUvarint(b, uint64(done-from)), words[from:done]...)
	}
}

// ErrForm says that bytes do not have the form of what they should be.
var ErrForm = errors.New("a part of a state is missing")

// numberFrom takes a number from the front of bytes. They are nil behind what is none.
func numberFrom(b *[]byte) uint64 {
	v, n := binary.Uvarint(*b)
	if n <= 0 {
		*b = nil
		return 0
	}
	*b = (*b)[n:]
	return v
}

func signedFrom(b *[]byte) int64 {
	v := numberFrom(b)
	return int64(v>>1) ^ -int64(v&1)
}

// read reads what append has appended, and returns the bytes behind it. The words are valid until the next call.
func (c *coder) read(b []byte, e *Entry) (rest []byte, err error) {
	slot := numberFrom(&b)
	if slot > Many {
		return nil, ErrForm
	}
	e.Parent = Ref{int(slot) - 1, c.numbers[slot] + signedFrom(&b)}
	e.Action, e.Depth = int32(numberFrom(&b)), c.depth+signedFrom(&b)
	c.numbers[slot], c.depth = e.Parent.Number, e.Depth
	e.Failed = e.Failed[:0]
	for n := numberFrom(&b); n > 0 && b != nil; n-- {
		e.Failed = append(e.Failed, int32(numberFrom(&b)))
	}
	size := numberFrom(&b)
	if size&1 == 0 {
		if size >>= 1; b == nil || size > uint64(len(b)) {
			return nil, ErrForm
		}
		c.words, b = append(c.words[:0], b[:size]...), b[size:]
	} else if b, err = c.readWords(b, size>>1); err != nil {
		return nil, err
	}
	e.Words = c.words
	return b, nil
}

func (c *coder) readWords(b []byte, size uint64) (rest []byte, err error) {
	if size != uint64(len(c.words)) {
		return nil, ErrForm
	}
	for done := uint64(0); ; {
		same := numberFrom(&b)
		if b == nil || same > size-done {
			return nil, ErrForm
		}
		if done += same; done == size {
			return b, nil
		}
		n := numberFrom(&b)
		if n == 0 || n > size-done || n > uint64(len(b)) {
			return nil, ErrForm
		}
		copy(c.words[done:], b[:n])
		b, done = b[n:], done+n
	}
}

// A Batch are entries that were passed on, one behind the other.
type Batch struct {
	coder
	rest []byte
}

// Next reads the next entry, if there is one.
func (b *Batch) Next(e *Entry) (more bool, err error) {
	if len(b.rest) == 0 {
		return false, nil
	}
	b.rest, err = b.read(b.rest, e)
	return err == nil, err
}
