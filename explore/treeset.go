package explore

import (
	"math/bits"
	"sync"
)

// A treeSet is a set of vectors of one length, exact, in a key of 64 bits and a little more per vector: tree
// compression after Laarman, van de Pol and Weber, "Parallel Recursive State Compression for Free", SPIN'11. The chunks
// of a packed vector (packing.go) are the leaves of a balanced binary tree. A chunk is stored once and numbered, as is
// whatever is below an inner node, as the pair of the numbers of what is below its children; vectors that differ in few
// words share the rest. What stands for the whole is 64 bits: they are the set.
//
// A vector needs no inner nodes as long as all the numbers of its chunks together fit into 64 bits. A vector with words
// that have no code is the pair of the number of what its tree stands for and the number of the list of those words.
//
// Several workers may use a set at once, each through an writer of its own.
type treeSet struct {
	*packing
	shape   []int32     // inner node k has children shape[2k] and shape[2k+1]; the root is the last one. Chunks are numbered first
	leaves  []pairTable // per chunk
	pairs   *pairTable  // inner nodes, and lists of words without a code
	large   *wordList
	writers []*writer

	// What follows changes only while nobody adds (writer.alone).
	widths  []uint // per chunk, the bits of its number in compact keys
	shifts  []uint // and where they begin
	version int    // of the widths, from 1
	settled bool   // they stay as they are: something is in trees because of them
	tables  [manyTables]keyTable
	rekeyed func(become func(uint64) uint64) // nil, or what else has compact keys gets others
}

// The tables of a treeSet.
const (
	compact = iota // vectors of one chunk, or whose numbers have these widths
	trees          // the other ones
	beside         // those that have words without a code
	manyTables
)

// fewChunks is how many chunks may be put together into one key.
const fewChunks = 32

func newTreeSet(p *packing) *treeSet {
	t := &treeSet{packing: p, large: newWordList(nil), leaves: make([]pairTable, p.chunks), pairs: &pairTable{}}
	level := make([]int32, p.chunks)
	for i := range level {
		level[i] = int32(i)
	}
	for id := int32(p.chunks); len(level) > 1; {
		var next []int32
		for i := 0; i+1 < len(level); i += 2 {
			t.shape = append(t.shape, level[i], level[i+1])
			next = append(next, id)
			id++
		}
		if len(level)%2 == 1 {
			next = append(next, level[len(level)-1])
		}
		level = next
	}
	if t.assign(make([]uint, p.chunks)); p.chunks <= fewChunks {
		t.widen()
	} else {
		t.settled = true
	}
	return t
}

// assign gives the number of each chunk some bits of compact keys.
func (t *treeSet) assign(widths []uint) {
	t.widths, t.shifts = widths, make([]uint, t.chunks)
	at := uint(0)
	for c := t.chunks - 1; c >= 0; c-- {
		t.shifts[c] = at
		at += widths[c]
	}
	t.version++
}

// widen gives the number of each chunk the bits that it needs, and divides among them what is left of 64. If they need
// more, the widths are settled.
func (t *treeSet) widen() {
	spare, widths := 64, make([]uint, t.chunks)
	for c := range widths {
		widths[c] = uint(bits.Len(uint(t.leaves[c].len())))
		spare -= int(widths[c])
	}
	if spare < 0 {
		t.settled = true
		return
	}
	for c := range widths {
		widths[c] = min(32, widths[c]+uint((spare+c)/t.chunks))
	}
	before, shifts := t.widths, t.shifts
	t.assign(widths)
	become := func(key uint64) (wider uint64) {
		for c, width := range before {
			wider |= key >> shifts[c] & (1<<width - 1) << t.shifts[c]
		}
		return wider
	}
	if k := &t.tables[compact]; len(k.slots) > 0 {
		k.resize(len(k.slots), become)
	}
	if t.rekeyed != nil {
		t.rekeyed(become)
	}
}

// extend makes room in a table, for all writers.
func (t *treeSet) extend(table int) {
	k := &t.tables[table]
	free := k.room() - t.count(table)
	if free < len(t.writers) {
		k.grow()
		free = k.room() - k.count
	}
	for _, a := range t.writers {
		a.reserves[table].room = free / len(t.writers)
	}
}

// number numbers the chunks of a vector, with the help of from if it is not nil.
func (t *treeSet) number(from, to *packed) {
	if t.chunks == 1 { // which is a key by itself
		return
	}
	for c, chunk := range to.chunks {
		if from != nil && from.chunks[c] == chunk {
			to.numbers[c] = from.numbers[c]
		} else {
			to.numbers[c] = t.leaves[c].number(chunk)
		}
	}
}

// place is the table that a vector v belongs to, and its key, unless the numbers of the chunks do not fit into their
// bits.
func (t *treeSet) place(from, to *packed, v []int64) (table int, key uint64, fits bool) {
	to.inner = false
	if to.large == 0 {
		if key, fits = t.key(to); fits || !t.settled {
			return compact, key, fits
		}
	}
	root := t.root(from, to)
	if to.large == 0 {
		return trees, root, true
	}
	if t.chunks == 1 {
		key = uint64(t.leaves[0].number(to.chunks[0]))
	} else {
		key = uint64(t.pairs.number(root))
	}
	return beside, key<<32 | uint64(t.list(v)), true
}

