package explore

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// A savedSet is a treeSet as plain data. The pairs are written apart, 8 bytes each.
type savedSet struct {
	Larges       []int64 `json:",omitempty"`
	Pairs, Roots int
	Shards       [][2]int `json:",omitempty"` // of a sharedSet, in place of Pairs and Roots: those of each shard

	set *treeSet
}

func (t *treeSet) save() savedSet {
	s := savedSet{Larges: t.larges, Pairs: t.pairs.count, Roots: t.roots.count, set: t}
	if t.shared != nil {
		s.Larges = t.shared.larges
		for k := range t.shared.pairs.shards {
			s.Shards = append(s.Shards, [2]int{t.shared.pairs.shards[k].table.count, t.shared.roots.shards[k].table.count})
		}
	}
	return s
}

// tables are the tables of pairs and of pairs at the root, in the order in which they are written.
func (t *treeSet) tables() (pairs, roots []*pairTable) {
	if t.shared == nil {
		return []*pairTable{&t.pairs}, []*pairTable{&t.roots}
	}
	for k := range t.shared.pairs.shards {
		pairs, roots = append(pairs, &t.shared.pairs.shards[k].table), append(roots, &t.shared.roots.shards[k].table)
	}
	return pairs, roots
}

// write writes for each shard, or for the only one, the pairs and then those at the root.
func (s *savedSet) write(w io.Writer) error {
	pairs, roots := s.set.tables()
	for k := range pairs {
		for _, table := range []*pairTable{pairs[k], roots[k]} {
			for n, chunk := range table.chunks {
				if err := binary.Write(w, binary.LittleEndian, chunk[:min(chunkSize, table.count-n<<chunkBits)]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// read reads what write has written. The words of a vector are not known yet.
func (s *savedSet) read(r *bufio.Reader) error {
	s.set = &treeSet{larges: s.Larges}
	s.set.pairs.init()
	s.set.roots.init()
	counts := [][2]int{{s.Pairs, s.Roots}}
	if len(s.Shards) > 0 {
		s.set.shared = newSharedSet()
		s.set.shared.larges = s.Larges
		counts = s.Shards
	}
	pairs, roots := s.set.tables()
	if len(counts) != len(pairs) {
		return errors.New("the visited states have another number of shards")
	}
	for k := range pairs {
		for i, table := range []*pairTable{pairs[k], roots[k]} {
			for range counts[k][i] {
				var pair [8]byte
				if _, err := io.ReadFull(r, pair[:]); err != nil {
					return noEnd(err)
				}
				if _, added := table.number(binary.LittleEndian.Uint64(pair[:])); !added {
					return errors.New("a pair of the visited states is there twice")
				}
			}
		}
	}
	return nil
}

// restore is the set that was saved, of vectors of a number of words.
func (s *savedSet) restore(words int) *treeSet {
	t := newTreeSet(words)
	t.pairs, t.roots, t.larges, t.shared = s.set.pairs, s.set.roots, s.set.larges, s.set.shared
	large := t.large
	if t.shared != nil {
		large = t.shared.large
	}
	for i, w := range t.larges {
		large[w] = largeLeaf + uint32(i)
	}
	return t
}

// share makes the tables common ones.
func (t *treeSet) share(s *sharedSet) { t.shared = s }

// addAll adds all vectors of another set that is not shared: it has numbered what is below its inner nodes in another way.
func (t *treeSet) addAll(from *treeSet) error {
	v := make([]int64, t.leaves)
	for n := range from.roots.count {
		if !from.vector(from.roots.at(n), v) {
			return errors.New("a visited state is made of pairs that are not there")
		}
		t.add(v)
	}
	return nil
}

// vector finds the words of a vector from the pair at its root; false if it lacks a part.
func (t *treeSet) vector(root uint64, v []int64) bool {
	inner := len(t.shape) / 2
	var below func(node int32, number uint32) bool
	pair := func(k int, p uint64) bool {
		return below(t.shape[2*k], uint32(p>>32)) && below(t.shape[2*k+1], uint32(p))
	}
	below = func(node int32, number uint32) bool {
		switch k := int(node) - t.leaves; {
		case k >= 0 && int(number) < t.pairs.count:
			return pair(k, t.pairs.at(int(number)))
		case k < 0 && number < largeLeaf:
			v[node] = int64(number)
			return true
		case k < 0 && int(number-largeLeaf) < len(t.larges):
			v[node] = t.larges[number-largeLeaf]
			return true
		}
		return false
	}
	switch {
	case t.leaves == 0:
		return true
	case inner == 0:
		return below(0, uint32(root))
	}
	return pair(inner-1, root)
}
