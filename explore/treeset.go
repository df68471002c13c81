package explore

// A treeSet is a set of vectors of one length, exact, in 8 bytes and a little more per vector: tree compression after Laarman,
// van de Pol and Weber, "Parallel Recursive State Compression for Free", SPIN'11. The words of a vector are the leaves of a
// balanced binary tree. Whatever is below an inner node is stored once, as the pair of what is below its children, and stands
// for it from then on as a number of 32 bits; vectors that differ in few words share the rest. The pairs at the root are the set.
type treeSet struct {
	leaves int
	shape  []int32 // inner node k has children shape[2k] and shape[2k+1]; the root is the last one. Leaves are numbered first
	parent []int32 // of every leaf and inner node but the root
	pairs  pairTable
	roots  pairTable
	large  map[int64]uint32 // words that do not fit into a leaf
	larges []int64
	shared *sharedSet // of several workers (sharedset.go): it numbers in place of the tables here

	// The vector that was added last, with the numbers of its inner nodes: the next one is likely to differ in few words.
	last    []int64
	numbers []uint32
	dirty   []bool
	fresh   bool // there is no last vector
}

// A leaf is the word itself below largeLeaf, else the number of the word among the large ones.
const largeLeaf = 1 << 31

func newTreeSet(words int) *treeSet {
	t := &treeSet{leaves: words, large: map[int64]uint32{}, last: make([]int64, words), fresh: true}
	t.pairs.init()
	t.roots.init()
	level := make([]int32, words)
	for i := range level {
		level[i] = int32(i)
	}
	t.parent = make([]int32, words, 2*words)
	for len(level) > 1 {
		var next []int32
		for i := 0; i+1 < len(level); i += 2 {
			id := int32(len(t.parent))
			t.shape = append(t.shape, level[i], level[i+1])
			t.parent = append(t.parent, 0)
			t.parent[level[i]], t.parent[level[i+1]] = id, id
			next = append(next, id)
		}
		if len(level)%2 == 1 {
			next = append(next, level[len(level)-1])
		}
		level = next
	}
	t.numbers = make([]uint32, len(t.parent))
	t.dirty = make([]bool, len(t.parent))
	return t
}

// add puts a vector into the set and reports whether it was not there.
func (t *treeSet) add(v []int64) (added bool) {
	changed := false
	for i, w := range v {
		if !t.fresh && t.last[i] == w {
			continue
		}
		changed = true
		t.last[i] = w
		t.numbers[i] = t.leaf(w)
		for n := t.parentOf(int32(i)); n >= 0 && !t.dirty[n]; n = t.parentOf(n) {
			t.dirty[n] = true
		}
	}
	defer func() { t.fresh = false }()
	inner := len(t.shape) / 2
	switch {
	case !changed && !t.fresh:
		return false
	case inner == 0: // one word or none
		var w uint64
		if t.leaves == 1 {
			w = uint64(t.numbers[0])
		}
		return t.addRoot(w)
	}
	for k := range inner {
		n := t.leaves + k
		if !t.dirty[n] {
			continue
		}
		t.dirty[n] = false
		pair := uint64(t.numbers[t.shape[2*k]])<<32 | uint64(t.numbers[t.shape[2*k+1]])
		if k == inner-1 {
			return t.addRoot(pair)
		}
		if t.shared != nil {
			t.numbers[n], _ = t.shared.pairs.number(pair)
		} else {
			t.numbers[n], _ = t.pairs.number(pair)
		}
	}
	return false
}

func (t *treeSet) addRoot(pair uint64) (added bool) {
	if t.shared != nil {
		_, added = t.shared.roots.number(pair)
	} else {
		_, added = t.roots.number(pair)
	}
	return added
}

func (t *treeSet) parentOf(n int32) int32 {
	if int(n) == len(t.parent)-1 {
		return -1
	}
	return t.parent[n]
}

func (t *treeSet) leaf(w int64) uint32 {
	if w >= 0 && w < largeLeaf {
		return uint32(w)
	}
	if t.shared != nil {
		return t.shared.leaf(w)
	}
	return largeNumber(w, t.large, &t.larges)
}

// largeNumber is the leaf of a word that does not fit into one.
func largeNumber(w int64, large map[int64]uint32, larges *[]int64) uint32 {
	n, old := large[w]
	if !old {
		n = largeLeaf + uint32(len(*larges))
		large[w] = n
		*larges = append(*larges, w)
	}
	return n
}

// largeBytes is the memory that such a word takes, roughly.
const largeBytes = 32

// len is how many vectors there are.
func (t *treeSet) len() int {
	if t.shared != nil {
		return t.shared.len()
	}
	return t.roots.len()
}

// full reports whether soon no more vectors can be told apart: numbers have 32 bits. Some hundred million are left then.
func (t *treeSet) full() bool {
	if t.shared != nil {
		return t.shared.full()
	}
	const limit = 1<<32 - 1<<28
	return t.pairs.count >= limit || t.roots.count >= limit || len(t.larges) >= largeLeaf-1<<28
}

// bytes is the memory that the set takes.
func (t *treeSet) bytes() int64 {
	if t.shared != nil {
		return t.shared.bytes()
	}
	return t.pairs.bytes() + t.roots.bytes() + int64(len(t.larges))*largeBytes
}

// A pairTable numbers pairs in the order in which they come.
type pairTable struct {
	chunks [][]uint64 // the pairs by number
	count  int
	slots  []uint32 // open addressing, linear probing: number+1 of a pair, 0: free
	mask   uint64
}

const (
	chunkBits = 14
	chunkSize = 1 << chunkBits
)

func (t *pairTable) init() {
	t.slots = make([]uint32, 1024)
	t.mask = uint64(len(t.slots) - 1)
}

func (t *pairTable) len() int        { return t.count }
func (t *pairTable) bytes() int64    { return int64(len(t.chunks))*chunkSize*8 + int64(len(t.slots))*4 }
func (t *pairTable) at(n int) uint64 { return t.chunks[n>>chunkBits][n&(chunkSize-1)] }
func hashPair(p uint64) uint64 {
	// The finalizer of MurmurHash3: it has no collisions, and every bit of p changes half of the result's.
	p ^= p >> 33
	p *= 0xff51afd7ed558ccd
	p ^= p >> 33
	p *= 0xc4ceb9fe1a85ec53
	return p ^ p>>33
}

// number is the number of a pair, and whether it is new.
func (t *pairTable) number(pair uint64) (n uint32, added bool) {
	i := hashPair(pair) & t.mask
	for ; t.slots[i] != 0; i = (i + 1) & t.mask {
		if n := t.slots[i] - 1; t.at(int(n)) == pair {
			return n, false
		}
	}
	if t.count>>chunkBits == len(t.chunks) {
		t.chunks = append(t.chunks, make([]uint64, chunkSize))
	}
	t.chunks[t.count>>chunkBits][t.count&(chunkSize-1)] = pair
	t.count++
	t.slots[i] = uint32(t.count)
	if uint64(t.count)*4 > uint64(len(t.slots))*3 {
		t.grow()
	}
	return uint32(t.count - 1), true
}

func (t *pairTable) grow() {
	t.slots = make([]uint32, 2*len(t.slots))
	t.mask = uint64(len(t.slots) - 1)
	for n := range t.count {
		i := hashPair(t.at(n)) & t.mask
		for t.slots[i] != 0 {
			i = (i + 1) & t.mask
		}
		t.slots[i] = uint32(n + 1)
	}
}
