package outcomes

import (
	"bytes"
	"hash/maphash"
)

// batch is the number of ends that Merge looks up at a time.
const batch = 32

// Merge adds the ends that another worker has found, from a number on. Of two schedules that show the same the simpler
// one stays.
//
// Each end needs a slot, an entry and a record from all over the memory. So they are fetched for a batch of ends, one
// kind after the other: what does not depend on what came before is fetched at the same time.
func (e *Set) Merge(more *Set, from int) {
	for from < more.Len() {
		list := more.entries.pages[from>>pageBits][from&(pageSize-1):]
		list = list[:min(batch, len(list))]
		e.mergeBatch(more, list)
		from += len(list)
	}
}

func (e *Set) mergeBatch(more *Set, list []endEntry) {
	e.room(len(list))
	var hashes, slots [batch]uint64
	var old [batch]endEntry
	var numbers [batch]int // of entries that have the same hash; -1: none
	var values, schedules [batch][]byte
	mask := uint64(len(e.slots) - 1)
	for k := range list {
		value, _ := more.record(&list[k])
		hashes[k] = maphash.Bytes(e.seed, value)
		slots[k] = e.slots[hashes[k]&mask]
	}
	for k := range list {
		s, i := slots[k], hashes[k]&mask
		for s != 0 && (s^hashes[k])>>32 != 0 {
			i = (i + 1) & mask
			s = e.slots[i]
		}
		numbers[k] = number(s)
	}
	for k := range list {
		if numbers[k] >= 0 {
			old[k] = *e.entries.at(numbers[k])
		}
	}
	for k := range list {
		if numbers[k] >= 0 {
			values[k], schedules[k] = e.record(&old[k])
		}
	}
	for k := range list {
		if numbers[k] < 0 { // those of a batch are distinct
			e.insert(hashes[k], more, &list[k])
			continue
		}
		value, schedule := more.record(&list[k])
		if !bytes.Equal(values[k], value) {
			e.Put(value, schedule, list[k].count)
			continue
		}
		e.entries.at(numbers[k]).count += list[k].count
		if simpler(schedule, schedules[k]) {
			e.Keep(numbers[k], value, schedule)
		}
	}
}

// insert adds an end of another set that has a hash and is not in this one. There must be room for it.
func (e *Set) insert(hash uint64, more *Set, end *endEntry) {
	slab, at := e.keep(more.slabs[end.slab][end.at : end.at+more.size(end)])
	e.place(e.entries.add(endEntry{hash: hash, slab: slab, at: at, count: end.count}))
	e.sorted = false
}

// size is the number of bytes that the record of an end takes.
func (e *Set) size(of *endEntry) int32 {
	b := e.slabs[of.slab][of.at:]
	_, rest := prefixed(b)
	_, rest = prefixed(rest)
	return int32(len(b) - len(rest))
}
