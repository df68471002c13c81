package stateset

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// Hash tables of 64-bit keys that several workers use at once: open addressing, linear probing. Looking for a key takes
// no lock.

// HashKey folds the 128 bits of a product. Of keys that differ the results differ everywhere.
func HashKey(k uint64) uint64 {
	hi, lo := bits.Mul64(k^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return hi ^ lo
}

// Home is where the search for a key begins in a table with mask+1 slots, a power of two: at the first bits of the
// hash, so that a table that grows is gone through in order in both sizes.
func Home(key, mask uint64) uint64 { return HashKey(key) >> (bits.LeadingZeros64(mask) & 63) }

// SmallTable is the size of a table at first.
const SmallTable = 64

// A PairTable numbers keys in the order in which they come.
type PairTable struct {
	slots atomic.Pointer[[]pairSlot] // who grows the table puts a copy there
	mu    sync.Mutex                 // held by who adds a key
	count atomic.Uint32
}

type pairSlot struct {
	key  uint64        // valid when next is set
	next atomic.Uint32 // the number after that of the key; 0: free
}

func (t *PairTable) len() int { return int(t.count.Load()) }

func (t *PairTable) Bytes() int64 {
	if slots := t.slots.Load(); slots != nil {
		return int64(len(*slots)) * 16
	}
	return 0
}

// slotOf is the slot of a key with what next was there, or the free one where it belongs, with 0. When a free slot is
// looked at again, another worker may have put another key there.
func slotOf(slots []pairSlot, key uint64) (s *pairSlot, next uint32) {
	mask := uint64(len(slots) - 1)
	for i := Home(key, mask); ; i++ {
		s = &slots[i&mask]
		if next = s.next.Load(); next == 0 || s.key == key {
			return s, next
		}
	}
}

// Number is the number of a key, which is a new one if the key is not there.
func (t *PairTable) Number(key uint64) uint32 {
	if slots := t.slots.Load(); slots != nil {
		if _, next := slotOf(*slots, key); next != 0 {
			return next - 1
		}
	}
	return t.add(key)
}

// add is number when the key was not there a moment ago.
func (t *PairTable) add(key uint64) uint32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.count.Load()
	slots := t.slots.Load()
	if slots == nil || int(n)*4 >= len(*slots)*3 {
		slots = t.grow()
	}
	s, next := slotOf(*slots, key)
	if next != 0 {
		return next - 1
	}
	s.key = key
	s.next.Store(n + 1)
	t.count.Store(n + 1)
	return n
}

func (t *PairTable) grow() *[]pairSlot {
	var old []pairSlot
	if slots := t.slots.Load(); slots != nil {
		old = *slots
	}
	slots := make([]pairSlot, max(SmallTable, 2*len(old)))
	for i := range old {
		if next := old[i].next.Load(); next != 0 {
			s, _ := slotOf(slots, old[i].key)
			s.key = old[i].key
			s.next.Store(next)
		}
	}
	t.slots.Store(&slots)
	return &slots
}

// keys are all keys by number.
func (t *PairTable) keys() []uint64 {
	list := make([]uint64, t.len())
	if slots := t.slots.Load(); slots != nil {
		for i := range *slots {
			if next := (*slots)[i].next.Load(); next != 0 {
				list[next-1] = (*slots)[i].key
			}
		}
	}
	return list
}

// A keyTable is a set of keys. It grows, and is read, only while no worker inserts.
//
// Slots are in groups of a line of the processor's cache. Of each slot there is a tag, a few bits of the hash, in a
// word for each group: whether a key is there is known from that nearly always, and there are so few of these words
// that they stay near the processor, where the slots are too many.
type keyTable struct {
	slots []uint64 // 0: free
	tags  []uint64 // per group, a byte for each slot: 0 if it is free
	shift uint     // the bits of a hash from there on are the number of a group
	// Several workers use it. A single one is better off without an instruction that waits for all its writes.
	shared bool
	zero   uint32 // 1: the key 0 is there
	count  int    // of keys, but for those that writers have not told of yet
}

const (
	perGroup = 8 // slots
	eachByte = 0x0101010101010101
	used     = 0x80 // in a tag
)

// tagged finds the slots of a group that have a tag, as the top bits of their bytes. There may be more of them behind
// the first one, wrongly.
func tagged(tags, tag uint64) uint64 {
	x := tags ^ tag*eachByte
	return (x - eachByte) &^ x & (used * eachByte)
}

// freeSlots finds the slots of a group that are free.
func freeSlots(tags uint64) uint64 { return ^tags & (used * eachByte) }

