// Package outcomes keeps the distinct ends of executions, of which there may be millions.
package outcomes

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"iter"
	"slices"
	"sort"

	"cdpor/explore/internal/stateset"
)

// An Outcome is a distinct end.
type Outcome struct {
	Words    []int64 // values of Observe one after the other, or the whole state of a deadlock
	Count    int64   // executions that ended so
	Schedule []int32 // one of them
}

// A Set is a set of outcomes, each with values of its own. There may be millions of them, so they are kept as
// bytes: about 60 for each, plus one for each event of its schedule.
type Set struct {
	entries entries
	// Open addressing, linear probing: the number of an entry plus one, and above it the upper half of its hash, so
	// that hardly any other entry is looked at on the way to one; 0: free. nil: there is no index.
	slots []uint64
	// Records: the length of the values, the values, the length of the schedule, its actions as one byte each.
	slabs  [][]byte
	seed   maphash.Seed
	sorted bool // by their values
}

type endEntry struct {
	hash     uint64 // of the values, if there is an index
	slab, at int32  // where the record begins
	count    int64
}

// Entries are a list that grows without being copied: all pages but the last one are full.
type entries struct {
	pages  [][]endEntry
	length int
}

const pageBits, pageSize = 10, 1 << 10

func (l *entries) at(i int) *endEntry { return &l.pages[i>>pageBits][i&(pageSize-1)] }

// add appends an entry and returns its number.
func (l *entries) add(of endEntry) int {
	if l.length&(pageSize-1) == 0 {
		room := pageSize
		if l.length == 0 {
			room = 0 // most programs have few ends
		}
		l.pages = append(l.pages, make([]endEntry, 0, room))
	}
	last := &l.pages[len(l.pages)-1]
	*last = append(*last, of)
	l.length++
	return l.length - 1
}

// joined are the entries side by side. They are the list's own.
func (l *entries) joined() []endEntry {
	if len(l.pages) == 1 {
		return l.pages[0]
	}
	all := slices.Concat(l.pages...)
	l.set(all)
	return all
}

// set makes the list one of entries that lie side by side.
func (l *entries) set(all []endEntry) {
	l.pages, l.length = slices.Collect(slices.Chunk(all, pageSize)), len(all)
}

// Slabs double in size up to the largest.
const (
	firstSlab   = 1 << 10
	largestSlab = 1 << 20
)

// Len is the number of ends.
func (e Set) Len() int { return e.entries.length }

// At is the end of a number: outcomes are in the order of their values, deadlocks in that of discovery.
func (e Set) At(i int) (o Outcome) {
	e.Read(i, &o)
	return o
}

// Read is At that uses the slices of another outcome again.
func (e Set) Read(i int, o *Outcome) {
	values, schedule := e.record(e.entries.at(i))
	o.Words, o.Count = stateset.DecodeInto(slices.Grow(o.Words[:0], len(values)), values), e.entries.at(i).count
	o.Schedule = slices.Grow(o.Schedule[:0], len(schedule))
	for _, a := range schedule {
		o.Schedule = append(o.Schedule, int32(a))
	}
}

// All are all ends with their numbers.
func (e Set) All() iter.Seq2[int, Outcome] {
	return func(yield func(int, Outcome) bool) {
		for i := range e.entries.length {
			if !yield(i, e.At(i)) {
				return
			}
		}
	}
}

// Values are the bytes of the values of the end of a number.
func (e *Set) Values(i int) []byte {
	values, _ := e.record(e.entries.at(i))
	return values
}

func (e Set) record(of *endEntry) (values, schedule []byte) {
	values, rest := prefixed(e.slabs[of.slab][of.at:])
	schedule, _ = prefixed(rest)
	return values, schedule
}

// prefixed splits a record into its beginning, which has its length before it, and the rest.
func prefixed(b []byte) (p, rest []byte) {
	n, size := binary.Uvarint(b)
	end := size + int(n)
	return b[size:end], b[end:]
}

// Packed are the values and the schedule of the end of a number, as bytes.
func (e *Set) Packed(i int) (values, schedule []byte) { return e.record(e.entries.at(i)) }

