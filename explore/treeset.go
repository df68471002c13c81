package explore

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
)

// A treeSet is a set of vectors of one length, exact, in a key of 64 bits and a little more per vector: tree compression after Laarman,
// van de Pol and Weber, "Parallel Recursive State Compression for Free", SPIN'11. The chunks of a packed vector (packing.go) are the
// leaves of a balanced binary tree. A chunk is stored once and numbered, as is whatever is below an inner node, as the pair of the
// numbers of what is below its children; vectors that differ in few words share the rest. What stands for the whole is 64 bits: they are
// the set.
//
// A vector needs no inner nodes as long as all the numbers of its chunks together fit into 64 bits. A vector with words that have no
// code is the pair of the number of what its tree stands for and the number of the list of those words.
type treeSet struct {
	*packing
	shape   []int32     // inner node k has children shape[2k] and shape[2k+1]; the root is the last one. Chunks are numbered first
	leaves  []pairTable // per chunk
	pairs   pairTable   // inner nodes, and lists of words without a code
	large   map[int64]uint32
	larges  []int64
	widths  []int    // per chunk, the bits of its number in compact keys
	settled bool     // the widths stay as they are: something is in trees because of them
	compact keyTable // vectors of one chunk, or whose numbers have these widths
	trees   keyTable // the other ones
	beside  keyTable // those that have words without a code
}

// fewChunks is how many chunks may be put together into one key.
const fewChunks = 32

func newTreeSet(p *packing) *treeSet {
	t := &treeSet{packing: p, large: map[int64]uint32{}, leaves: make([]pairTable, p.chunks)}
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
	if t.widths = make([]int, p.chunks); p.chunks <= fewChunks {
		t.widen()
	} else {
		t.settled = true
	}
	return t
}

// widen gives the number of each chunk the bits that it needs, and divides among them what is left of 64. If they need more, the widths
// are settled.
func (t *treeSet) widen() {
	spare, widths := 64, make([]int, t.chunks)
	for c := range widths {
		widths[c] = bits.Len(uint(t.leaves[c].count))
		spare -= widths[c]
	}
	if spare < 0 {
		t.settled = true
		return
	}
	for c := range widths {
		widths[c] = min(32, widths[c]+(spare+c)/t.chunks)
	}
	old := t.compact
	t.compact = keyTable{slots: make([]uint64, len(old.slots))}
	_ = old.each(func(key uint64) error { // which cannot fail
		var wider uint64
		at := 0
		for c := t.chunks - 1; c >= 0; c-- {
			wider |= key & (1<<t.widths[c] - 1) << at
			key >>= t.widths[c]
			at += widths[c]
		}
		t.compact.insert(wider)
		return nil
	})
	t.widths = widths
}

// vector makes room for a packed vector.
func (t *treeSet) vector() *packed {
	return &packed{chunks: make([]uint64, t.chunks), numbers: make([]uint32, t.chunks+len(t.shape)/2)}
}

// add puts a vector v into the set and reports whether it was not there. It fills to, with the help of from, which if not nil has been
// filled for the vector old.
func (t *treeSet) add(from *packed, old []int64, to *packed, v []int64) (added bool) {
	t.pack(from, old, to, v)
	if t.chunks <= 1 {
		return t.addOne(to, v)
	}
	for c, chunk := range to.chunks {
		if from != nil && from.chunks[c] == chunk {
			to.numbers[c] = from.numbers[c]
		} else {
			to.numbers[c] = t.leaves[c].number(chunk)
		}
	}
	if to.inner = false; to.large == 0 {
		if key, ok := t.key(to.numbers); ok {
			return t.compact.insert(key)
		}
	}
	to.inner = true
	inner := len(t.shape) / 2
	var pair uint64
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
	if to.large == 0 {
		return t.trees.insert(pair)
	}
	return t.beside.insert(uint64(t.pairs.number(pair))<<32 | uint64(t.list(v)))
}

// key puts the numbers of the chunks together, unless they do not fit.
func (t *treeSet) key(numbers []uint32) (key uint64, ok bool) {
	for {
		fits := true
		for c, width := range t.widths {
			n := uint64(numbers[c])
			key, fits = key<<width|n, fits && n>>width == 0
		}
		if fits || t.settled {
			return key, fits
		}
		t.widen()
		key = 0
	}
}

// addOne is add for vectors that are one chunk, or nothing.
func (t *treeSet) addOne(to *packed, v []int64) bool {
	switch {
	case t.chunks == 0:
		return t.compact.insert(0)
	case to.large == 0:
		return t.compact.insert(to.chunks[0])
	}
	return t.beside.insert(uint64(t.leaves[0].number(to.chunks[0]))<<32 | uint64(t.list(v)))
}

// list numbers the list of the words of a vector that have no code, with their places.
func (t *treeSet) list(v []int64) (n uint32) {
	for i, w := range v {
		if _, large := t.fields[i].code(w); !large {
			continue
		}
		id, old := t.large[w]
		if !old {
			id = uint32(len(t.larges))
			t.large[w] = id
			t.larges = append(t.larges, w)
		}
		n = t.pairs.number(uint64(n)<<32|uint64(t.pairs.number(uint64(i)<<32|uint64(id)))) + 1
	}
	return n
}

// len is how many vectors there are.
func (t *treeSet) len() int { return t.compact.count + t.trees.count + t.beside.count }

