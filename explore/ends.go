package explore

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"iter"
	"slices"
)

// An Outcome is a distinct end.
type Outcome struct {
	Words    []int64 // values of Observe one after the other, or the whole state of a deadlock
	Count    int64   // executions that ended so
	Schedule []int32 // one of them
}

// Ends are outcomes, each with values of its own. There may be millions of them, so they are kept as bytes: about 60 for each, plus one for
// each event of its schedule.
type Ends struct {
	entries []endEntry
	slots   []uint32 // open addressing, linear probing: the number of an entry plus one; 0: free
	slabs   [][]byte // records: the length of the values, the values, the length of the schedule, its actions as one byte each
	seed    maphash.Seed
}

type endEntry struct {
	hash     uint64 // of the values
	slab, at int32  // where the record begins
	count    int64
}

// Slabs double in size up to the largest.
const (
	firstSlab   = 1 << 10
	largestSlab = 1 << 20
)

// Len is how many ends there are.
func (e Ends) Len() int { return len(e.entries) }

// At is the end of a number: outcomes are in the order of their values, deadlocks in that of discovery.
func (e Ends) At(i int) Outcome {
	values, schedule := e.record(&e.entries[i])
	o := Outcome{Words: decodeWords(values), Count: e.entries[i].count}
	for _, a := range schedule {
		o.Schedule = append(o.Schedule, int32(a))
	}
	return o
}

// All are all ends with their numbers.
func (e Ends) All() iter.Seq2[int, Outcome] {
	return func(yield func(int, Outcome) bool) {
		for i := range e.entries {
			if !yield(i, e.At(i)) {
				return
			}
		}
	}
}

func (e Ends) record(of *endEntry) (values, schedule []byte) {
	b := e.slabs[of.slab][of.at:]
	part := func() []byte {
		n, size := binary.Uvarint(b)
		p := b[size : size+int(n)]
		b = b[size+int(n):]
		return p
	}
	values = part()
	return values, part()
}

// has reports whether there is an end with some values.
func (e *Ends) has(values []byte) bool {
	if len(e.slots) == 0 {
		return false
	}
	_, i := e.find(values)
	return e.slots[i] != 0
}

// find is the slot of some values, which is free if they are not there. There must be slots.
func (e *Ends) find(values []byte) (hash uint64, slot uint64) {
	hash, mask := maphash.Bytes(e.seed, values), uint64(len(e.slots)-1)
	i := hash & mask
	for ; e.slots[i] != 0; i = (i + 1) & mask {
		if known := &e.entries[e.slots[i]-1]; known.hash == hash {
			if old, _ := e.record(known); bytes.Equal(old, values) {
				break
			}
		}
	}
	return hash, i
}

// count adds to the count of the end with some values and returns its number. If it is a new one, keep must follow.
func (e *Ends) count(values []byte, more int64) (i int, isNew bool) {
	if len(e.entries)*4 >= len(e.slots)*3 {
		e.index(max(smallTable, 2*len(e.slots)))
	}
	hash, slot := e.find(values)
	if e.slots[slot] == 0 {
		e.entries = append(e.entries, endEntry{hash: hash})
		e.slots[slot] = uint32(len(e.entries))
		isNew = true
	}
	i = int(e.slots[slot] - 1)
	e.entries[i].count += more
	return i, isNew
}

// keep stores the record of an entry: its values, and a schedule as actions of a byte each.
func (e *Ends) keep(i int, values, schedule []byte) {
	last := len(e.slabs) - 1
	need := 2*binary.MaxVarintLen64 + len(values) + len(schedule)
	if last < 0 || len(e.slabs[last])+need > cap(e.slabs[last]) {
		size := firstSlab
		if last >= 0 {
			size = min(largestSlab, 2*cap(e.slabs[last]))
		}
		e.slabs = append(e.slabs, make([]byte, 0, max(size, need)))
		last++
	}
	b := e.slabs[last]
	e.entries[i].slab, e.entries[i].at = int32(last), int32(len(b))
	b = append(binary.AppendUvarint(b, uint64(len(values))), values...)
	e.slabs[last] = append(binary.AppendUvarint(b, uint64(len(schedule))), schedule...)
}

// packSchedule appends the actions of a schedule, one byte each, into which MaxActions fit.
func packSchedule(b []byte, schedule []int32) []byte {
	for _, a := range schedule {
		b = append(b, byte(a))
	}
	return b
}

// add counts the end of a schedule as often as it says.
func (e *Ends) add(o *Outcome) {
	values := encodeWords(nil, o.Words)
	if i, isNew := e.count(values, o.Count); isNew {
		e.keep(i, values, packSchedule(nil, o.Schedule))
	}
}

// list are all ends.
func (e *Ends) list() (all []Outcome) {
	for _, o := range e.All() {
		all = append(all, o)
	}
	return all
}

// index makes a number of slots, a power of two, and puts all entries there.
func (e *Ends) index(slots int) {
	if e.slots == nil {
		e.seed = maphash.MakeSeed()
	}
	e.slots = make([]uint32, slots)
	mask := uint64(slots - 1)
	for n := range e.entries {
		i := e.entries[n].hash & mask
		for e.slots[i] != 0 {
			i = (i + 1) & mask
		}
		e.slots[i] = uint32(n + 1)
	}
}

// merge adds the ends that another worker has found, from a number on. Of two schedules that show the same the simpler one stays.
func (e *Ends) merge(more *Ends, from int) {
	for n := range more.entries[from:] {
		added := &more.entries[from+n]
		values, schedule := more.record(added)
		i, isNew := e.count(values, added.count)
		if !isNew {
			_, old := e.record(&e.entries[i])
			isNew = cmp.Or(cmp.Compare(len(schedule), len(old)), bytes.Compare(schedule, old)) < 0
		}
		if isNew {
			e.keep(i, values, schedule)
		}
	}
}

// sort puts the ends into the order of their values. Most are told apart by the first 16 bytes.
func (e *Ends) sort() {
	type key struct {
		first, second uint64
		entry         uint32
	}
	keys := make([]key, len(e.entries))
	for i := range keys {
		var first [16]byte
		values, _ := e.record(&e.entries[i])
		copy(first[:], values)
		keys[i] = key{binary.BigEndian.Uint64(first[:]), binary.BigEndian.Uint64(first[8:]), uint32(i)}
	}
	slices.SortFunc(keys, func(a, b key) int {
		if c := cmp.Compare(a.first, b.first); c != 0 {
			return c
		}
		if c := cmp.Compare(a.second, b.second); c != 0 {
			return c
		}
		one, _ := e.record(&e.entries[a.entry])
		other, _ := e.record(&e.entries[b.entry])
		return bytes.Compare(one, other)
	})
	sorted := make([]endEntry, len(keys))
	for i, k := range keys {
		sorted[i] = e.entries[k.entry]
	}
	e.entries = sorted
	e.index(len(e.slots))
}
