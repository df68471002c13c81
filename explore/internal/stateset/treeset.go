package stateset

import (
	"math/bits"
	"sync"
)

// A TreeSet is a set of vectors of one length, exact, in a key of 64 bits and a little more per vector: tree
// compression after Laarman, van de Pol and Weber, "Parallel Recursive State Compression for Free", SPIN'11. The chunks
// of a packed vector (packing.go) are the leaves of a balanced binary tree. A chunk is stored once and numbered, as is
// whatever is below an inner node, as the pair of the numbers of what is below its children; vectors that differ in few
// words share the rest. What stands for the whole is 64 bits: they are the set.
//
// A vector needs no inner nodes as long as all the numbers of its chunks together fit into 64 bits. A vector with words
// that have no code is the pair of the number of what its tree stands for and the number of the list of those words.
//
// Several workers may use a set at once, each through an writer of its own.
type TreeSet struct {
	*Packing
	// Inner node k has children shape[2k] and shape[2k+1]; the root is the last one. Chunks are numbered first.
	shape   []int32
	Leaves  []PairTable // per chunk
	Pairs   *PairTable  // inner nodes, and lists of words without a code
	large   *wordList
	writers []*Writer

	// What follows changes only while no worker adds (writer.alone).
	widths  []uint // per chunk, the bits of its number in compact keys
	shifts  []uint // and where they begin
	Version int    // of the widths, from 1
	settled bool   // they stay as they are: something is in trees because of them
	tables  [ManyTables]keyTable
	Rekeyed func(become func(uint64) uint64) // nil, or what else has compact keys gets others
}

// The tables of a TreeSet.
const (
	Compact = iota // vectors of one chunk, or whose numbers have these widths
	trees          // the other ones
	beside         // those that have words without a code
	ManyTables
)

// fewChunks is the number of chunks that may be put together into one key.
const fewChunks = 32

