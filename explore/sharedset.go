package explore

import (
	"math/bits"
	"sync"

	"cdpor/lang/step"
)

// manyShards is how many parts a set of several workers has.
const manyShards = 64

// A sharedSet is a set of vectors that several workers use at once: of two that add the same vector, one is told that it was not there. The
// hash of a vector says which treeSet it belongs to, and each of these has a lock of its own. What a worker knows of the numbers of the vector
// before is of no use there, so a vector costs all of its chunks.
type sharedSet struct{ shards []shard }

type shard struct {
	mu  sync.Mutex
	set *treeSet
	to  *packed
	_   [64]byte // neighbours do not disturb each other
}

// newSharedSet makes a set of some parts. A vector that is in one of several must have been put there by a sharedSet of as many.
func newSharedSet(parts []*treeSet) *sharedSet {
	s := &sharedSet{make([]shard, len(parts))}
	for i, set := range parts {
		s.shards[i].set, s.shards[i].to = set, set.vector()
	}
	return s
}

func (s *sharedSet) add(v step.State) bool {
	var hash uint64
	for _, w := range v {
		hash = hashKey(bits.RotateLeft64(hash, 5) ^ uint64(w))
	}
	part := &s.shards[hash%uint64(len(s.shards))]
	part.mu.Lock()
	defer part.mu.Unlock()
	return part.set.add(nil, nil, part.to, v)
}

// each calls f for every part.
func (s *sharedSet) each(f func(*treeSet)) {
	for i := range s.shards {
		s.shards[i].mu.Lock()
		f(s.shards[i].set)
		s.shards[i].mu.Unlock()
	}
}

func (s *sharedSet) len() (n int) {
	s.each(func(t *treeSet) { n += t.len() })
	return n
}

func (s *sharedSet) bytes() (n int64) {
	s.each(func(t *treeSet) { n += t.bytes() })
	return n
}

func (s *sharedSet) full() (full bool) {
	s.each(func(t *treeSet) { full = full || t.full() })
	return full
}
