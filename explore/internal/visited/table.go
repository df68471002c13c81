package visited

import (
	"math"
	"math/bits"

	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/stateset"
	"cdpor/lang/step"
)

// The table of visited states (STATES, "Visited states"): what the search has to know of a state whose subtree it has
// left. It may forget any of them.

// A Visit is the entry of a visited state.
type Visit struct {
	Asleep uint32      // number of the set of actions that slept, and were enabled
	Future FutureSteps // what was taken, or disabled, anywhere below
}

// A Table remembers visits.
type Table struct {
	Set     *stateset.TreeSet // numbers parts of states
	tables  [stateset.ManyTables]visitTable
	Asleep  []actionset.Set
	numbers map[actionset.Set]uint32
	procs   int
	later   []uint16 // futures, one after the other

	Renewals   int   // times that the numbers of parts of states have been given anew
	most       int64 // bytes to take at most; 0: no limit
	MostVisits int   // for tests; 0: no limit
	Dropped    int64
}

// NewTable is an empty table of states packed so, of so many processes; most bounds its bytes, 0: no limit.
func NewTable(p *stateset.Packing, procs int, most int64) *Table {
	t := &Table{most: most, numbers: map[actionset.Set]uint32{}, procs: procs}
	t.Sleepers(actionset.Set{})
	t.Renew(p)
	return t
}

// Renew forgets everything but which sets there are.
func (t *Table) Renew(p *stateset.Packing) {
	for i := range t.tables {
		t.Dropped += int64(t.tables[i].count)
		t.tables[i] = visitTable{}
	}
	t.later = nil
	t.Set = stateset.NewTreeSet(p)
	t.Set.Rekeyed = t.tables[stateset.Compact].rekey
	t.Renewals++
}

// Sleepers is the number of a set of actions.
func (t *Table) Sleepers(s actionset.Set) uint32 {
	n, known := t.numbers[s]
	if !known {
		n = uint32(len(t.Asleep))
		t.Asleep = append(t.Asleep, s)
		t.numbers[s] = n
	}
	return n
}

// place is the table and the key of a vector whose chunks are in p, with the help of from if it is not nil; if it is
// p, the chunks have their numbers.
func (t *Table) place(from, p *stateset.Packed, v []int64) (table int, key uint64) {
	if from != p {
		t.Set.Number(from, p)
	} else {
		from = nil
	}
	for {
		table, key, fits := t.Set.Place(from, p, v)
		if fits {
			return table, key
		}
		t.Set.Widen()
	}
}

// Find looks up the entry of a state.
func (t *Table) Find(from, p *stateset.Packed, v []int64) (Visit, bool) {
	table, key := t.place(from, p, v)
	slot := t.tables[table].find(key)
	if slot == nil || slot.value == 0 {
		return Visit{}, false
	}
	slot.value |= met
	return Visit{uint32(slot.value >> 32 & sleepersMask), t.future(slot)}, true
}

// future is the future of a slot.
func (t *Table) future(s *visitSlot) FutureSteps {
	at := int(uint32(s.value)) * t.procs
	return t.later[at : at+t.procs : at+t.procs]
}

// A value is where the future begins, the number of the sleepers, and two flags.
const (
	met          = 1 << 62 // it has been found since the last sweep
	there        = 1 << 63
	sleepersMask = 1<<30 - 1
)

// Keep remembers a visit of a state whose chunks are in p, with the help of from as for place.
func (t *Table) Keep(from, p *stateset.Packed, v []int64, what Visit) {
	table, key := t.place(from, p, v)
	visits := &t.tables[table]
	if visits.count*4 >= len(visits.slots)*3 {
		visits.resize(max(stateset.SmallTable, 2*len(visits.slots)), nil)
	}
	slot := visits.find(key)
	if slot.value != 0 {
		copy(t.future(slot), what.Future)
	} else {
		slot.key, slot.value = key, uint64(len(t.later)/max(1, t.procs))
		t.later = append(t.later, what.Future...)
		visits.count++
	}
	slot.value = there | uint64(what.Asleep)<<32 | slot.value&math.MaxUint32
}

// len is how many visits are remembered.
func (t *Table) len() (n int) {
	for i := range t.tables {
		n += t.tables[i].count
	}
	return n
}

// bytes is about how much memory the table takes.
func (t *Table) bytes() int64 {
	// The reserve of t.later is left out: a search that is resumed has another one.
	n := t.Set.Bytes() + int64(len(t.Asleep))*72 + int64(len(t.later))*2
	for i := range t.tables {
		n += int64(len(t.tables[i].slots)) * 16
	}
	return n
}

// Full reports whether something should be forgotten.
func (t *Table) Full() bool {
	return t.MostVisits > 0 && t.len() > t.MostVisits || t.most > 0 && t.bytes() > t.most || t.Set.Full() ||
		len(t.later)/max(1, t.procs) >= math.MaxUint32 || len(t.Asleep) >= sleepersMask
}