// Count is how many executions have the end of a number.
func (e *Set) Count(i int) int64 { return e.entries.at(i).count }

// Sorted reports whether the ends are in the order of their values.
func (e *Set) Sorted() bool { return e.sorted }

// Has reports whether there is an end with some values. The ends must be sorted.
func (e *Set) Has(values []byte) bool {
	_, there := sort.Find(e.entries.length, func(i int) int { return bytes.Compare(values, e.Values(i)) })
	return there
}

// find is the slot of some values with a hash, which is free if they are not there. There must be slots.
func (e *Set) find(hash uint64, values []byte) (slot uint64) {
	mask := uint64(len(e.slots) - 1)
	i := hash & mask
	for ; e.slots[i] != 0; i = (i + 1) & mask {
		if s := e.slots[i]; (s^hash)>>32 == 0 && bytes.Equal(e.Values(number(s)), values) {
			break
		}
	}
	return i
}

// slot encodes an entry in a slot.
func slot(n int, hash uint64) uint64 { return hash>>32<<32 | uint64(uint32(n+1)) }

// number is the number of the entry of a slot, -1 if it is free.
func number(slot uint64) int { return int(uint32(slot)) - 1 }

// Add adds to the count of the end with some values and returns its number. If it is a new one, Keep must follow.
func (e *Set) Add(values []byte, more int64) (i int, isNew bool) {
	e.room(1)
	hash := maphash.Bytes(e.seed, values)
	at := e.find(hash, values)
	if e.slots[at] == 0 {
		e.slots[at] = slot(e.entries.add(endEntry{hash: hash}), hash)
		isNew, e.sorted = true, false
	}
	i = number(e.slots[at])
	e.entries.at(i).count += more
	return i, isNew
}

// Keep stores the record of an entry: its values, and a schedule as actions of a byte each.
func (e *Set) Keep(i int, values, schedule []byte) {
	b, last := e.slabFor(2*binary.MaxVarintLen64 + len(values) + len(schedule))
	of := e.entries.at(i)
	of.slab, of.at = last, int32(len(b))
	b = append(binary.AppendUvarint(b, uint64(len(values))), values...)
	e.slabs[last] = append(binary.AppendUvarint(b, uint64(len(schedule))), schedule...)
}

// keep stores a record as it is, and returns where.
func (e *Set) keep(record []byte) (slab, at int32) {
	b, last := e.slabFor(len(record))
	e.slabs[last] = append(b, record...)
	return last, int32(len(b))
}

// slabFor is the last slab, in which there is room for so many bytes more, and its number.
func (e *Set) slabFor(need int) (b []byte, last int32) {
	last = int32(len(e.slabs) - 1)
	if last < 0 || len(e.slabs[last])+need > cap(e.slabs[last]) {
		size := firstSlab
		if last >= 0 {
			size = min(largestSlab, 2*cap(e.slabs[last]))
		}
		e.slabs = append(e.slabs, make([]byte, 0, max(size, need)))
		last++
	}
	return e.slabs[last], last
}

// PackSchedule appends the actions of a schedule, one byte each, into which MaxActions fit.
func PackSchedule(b []byte, schedule []int32) []byte {
	for _, a := range schedule {
		b = append(b, byte(a))
	}
	return b
}

// room makes an index, or a larger one, if there is none with room for some ends more.
func (e *Set) room(more int) {
	if (e.entries.length+more-1)*4 >= len(e.slots)*3 {
		e.index(more)
	}
}

// index makes an index with room for some ends more. What is not in one has no hashes of use.
func (e *Set) index(more int) {
	if e.slots == nil {
		e.seed = maphash.MakeSeed()
		for n := range e.entries.length {
			e.entries.at(n).hash = maphash.Bytes(e.seed, e.Values(n))
		}
	}
	e.slots = make([]uint64, e.slotsFor(e.entries.length+more))
	for n := range e.entries.length {
		e.place(n)
	}
}

// place puts an entry that is not in the index into it. There must be a free slot.
func (e *Set) place(n int) {
	hash, mask := e.entries.at(n).hash, uint64(len(e.slots)-1)
	i := hash & mask
	for e.slots[i] != 0 {
		i = (i + 1) & mask
	}
	e.slots[i] = slot(n, hash)
}