// A reserve counts the keys that a worker may insert into a table, and has inserted.
type reserve struct {
	room     int    // keys that may be inserted
	inserted int    // keys that the table does not know of yet
	fetched  uint64 // the sum of what was read for no other reason than to have it near
}

func (s *reserve) take() {
	s.room--
	s.inserted++
}

// has reports whether a key is there.
func (t *keyTable) has(key uint64) bool {
	if key == 0 {
		return atomic.LoadUint32(&t.zero) != 0
	}
	if len(t.tags) == 0 {
		return false
	}
	hash, mask := HashKey(key), uint64(len(t.tags)-1)
	tag := hash&(used-1) | used
	for g := hash >> (t.shift & 63); ; g++ {
		tags := atomic.LoadUint64(&t.tags[g&mask])
		slots := t.slots[g&mask*perGroup:][:perGroup]
		for found := tagged(tags, tag); found != 0; found &= found - 1 {
			if atomic.LoadUint64(&slots[bits.TrailingZeros64(found)/8&7]) == key {
				return true
			}
		}
		if freeSlots(tags) != 0 {
			return false
		}
	}
}

// insert adds a key and reports whether it was not there. If there is no room for a key that is to be added, it is not,
// and done is false.
func (t *keyTable) insert(key uint64, by *reserve) (added, done bool) {
	if key == 0 {
		if atomic.LoadUint32(&t.zero) != 0 {
			return false, true
		}
		if by.room <= 0 {
			return false, false
		}
		if added = atomic.CompareAndSwapUint32(&t.zero, 0, 1); added {
			by.take()
		}
		return added, true
	}
	if len(t.tags) == 0 {
		return false, false
	}
	hash, mask := HashKey(key), uint64(len(t.tags)-1)
	tag := hash&(used-1) | used
	for g := hash >> (t.shift & 63); ; g++ {
		tags := atomic.LoadUint64(&t.tags[g&mask])
		slots := t.slots[g&mask*perGroup:][:perGroup]
		// Not waited for: it is on its way here when the key is to be written there.
		near := atomic.LoadUint64(&slots[0])
		for found := tagged(tags, tag); found != 0; found &= found - 1 {
			if atomic.LoadUint64(&slots[bits.TrailingZeros64(found)/8&7]) == key {
				return false, true
			}
		}
		for free := freeSlots(tags); free != 0; free &= free - 1 {
			if by.room <= 0 {
				return false, false
			}
			at := bits.TrailingZeros64(free) / 8 & 7
			if !t.shared {
				slots[at] = key
				t.tags[g&mask] = tags | tag<<(at*8)
			} else if atomic.CompareAndSwapUint64(&slots[at], 0, key) {
				atomic.OrUint64(&t.tags[g&mask], tag<<(at*8))
			} else if atomic.LoadUint64(&slots[at]) == key {
				return false, true
			} else {
				continue
			}
			by.take()
			by.fetched += near
			return true, true
		}
	}
}

// touch reads what the search for a key begins with.
func (t *keyTable) touch(key uint64) uint64 {
	if len(t.tags) == 0 {
		return 0
	}
	g := HashKey(key) >> (t.shift & 63) & uint64(len(t.tags)-1)
	return atomic.LoadUint64(&t.tags[g]) + atomic.LoadUint64(&t.slots[g*perGroup])
}

// room is the number of keys that the table should have at most.
func (t *keyTable) room() int { return len(t.slots) / 4 * 3 }

// grow makes a table twice as large, or of the first size.
func (t *keyTable) grow() {
	t.resize(max(SmallTable, 2*len(t.slots)), func(key uint64) uint64 { return key })
}

// resize makes a number of slots, a power of two, and puts there what becomes of each key.
func (t *keyTable) resize(slots int, become func(uint64) uint64) {
	old := t.slots
	t.slots, t.tags = make([]uint64, slots), make([]uint64, slots/perGroup)
	t.shift = uint(64 - bits.Len(uint(slots/perGroup-1)))
	for _, key := range old {
		if key != 0 {
			t.put(become(key))
		}
	}
}

// put adds a key other than 0 that is not there.
func (t *keyTable) put(key uint64) {
	hash, mask := HashKey(key), uint64(len(t.tags)-1)
	for g := hash >> (t.shift & 63); ; g++ {
		tags := t.tags[g&mask]
		if free := freeSlots(tags); free != 0 {
			at := bits.TrailingZeros64(free) / 8
			t.slots[int(g&mask)*perGroup+at] = key
			t.tags[g&mask] = tags | (hash&(used-1)|used)<<(at*8)
			return
		}
	}
}

// each calls f for every key.
func (t *keyTable) each(f func(uint64) error) error {
	if t.zero != 0 {
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
