package slots

import (
	"fmt"
	"slices"
)

// A pathFinder follows states backwards through the segments. It reads a segment for all states in it that it looks for
// at a time, and keeps what it says of others as long as that is not too much.
type pathFinder struct {
	stage  *Stage
	store  Store
	known  map[Ref]edge
	wanted map[segmentOf][]int64 // places in segments
	parsed []edge                // scratch: a segment
	kept   map[segmentOf][]edge
	room   int // so many edges more may be kept
}

// mostKeptEdges is how many edges are kept of segments that may be read again.
const mostKeptEdges = 2 << 20

// An edge is how the search came to a state.
type edge struct {
	parent Ref
	action int32
}

// Paths finds how the search came to states that are stored: for each the actions from the initial state on.
func (s *Stage) Paths(store Store, to []Ref) (paths [][]int32, err error) {
	p := &pathFinder{stage: s, store: store, known: map[Ref]edge{}, wanted: map[segmentOf][]int64{},
		kept: map[segmentOf][]edge{}, room: mostKeptEdges}
	for _, r := range to {
		if err := p.want(r); err != nil {
			return nil, err
		}
	}
	for len(p.wanted) > 0 {
		if err := p.read(p.latest()); err != nil {
			return nil, err
		}
	}
	for _, r := range to {
		path := []int32{}
		for e := p.known[r]; e.parent.Slot >= 0; e = p.known[e.parent] {
			path = append(path, e.action)
		}
		slices.Reverse(path)
		paths = append(paths, path)
	}
	return paths, nil
}

// want has a state looked for, unless it is known.
func (p *pathFinder) want(r Ref) error {
	if _, known := p.known[r]; known {
		return nil
	}
	at, err := p.stage.find(r)
	if err == nil {
		p.wanted[at] = append(p.wanted[at], r.Number>>1-at.first)
	}
	return err
}

// latest is the segment that is to be read next: where the part of its list behind it is the smallest. A state is found
// after its parent, so hardly anything will be looked for there once more.
func (p *pathFinder) latest() (at segmentOf) {
	late := -1.0
	for s := range p.wanted {
		list := p.stage.Slots[s.slot].lists()[s.list]
		if part := float64(s.segment+1) / float64(len(list)); part > late || part == late && s.less(at) {
			at, late = s, part
		}
	}
	return at
}

// read finds what is looked for in a segment, and what leads there as long as that is in it as well.
func (p *pathFinder) read(at segmentOf) error {
	parsed, err := p.parse(at)
	if err != nil {
		return err
	}
	wanted := p.wanted[at]
	delete(p.wanted, at)
	for _, n := range wanted {
		for n >= 0 {
			r := Ref{at.slot, 2*(at.first+n) + int64(at.list)}
			if _, known := p.known[r]; known {
				break
			}
			if n >= int64(len(parsed)) {
				return ErrForm
			}
			e := parsed[n]
			if p.known[r] = e; e.parent.Slot < 0 {
				break
			}
			n = e.parent.Number>>1 - at.first
			if e.parent.Slot != at.slot || int(e.parent.Number&1) != at.list || n < 0 || n >= int64(len(parsed)) {
				if err := p.want(e.parent); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

// parse reads a segment, unless it has been kept.
func (p *pathFinder) parse(at segmentOf) ([]edge, error) {
	if list, kept := p.kept[at]; kept {
		return list, nil
	}
	segment := p.stage.Slots[at.slot].lists()[at.list][at.segment]
	b, err := fetch(p.store, segment)
	if err != nil {
		return nil, err
	}
	var e Entry
	var c coder
	for p.parsed = p.parsed[:0]; len(b) > 0; {
		if b, err = c.read(b, &e); err != nil {
			return nil, fmt.Errorf("%s: %w", segment.Name, err)
		}
		p.parsed = append(p.parsed, edge{e.Parent, e.Action})
	}
	if len(p.parsed) <= p.room {
		p.room -= len(p.parsed)
		p.kept[at] = slices.Clone(p.parsed)
	}
	return p.parsed, nil
}

// A segmentOf is a segment of a slot, and how many states are before it in its list.
type segmentOf struct {
	slot, list, segment int
	first               int64
}

func (a segmentOf) less(b segmentOf) bool {
	return slices.Compare([]int{a.slot, a.list, a.segment}, []int{b.slot, b.list, b.segment}) < 0
}

// find is where a state is stored.
func (s *Stage) find(r Ref) (at segmentOf, err error) {
	if r.Slot >= 0 && r.Slot < len(s.Slots) && r.Number >= 0 {
		at.slot, at.list = r.Slot, int(r.Number&1)
		for _, segment := range s.Slots[r.Slot].lists()[at.list] {
			if r.Number>>1 < at.first+segment.States {
				return at, nil
			}
			at.first += segment.States
			at.segment++
		}
	}
	return at, fmt.Errorf("state %d of slot %d is not stored", r.Number, r.Slot)
}
