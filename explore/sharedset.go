package explore

import "sync"

// How several workers use one set of visited states (treeset.go). Each has a treeSet of its own, which remembers the vector that it
// added last; the numbers behind them all come from a common one.

// shardBits is the part of a number that says which shard gave it.
const shardBits = 5

// A sharedSet is what several treeSets have in common: of two that add the same vector, one is told that it was not there.
type sharedSet struct {
	pairs, roots sharedTable
	mu           sync.Mutex
	large        map[int64]uint32
	larges       []int64
}

// A sharedTable is a pairTable that several workers use at once, in shards by hash.
type sharedTable struct {
	shards [1 << shardBits]struct {
		mu    sync.Mutex
		table pairTable
		_     [64]byte // neighbours do not disturb each other
	}
}

func newSharedSet() *sharedSet {
	s := &sharedSet{large: map[int64]uint32{}}
	for _, t := range []*sharedTable{&s.pairs, &s.roots} {
		for i := range t.shards {
			t.shards[i].table.init()
		}
	}
	return s
}

func (t *sharedTable) number(pair uint64) (n uint32, added bool) {
	k := hashPair(pair) >> (64 - shardBits) // tables look at the lower bits
	s := &t.shards[k]
	s.mu.Lock()
	n, added = s.table.number(pair)
	s.mu.Unlock()
	return n<<shardBits | uint32(k), added
}

func (s *sharedSet) leaf(w int64) uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return largeNumber(w, s.large, &s.larges)
}

// measure adds up something of all shards, and of the words that do not fit into a leaf.
func (s *sharedSet) measure(table func(*pairTable) int64) (pairs, roots int64) {
	sum := func(t *sharedTable) (n int64) {
		for i := range t.shards {
			t.shards[i].mu.Lock()
			n += table(&t.shards[i].table)
			t.shards[i].mu.Unlock()
		}
		return n
	}
	return sum(&s.pairs), sum(&s.roots)
}

func (s *sharedSet) len() int {
	_, n := s.measure(func(t *pairTable) int64 { return int64(t.count) })
	return int(n)
}

func (s *sharedSet) bytes() int64 {
	pairs, roots := s.measure((*pairTable).bytes)
	s.mu.Lock()
	defer s.mu.Unlock()
	return pairs + roots + int64(len(s.larges))*largeBytes
}

func (s *sharedSet) full() bool {
	const limit = (1<<32 - 1<<28) >> shardBits
	full := func(t *pairTable) int64 {
		if t.count >= limit {
			return 1
		}
		return 0
	}
	pairs, roots := s.measure(full)
	s.mu.Lock()
	defer s.mu.Unlock()
	return pairs+roots > 0 || len(s.larges) >= largeLeaf-1<<28
}