// slotsFor is the number of slots that an index has in which there is room for more than n entries, and which is larger
// than the present one.
func (e *Set) slotsFor(n int) int {
	slots := max(stateset.SmallTable, 2*len(e.slots))
	for n*4 >= slots*3 {
		slots *= 2
	}
	return slots
}

// PutNew is Put of values that are known to be new. There is no index until one is needed.
func (e *Set) PutNew(values, schedule []byte, count int64) {
	e.Keep(e.entries.add(endEntry{count: count}), values, schedule)
	e.slots, e.sorted = nil, false
}

// Put adds to the count of the end with some values. Of two schedules that show it the simpler one stays.
func (e *Set) Put(values, schedule []byte, count int64) {
	i, isNew := e.Add(values, count)
	if !isNew {
		_, old := e.record(e.entries.at(i))
		isNew = simpler(schedule, old)
	}
	if isNew {
		e.Keep(i, values, schedule)
	}
}

// simpler reports whether one of two schedules that show the same is the simpler one: the shorter one, then the
// one with the smaller actions.
func simpler(a, b []byte) bool {
	return cmp.Or(cmp.Compare(len(a), len(b)), bytes.Compare(a, b)) < 0
}

// Join is Merge for ends that are sorted, as they are then. The others lose theirs.
func (e *Set) Join(more *Set) {
	all := make([]endEntry, 0, e.entries.length+more.entries.length)
	a, b := e.entries.joined(), more.entries.joined()
	for i := range b {
		b[i].slab += int32(len(e.slabs))
	}
	e.slabs = append(e.slabs, more.slabs...)
	for len(a) > 0 && len(b) > 0 {
		values, schedule := e.record(&a[0])
		others, other := e.record(&b[0])
		switch c := bytes.Compare(values, others); {
		case c < 0:
			all, a = append(all, a[0]), a[1:]
		case c > 0:
			all, b = append(all, b[0]), b[1:]
		default:
			same := a[0]
			if simpler(other, schedule) {
				same = b[0]
			}
			same.count = a[0].count + b[0].count
			all, a, b = append(all, same), a[1:], b[1:]
		}
	}
	e.entries.set(append(append(all, a...), b...))
	e.slots, *more = nil, Set{}
}

// Growth is how many bytes will be taken at once when so many more ends have been found, roughly.
func (e *Set) Growth(more int) (bytes int64) {
	const entry, slot = 24, 8
	bytes = int64(e.entries.length+more) * entry // to sort them
	if e.entries.length > 0 && (e.entries.length+more)*4 >= len(e.slots)*3 {
		bytes += int64(e.slotsFor(e.entries.length+more)) * slot
	}
	return bytes
}

// A Tally counts distinct ends of several sets, which are told apart by 64 bits of hash: for what is said of a search
// while it is under way. It takes a fifth of the memory of a set that has them all.
type Tally struct {
	n     int
	slots []uint64 // hashes, of which none is 0; open addressing, linear probing; 0: free
	seed  maphash.Seed
}

// Len is the number of ends.
func (t *Tally) Len() int { return t.n }

// Add adds the ends of a set, from a number on.
func (t *Tally) Add(more *Set, from int) {
	for i := from; i < more.Len(); i++ {
		if t.n*4 >= len(t.slots)*3 {
			t.grow()
		}
		t.add(maphash.Bytes(t.seed, more.Values(i)) | 1)
	}
}

func (t *Tally) add(hash uint64) {
	mask := uint64(len(t.slots) - 1)
	i := hash >> 1 & mask
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		if t.slots[i] == hash {
			return
		}
	}
	t.slots[i] = hash
	t.n++
}

func (t *Tally) grow() {
	old := t.slots
	if old == nil {
		t.seed = maphash.MakeSeed()
	}
	t.n, t.slots = 0, make([]uint64, max(1<<10, 2*len(old)))
	for _, hash := range old {
		if hash != 0 {
			t.add(hash)
		}
	}
}
