package stateset

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// A SavedSet is a TreeSet as plain data: how many keys its tables have. The keys are written apart, 8 bytes each.
type SavedSet struct {
	Larges  []int64 `json:",omitempty"`
	Leaves  []int   // per chunk
	Pairs   int
	Widths  []uint
	Settled bool
	Vectors [3]int // compact, trees, beside

	set *TreeSet
}

// Save is valid until a worker adds to the set. No worker may add meanwhile.
func (t *TreeSet) Save() SavedSet {
	s := SavedSet{Larges: t.large.words, Pairs: t.Pairs.len(), Widths: t.widths, Settled: t.settled, set: t}
	for c := range t.Leaves {
		s.Leaves = append(s.Leaves, t.Leaves[c].len())
	}
	for i := range t.tables {
		s.Vectors[i] = t.count(i)
	}
	return s
}

// Write writes the keys of all tables.
func (s *SavedSet) Write(to io.Writer) error {
	w := bufio.NewWriter(to)
	one := func(key uint64) error {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], key)
		_, err := w.Write(b[:])
		return err
	}
	for c := range s.set.Leaves {
		for _, key := range s.set.Leaves[c].keys() {
			if err := one(key); err != nil {
				return err
			}
		}
	}
	for _, key := range s.set.Pairs.keys() {
		if err := one(key); err != nil {
			return err
		}
	}
	for i := range s.set.tables {
		if err := s.set.tables[i].each(one); err != nil {
			return err
		}
	}
	return w.Flush()
}

var errTwice = errors.New("a part of the visited states is there twice")

// Read reads what write has written. How vectors are packed is not known yet. The error is io.EOF or
// io.ErrUnexpectedEOF if something is missing.
func (s *SavedSet) Read(r *bufio.Reader) error {
	s.set = &TreeSet{Leaves: make([]PairTable, len(s.Leaves)), Pairs: &PairTable{}}
	one := func() (uint64, error) {
		var b [8]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return 0, err
		}
		return binary.LittleEndian.Uint64(b[:]), nil
	}
	numbered := func(t *PairTable, count int) error {
		for n := range count {
			key, err := one()
			if err != nil {
				return err
			}
			if t.Number(key) != uint32(n) {
				return errTwice
			}
		}
		return nil
	}
	for c, count := range s.Leaves {
		if err := numbered(&s.set.Leaves[c], count); err != nil {
			return err
		}
	}
	if err := numbered(s.set.Pairs, s.Pairs); err != nil {
		return err
	}
	for i, count := range s.Vectors {
		k := &s.set.tables[i]
		for range count {
			key, err := one()
			if err != nil {
				return err
			}
			if k.count >= k.room() {
				k.grow()
			}
			if added, _ := k.insert(key, &reserve{room: 1}); !added {
				return errTwice
			}
			k.count++
		}
	}
	return nil
}

// Restore is the set that was saved, of vectors that are packed in a certain way.
func (s *SavedSet) Restore(p *Packing) (*TreeSet, error) {
	t := NewTreeSet(p)
	if len(s.Leaves) != p.Chunks || len(s.Widths) != p.Chunks {
		return nil, errors.New("the visited states have another form")
	}
	t.Leaves, t.Pairs, t.tables = s.set.Leaves, s.set.Pairs, s.set.tables
	t.large = newWordList(s.Larges)
	t.settled = s.Settled
	t.assign(s.Widths)
	return t, nil
}