// full reports whether soon no more vectors can be told apart: numbers have 32 bits. Some hundred million are left then.
func (t *treeSet) full() bool {
	const limit = 1<<32 - 1<<28
	most := max(t.pairs.count, len(t.larges))
	for c := range t.leaves {
		most = max(most, t.leaves[c].count)
	}
	return most >= limit
}

// bytes is the memory that the set takes.
func (t *treeSet) bytes() (n int64) {
	n = t.pairs.bytes() + int64(len(t.larges))*32
	for c := range t.leaves {
		n += t.leaves[c].bytes()
	}
	for _, k := range t.keyTables() {
		n += int64(len(k.slots)) * 8
	}
	return n
}

func (t *treeSet) keyTables() [3]*keyTable { return [...]*keyTable{&t.compact, &t.trees, &t.beside} }

// hashKey folds the 128 bits of a product. Of keys that differ the results differ everywhere.
func hashKey(k uint64) uint64 {
	hi, lo := bits.Mul64(k^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return hi ^ lo
}

// smallTable is the size of a table at first.
const smallTable = 64

// A pairTable numbers keys in the order in which they come.
type pairTable struct {
	slots []pairSlot // open addressing, linear probing
	count int
}

type pairSlot struct {
	key  uint64
	next uint32 // the number after that of the key; 0: free
}

func (t *pairTable) bytes() int64 { return int64(len(t.slots)) * 16 }

// number is the number of a key, which is a new one if the key is not there.
func (t *pairTable) number(key uint64) uint32 {
	if t.count*4 >= len(t.slots)*3 {
		t.grow()
	}
	mask := uint64(len(t.slots) - 1)
	i := hashKey(key) & mask
	for ; t.slots[i].next != 0; i = (i + 1) & mask {
		if t.slots[i].key == key {
			return t.slots[i].next - 1
		}
	}
	t.count++
	t.slots[i] = pairSlot{key, uint32(t.count)}
	return uint32(t.count - 1)
}

func (t *pairTable) grow() {
	old := t.slots
	t.slots = make([]pairSlot, max(smallTable, 2*len(old)))
	mask := uint64(len(t.slots) - 1)
	for _, s := range old {
		if s.next == 0 {
			continue
		}
		i := hashKey(s.key) & mask
		for t.slots[i].next != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = s
	}
}

// keys are all keys by number.
func (t *pairTable) keys() []uint64 {
	list := make([]uint64, t.count)
	for _, s := range t.slots {
		if s.next != 0 {
			list[s.next-1] = s.key
		}
	}
	return list
}

// A keyTable is a set of keys.
type keyTable struct {
	slots []uint64 // open addressing, linear probing; 0: free
	zero  bool     // the key 0 is there
	count int
}

// insert adds a key and reports whether it was not there.
func (t *keyTable) insert(key uint64) bool {
	if key == 0 {
		if t.zero {
			return false
		}
		t.zero = true
		t.count++
		return true
	}
	if t.count*4 >= len(t.slots)*3 {
		t.grow()
	}
	mask := uint64(len(t.slots) - 1)
	i := hashKey(key) & mask
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		if t.slots[i] == key {
			return false
		}
	}
	t.slots[i] = key
	t.count++
	return true
}

func (t *keyTable) grow() {
	old := t.slots
	t.slots = make([]uint64, max(smallTable, 2*len(old)))
	mask := uint64(len(t.slots) - 1)
	for _, key := range old {
		if key == 0 {
			continue
		}
		i := hashKey(key) & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = key
	}
}

// each calls f for every key.
func (t *keyTable) each(f func(uint64) error) error {
	if t.zero {
		if err := f(0); err != nil {
			return err
		}
	}
	for _, key := range t.slots {
		if key == 0 {
			continue
		}
		if err := f(key); err != nil {
			return err
		}
	}
	return nil
}

// A savedSet is a treeSet as plain data: how many keys its tables have. The keys are written apart, 8 bytes each.
type savedSet struct {
	Larges  []int64 `json:",omitempty"`
	Leaves  []int   // per chunk
	Pairs   int
	Widths  []int
	Settled bool
	Vectors [3]int // compact, trees, beside

	set *treeSet
}

func (t *treeSet) save() savedSet {
	s := savedSet{Larges: t.larges, Pairs: t.pairs.count, Widths: t.widths, Settled: t.settled, set: t}
	for c := range t.leaves {
		s.Leaves = append(s.Leaves, t.leaves[c].count)
	}
	for i, k := range t.keyTables() {
		s.Vectors[i] = k.count
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
	for _, k := range s.set.keyTables() {
		if err := k.each(one); err != nil {
			return err
		}
	}
	return w.Flush()
}

var errTwice = errors.New("a part of the visited states is there twice")

// read reads what write has written. How vectors are packed is not known yet.
func (s *savedSet) read(r *bufio.Reader) error {
	s.set = &treeSet{larges: s.Larges, leaves: make([]pairTable, len(s.Leaves))}
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
	if err := numbered(&s.set.pairs, s.Pairs); err != nil {
		return err
	}
	for i, k := range s.set.keyTables() {
		for range s.Vectors[i] {
			key, err := one()
			if err != nil {
				return err
			}
			if !k.insert(key) {
				return errTwice
			}
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
	t.leaves, t.pairs, t.larges = s.set.leaves, s.set.pairs, s.set.larges
	t.widths, t.settled = s.Widths, s.Settled
	for i, k := range s.set.keyTables() {
		*t.keyTables()[i] = *k
	}
	for i, w := range t.larges {
		t.large[w] = uint32(i)
	}
	return t, nil
}