// Sweep forgets about half of the entries: those that no execution has come back to. It reports whether that is not
// enough: then all the rest must go, and with it the numbers of parts of states.
func (t *Table) Sweep() (enough bool) {
	for i := range t.tables {
		visits := &t.tables[i]
		before := visits.count
		keep := func(s *visitSlot) bool {
			was := s.value&met != 0
			s.value &^= met
			return was
		}
		visits.resize(len(visits.slots), keep)
		for k := uint64(0); visits.count > before/2 && k < 8; k++ { // any half will do
			visits.resize(len(visits.slots), func(s *visitSlot) bool { return stateset.HashKey(s.key+k)&1 == 0 })
		}
		for visits.count*8 < len(visits.slots) && len(visits.slots) > stateset.SmallTable {
			visits.resize(len(visits.slots)/2, nil)
		}
		t.Dropped += int64(before - visits.count)
	}
	t.compact()
	return t.most == 0 || t.bytes() <= t.most/4*3
}

// compact gives away the room of futures that are no longer needed.
func (t *Table) compact() {
	later := make([]uint16, 0, t.len()*t.procs)
	for i := range t.tables {
		for k := range t.tables[i].slots {
			if s := &t.tables[i].slots[k]; s.value != 0 {
				at := uint64(len(later) / max(1, t.procs))
				later = append(later, t.future(s)...)
				s.value = s.value&^math.MaxUint32 | at
			}
		}
	}
	t.later = later
}

// A visitTable is a hash table: open addressing, linear probing.
type visitTable struct {
	slots []visitSlot
	count int
}

type visitSlot struct{ key, value uint64 } // value 0: free

// find is the slot of a key, or the free one where it belongs; nil if there are no slots.
func (t *visitTable) find(key uint64) *visitSlot {
	if len(t.slots) == 0 {
		return nil
	}
	mask := uint64(len(t.slots) - 1)
	for i := stateset.Home(key, mask); ; i++ {
		if s := &t.slots[i&mask]; s.value == 0 || s.key == key {
			return s
		}
	}
}

// resize makes a number of slots, a power of two, for those that are to be kept, nil: all.
func (t *visitTable) resize(slots int, keep func(*visitSlot) bool) {
	old := t.slots
	t.slots, t.count = make([]visitSlot, slots), 0
	for i := range old {
		if s := &old[i]; s.value != 0 && (keep == nil || keep(s)) {
			*t.find(s.key) = *s
			t.count++
		}
	}
}

// rekey gives every visit another key.
func (t *visitTable) rekey(become func(uint64) uint64) {
	for i := range t.slots {
		if s := &t.slots[i]; s.value != 0 {
			s.key = become(s.key)
		}
	}
	t.resize(len(t.slots), nil)
}

// StackStates finds the states on the stack.
type StackStates struct {
	slots  []int32 // depth plus one; 0: free
	hashes []uint64
}

// HashState is a hash of a state that is packed: of its chunks, and of its words if some of these have no code.
func HashState(p *stateset.Packed, state []int64) uint64 {
	h := uint64(len(p.Chunks))
	for _, c := range p.Chunks {
		h = mix(h, c)
	}
	if p.Large > 0 {
		for _, w := range state {
			h = mix(h, uint64(w))
		}
	}
	return h
}

func mix(h, word uint64) uint64 {
	hi, lo := bits.Mul64(h^word^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return hi ^ lo
}

// Find is the depth of the state with a hash for which is reports true, -1 if there is none.
func (t *StackStates) Find(hash uint64, is func(depth int) bool) int {
	if len(t.slots) == 0 {
		return -1
	}
	mask := uint64(len(t.slots) - 1)
	for i := hash & mask; t.slots[i] != 0; i = (i + 1) & mask {
		if d := int(t.slots[i] - 1); t.hashes[d] == hash && is(d) {
			return d
		}
	}
	return -1
}

// Push adds the state at a depth, which is that of the stack.
func (t *StackStates) Push(depth int, hash uint64) {
	t.hashes = append(t.hashes[:depth], hash)
	if 2*len(t.hashes) >= len(t.slots) {
		t.slots = make([]int32, max(stateset.SmallTable, 2*len(t.slots)))
		for d := range t.hashes {
			t.put(d)
		}
		return
	}
	t.put(depth)
}

func (t *StackStates) put(depth int) {
	mask := uint64(len(t.slots) - 1)
	i := t.hashes[depth] & mask
	for t.slots[i] != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = int32(depth + 1)
}

// Pop takes the states from a depth on away, the last one first: so no later one is looked for beyond a slot that
// becomes free.
func (t *StackStates) Pop(depth int) {
	mask := uint64(len(t.slots) - 1)
	for d := len(t.hashes) - 1; d >= depth; d-- {
		i := t.hashes[d] & mask
		for t.slots[i] != int32(d+1) {
			i = (i + 1) & mask
		}
		t.slots[i] = 0
	}
	t.hashes = t.hashes[:min(depth, len(t.hashes))]
}

// A StateLog lists states, until they take mostLogged words.
type StateLog struct {
	words []int64
	size  int // words of a state
}

const mostLogged = 1 << 20

// Add lists a state, if there is a list and it has room.
func (l *StateLog) Add(s step.State) {
	if l != nil && len(l.words) < mostLogged {
		l.words, l.size = append(l.words, s...), len(s)
	}
}

// Each calls f for every state, and forgets them.
func (l *StateLog) Each(f func(step.State)) {
	if l == nil {
		return
	}
	for at := 0; at < len(l.words); at += l.size {
		f(l.words[at : at+l.size])
	}
	l.words = l.words[:0]
}
