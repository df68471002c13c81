package stateset

// A Place is where a vector is in a set, for as long as the widths of numbers stay.
type Place struct {
	table int
	key   uint64
}

// A Path numbers vectors of a set, from 0, in the order in which they are put on it. What was put on it last is taken
// off first, so a number is free again when all behind it are.
type Path struct {
	places []Place
	slots  []uint32 // a hash table of the numbers, plus one; 0: free
}

// Len is how many there are.
func (p *Path) Len() int { return len(p.places) }

// slot is where a place is in the table, or the free slot where it belongs.
func (p *Path) slot(at Place) *uint32 {
	mask := uint64(len(p.slots) - 1)
	for i := Home(at.key, mask); ; i++ {
		if s := &p.slots[i&mask]; *s == 0 || p.places[*s-1] == at {
			return s
		}
	}
}

// Push puts a vector on the path that is not on it.
func (p *Path) Push(at Place) {
	if p.places = append(p.places, at); len(p.places)*2 > len(p.slots) {
		p.slots = make([]uint32, max(SmallTable, 2*len(p.slots)))
		p.fill()
		return
	}
	*p.slot(at) = uint32(len(p.places))
}

func (p *Path) fill() {
	for i, at := range p.places {
		*p.slot(at) = uint32(i + 1)
	}
}

// Find is the number of a vector, negative if it is not on the path.
func (p *Path) Find(at Place) int {
	if len(p.slots) == 0 {
		return -1
	}
	return int(*p.slot(at)) - 1
}

// Keep takes off all but the first n.
func (p *Path) Keep(n int) {
	for i := len(p.places) - 1; i >= n; i-- { // no other search of the table goes past the slot that was filled last
		*p.slot(p.places[i]) = 0
	}
	p.places = p.places[:n]
}

// Rekey puts what becomes of each compact key in its place.
func (p *Path) Rekey(become func(uint64) uint64) {
	for i := range p.places {
		if at := &p.places[i]; at.table == Compact {
			at.key = become(at.key)
		}
	}
	clear(p.slots)
	p.fill()
}