func NewTreeSet(p *Packing) *TreeSet {
	t := &TreeSet{Packing: p, large: newWordList(nil), Leaves: make([]PairTable, p.Chunks), Pairs: &PairTable{}}
	level := make([]int32, p.Chunks)
	for i := range level {
		level[i] = int32(i)
	}
	for id := int32(p.Chunks); len(level) > 1; {
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
	if t.assign(make([]uint, p.Chunks)); p.Chunks <= fewChunks {
		t.Widen()
	} else {
		t.settled = true
	}
	return t
}

// assign gives the number of each chunk some bits of compact keys.
func (t *TreeSet) assign(widths []uint) {
	t.widths, t.shifts = widths, make([]uint, t.Chunks)
	at := uint(0)
	for c := t.Chunks - 1; c >= 0; c-- {
		t.shifts[c] = at
		at += widths[c]
	}
	t.Version++
}

// Widen gives the number of each chunk the bits that it needs, and divides among them what is left of 64. If they need
// more, the widths are settled.
func (t *TreeSet) Widen() {
	spare, widths := 64, make([]uint, t.Chunks)
	for c := range widths {
		widths[c] = uint(bits.Len(uint(t.Leaves[c].len())))
		spare -= int(widths[c])
	}
	if spare < 0 {
		t.settled = true
		return
	}
	for c := range widths {
		widths[c] = min(32, widths[c]+uint((spare+c)/t.Chunks))
	}
	before, shifts := t.widths, t.shifts
	t.assign(widths)
	become := func(key uint64) (wider uint64) {
		for c, width := range before {
			wider |= key >> shifts[c] & (1<<width - 1) << t.shifts[c]
		}
		return wider
	}
	if k := &t.tables[Compact]; len(k.slots) > 0 {
		k.resize(len(k.slots), become)
	}
	if t.Rekeyed != nil {
		t.Rekeyed(become)
	}
}

// extend makes room in a table, for all writers.
func (t *TreeSet) extend(table int) {
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

// Number numbers the chunks of a vector, with the help of from if it is not nil.
func (t *TreeSet) Number(from, to *Packed) {
	if t.Chunks == 1 { // which is a key by itself
		return
	}
	for c, chunk := range to.Chunks {
		if from != nil && from.Chunks[c] == chunk {
			to.numbers[c] = from.numbers[c]
		} else {
			to.numbers[c] = t.Leaves[c].Number(chunk)
		}
	}
}

// Place is the table that a vector v belongs to, and its key, unless the numbers of the chunks do not fit into their
// bits.
func (t *TreeSet) Place(from, to *Packed, v []int64) (table int, key uint64, fits bool) {
	to.inner = false
	if to.Large == 0 {
		if key, fits = t.Key(to); fits || !t.settled {
			return Compact, key, fits
		}
	}
	root := t.Root(from, to)
	if to.Large == 0 {
		return trees, root, true
	}
	if t.Chunks == 1 {
		key = uint64(t.Leaves[0].Number(to.Chunks[0]))
	} else {
		key = uint64(t.Pairs.Number(root))
	}
	return beside, key<<32 | uint64(t.List(v)), true
}

// Key puts the numbers of the chunks together, unless they do not fit.
func (t *TreeSet) Key(to *Packed) (key uint64, fits bool) {
	if t.Chunks == 1 {
		return to.Chunks[0], true
	}
	fits = t.Chunks <= fewChunks
	for c, width := range t.widths {
		n := uint64(to.numbers[c])
		key |= n << t.shifts[c]
		fits = fits && n>>width == 0
	}
	return key, fits
}

// KeyPlus is the compact key of a vector that differs by some changes from one that has a key, unless it does not fit.
// It numbers the chunks that differ; but if the same changes have been numbered for another vector, alike, only those
// that differ from one of the vectors to the other.
func (t *TreeSet) KeyPlus(from *Packed, changes []Change, alike *Packed) (key uint64, fits bool) {
	key = from.key
	if t.Chunks == 1 {
		for i := range changes {
			key ^= changes[i].bits
		}
		return key, true
	}
	for i := range changes {
		c := &changes[i]
		if chunk := from.Chunks[c.chunk]; alike == nil || chunk != alike.Chunks[c.chunk] {
			c.number = t.Leaves[c.chunk].Number(chunk ^ c.bits)
		}
		if c.number>>t.widths[c.chunk] != 0 {
			return 0, false
		}
		key ^= uint64(from.numbers[c.chunk]^c.number) << t.shifts[c.chunk]
	}
	return key, true
}

// Root is the pair that the tree above the chunks of a vector stands for.
func (t *TreeSet) Root(from, to *Packed) (pair uint64) {
	to.inner = true
	inner := len(t.shape) / 2
	for k := range inner {
		n, l, r := t.Chunks+k, t.shape[2*k], t.shape[2*k+1]
		pair = uint64(to.numbers[l])<<32 | uint64(to.numbers[r])
		switch {
		case k == inner-1:
		case from != nil && from.inner && from.numbers[l] == to.numbers[l] && from.numbers[r] == to.numbers[r]:
			to.numbers[n] = from.numbers[n]
		default:
			to.numbers[n] = t.Pairs.Number(pair)
		}
	}
	return pair
}

// List numbers the list of the words of a vector that have no code, with their places.
func (t *TreeSet) List(v []int64) (n uint32) {
	for i, w := range v {
		if _, large := t.Fields[i].code(w); large {
			place := uint64(i)<<32 | uint64(t.large.add(w))
			n = t.Pairs.Number(uint64(n)<<32|uint64(t.Pairs.Number(place))) + 1
		}
	}
	return n
}

// Len is the number of vectors. Like count and bytes it may be called only while no worker adds.
func (t *TreeSet) Len() int { return t.count(Compact) + t.count(trees) + t.count(beside) }

// count is the number of keys in one of the tables.
func (t *TreeSet) count(table int) int {
	k := &t.tables[table]
	for _, a := range t.writers {
		k.count += a.reserves[table].inserted
		a.reserves[table].inserted = 0
	}
	return k.count
}

// Bytes is the memory that the set takes.
func (t *TreeSet) Bytes() (n int64) {
	n = t.Pairs.Bytes() + int64(len(t.large.words))*32
	for c := range t.Leaves {
		n += t.Leaves[c].Bytes()
	}
	for i := range t.tables {
		n += int64(len(t.tables[i].slots)) * 9
	}
	return n
}

// growth is the number of bytes that tables which will grow before long take at once. No worker adds meanwhile.
func (t *TreeSet) growth() (bytes int64) {
	const nearly = 16 // what is left is less than one part in so many
	for i := range t.tables {
		k := &t.tables[i]
		if len(k.slots) > 0 && k.room()-t.count(i) < k.room()/nearly {
			bytes += int64(len(k.slots)) * 2 * 9
		}
	}
	near := func(p *PairTable) {
		if slots := p.Bytes() / 16; slots > 0 && int64(p.len()) > slots*3/4-slots/nearly {
			bytes += 2 * p.Bytes()
		}
	}
	near(t.Pairs)
	for c := range t.Leaves {
		near(&t.Leaves[c])
	}
	return bytes
}

// Full reports whether soon no more vectors can be told apart: numbers have 32 bits. Some hundred million are left
// then.
func (t *TreeSet) Full() bool {
	const limit = 1<<32 - 1<<28
	most := max(t.Pairs.len(), t.large.len())
	for c := range t.Leaves {
		most = max(most, t.Leaves[c].len())
	}
	return most >= limit
}

// Vector makes room for a packed vector.
func (t *TreeSet) Vector() *Packed {
	return &Packed{Chunks: make([]uint64, t.Chunks), numbers: make([]uint32, t.Chunks+len(t.shape)/2)}
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
