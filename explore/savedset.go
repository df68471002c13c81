package explore

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// A savedSet is a treeSet as plain data: how many keys its tables have. The keys are written apart, 8 bytes each.
type savedSet struct {
	Larges  []int64 `json:",omitempty"`
	Leaves  []int   // per chunk
	Pairs   int
	Widths  []uint
	Settled bool
	Vectors [3]int // compact, trees, beside

	set *treeSet
}

// save is valid until somebody adds to the set. Nobody must do so meanwhile.
func (t *treeSet) save() savedSet {
	s := savedSet{Larges: t.large.words, Pairs: t.pairs.len(), Widths: t.widths, Settled: t.settled, set: t}
	for c := range t.leaves {
		s.Leaves = append(s.Leaves, t.leaves[c].len())
	}
	for i := range t.tables {
		s.Vectors[i] = t.count(i)
	}
	return s
}

// write writes the keys of all tables.
func (s *savedSet) write(to io.Writer) error {
	w := bufio.NewWriter(to)
	one := func(key uint64) error {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], key)
		_, err := w.Write(b[:])
		return err
	}
	for c := range s.set.leaves {
		for _, key := range s.set.leaves[c].keys() {
			if err := one(key); err != nil {
				return err
			}
		}
	}
	for _, key := range s.set.pairs.keys() {
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

// read reads what write has written. How vectors are packed is not known yet.
func (s *savedSet) read(r *bufio.Reader) error {
	s.set = &treeSet{leaves: make([]pairTable, len(s.Leaves)), pairs: &pairTable{}}
	one := func() (uint64, error) {
		var b [8]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return 0, noEnd(err)
		}
		return binary.LittleEndian.Uint64(b[:]), nil
	}
	numbered := func(t *pairTable, count int) error {
		for n := range count {
			key, err := one()
			if err != nil {
				return err
			}
			if t.number(key) != uint32(n) {
				return errTwice
			}
		}
		return nil
	}
	for c, count := range s.Leaves {
		if err := numbered(&s.set.leaves[c], count); err != nil {
			return err
		}
	}
	if err := numbered(s.set.pairs, s.Pairs); err != nil {
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

// restore is the set that was saved, of vectors that are packed in a certain way.
func (s *savedSet) restore(p *packing) (*treeSet, error) {
	t := newTreeSet(p)
	if len(s.Leaves) != p.chunks || len(s.Widths) != p.chunks {
		return nil, errors.New("the visited states have another form")
	}
	t.leaves, t.pairs, t.tables = s.set.leaves, s.set.pairs, s.set.tables
	t.large = newWordList(s.Larges)
	t.settled = s.Settled
	t.assign(s.Widths)
	return t, nil
}