// key puts the numbers of the chunks together, unless they do not fit.
func (t *treeSet) key(to *packed) (key uint64, fits bool) {
	if t.chunks == 1 {
		return to.chunks[0], true
	}
	fits = t.chunks <= fewChunks
	for c, width := range t.widths {
		n := uint64(to.numbers[c])
		key |= n << t.shifts[c]
		fits = fits && n>>width == 0
	}
	return key, fits
}

// keyPlus is the compact key of a vector that differs from one that has one, unless it does not fit. It numbers the
// chunks that differ.
func (t *treeSet) keyPlus(from *packed, d *difference) (key uint64, fits bool) {
	key = from.key
	if t.chunks == 1 {
		for i := range d.chunks {
			key ^= d.chunks[i].bits
		}
		return key, true
	}
	for i := range d.chunks {
		c := &d.chunks[i]
		c.number = t.leaves[c.chunk].number(from.chunks[c.chunk] ^ c.bits)
		if c.number>>t.widths[c.chunk] != 0 {
			return 0, false
		}
		key ^= uint64(from.numbers[c.chunk]^c.number) << t.shifts[c.chunk]
	}
	return key, true
}

// keyAgain is keyPlus for the changes that have made a vector of another one, other: they have numbers, which stay as
// they are for chunks that are the same in both.
func (t *treeSet) keyAgain(from, other *packed, changes []change) (key uint64, fits bool) {
	key = from.key
	if t.chunks == 1 {
		for i := range changes {
			key ^= changes[i].bits
		}
		return key, true
	}
	for i := range changes {
		c := &changes[i]
		if chunk := from.chunks[c.chunk]; chunk != other.chunks[c.chunk] {
			c.number = t.leaves[c.chunk].number(chunk ^ c.bits)
		}
		if c.number>>t.widths[c.chunk] != 0 {
			return 0, false
		}
		key ^= uint64(from.numbers[c.chunk]^c.number) << t.shifts[c.chunk]
	}
	return key, true
}

// root is the pair that the tree above the chunks of a vector stands for.
func (t *treeSet) root(from, to *packed) (pair uint64) {
	to.inner = true
	inner := len(t.shape) / 2
	for k := range inner {
		n, l, r := t.chunks+k, t.shape[2*k], t.shape[2*k+1]
		pair = uint64(to.numbers[l])<<32 | uint64(to.numbers[r])
		switch {
		case k == inner-1:
		case from != nil && from.inner && from.numbers[l] == to.numbers[l] && from.numbers[r] == to.numbers[r]:
			to.numbers[n] = from.numbers[n]
		default:
			to.numbers[n] = t.pairs.number(pair)
		}
	}
	return pair
}

// list numbers the list of the words of a vector that have no code, with their places.
func (t *treeSet) list(v []int64) (n uint32) {
	for i, w := range v {
		if _, large := t.fields[i].code(w); large {
			place := uint64(i)<<32 | uint64(t.large.add(w))
			n = t.pairs.number(uint64(n)<<32|uint64(t.pairs.number(place))) + 1
		}
	}
	return n
}

// len is how many vectors there are. Like count and bytes it is for times at which nobody adds.
func (t *treeSet) len() int { return t.count(compact) + t.count(trees) + t.count(beside) }

// count is how many keys one of the tables has.
func (t *treeSet) count(table int) int {
	k := &t.tables[table]
	for _, a := range t.writers {
		k.count += a.reserves[table].inserted
		a.reserves[table].inserted = 0
	}
	return k.count
}

// bytes is the memory that the set takes.
func (t *treeSet) bytes() (n int64) {
	n = t.pairs.bytes() + int64(len(t.large.words))*32
	for c := range t.leaves {
		n += t.leaves[c].bytes()
	}
	for i := range t.tables {
		n += int64(len(t.tables[i].slots)) * 9
	}
	return n
}

// growth is how many bytes the tables will take at once that are going to grow before long. Nobody adds.
func (t *treeSet) growth() (bytes int64) {
	const nearly = 16 // what is left is less than one part in so many
	for i := range t.tables {
		k := &t.tables[i]
		if len(k.slots) > 0 && k.room()-t.count(i) < k.room()/nearly {
			bytes += int64(len(k.slots)) * 2 * 9
		}
	}
	near := func(p *pairTable) {
		if slots := p.bytes() / 16; slots > 0 && int64(p.len()) > slots*3/4-slots/nearly {
			bytes += 2 * p.bytes()
		}
	}
	near(t.pairs)
	for c := range t.leaves {
		near(&t.leaves[c])
	}
	return bytes
}

// full reports whether soon no more vectors can be told apart: numbers have 32 bits. Some hundred million are left
// then.
func (t *treeSet) full() bool {
	const limit = 1<<32 - 1<<28
	most := max(t.pairs.len(), t.large.len())
	for c := range t.leaves {
		most = max(most, t.leaves[c].len())
	}
	return most >= limit
}

// vector makes room for a packed vector.
func (t *treeSet) vector() *packed {
	return &packed{chunks: make([]uint64, t.chunks), numbers: make([]uint32, t.chunks+len(t.shape)/2)}
}

// A wordList numbers words in the order in which they come.
type wordList struct {
	mu     sync.Mutex
	number map[int64]uint32
	words  []int64
}

func newWordList(words []int64) *wordList {
	l := &wordList{number: map[int64]uint32{}, words: words}
	for i, w := range words {
		l.number[w] = uint32(i)
	}
	return l
}

func (l *wordList) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.words)
}

func (l *wordList) add(w int64) uint32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, old := l.number[w]
	if !old {
		n = uint32(len(l.words))
		l.number[w] = n
		l.words = append(l.words, w)
	}
	return n
}
