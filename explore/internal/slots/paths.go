package slots

import (
	"fmt"
	"slices"
)

// Paths finds how the search came to states that are stored: for each the actions from the initial state on. It reads a
// segment once for all states in it that it looks for at a time, and keeps none.
func (s *Stage) Paths(store Store, to []Ref) (paths [][]int32, err error) {
	type edge struct {
		parent Ref
		action int32
	}
	known := map[Ref]edge{}
	read := func(at segmentOf, numbers []int64) error {
		slices.Sort(numbers)
		segment := s.Slots[at.slot].Segments[at.segment]
		b, err := fetch(store, segment)
		if err != nil {
			return err
		}
		var e Entry
		for number := at.first; len(numbers) > 0; number++ {
			if b, err = e.Read(b); err != nil {
				return fmt.Errorf("%s: %w", segment.Name, err)
			}
			if number == numbers[0] {
				known[Ref{at.slot, number}] = edge{e.Parent, e.Action}
				numbers = numbers[1:]
			}
		}
		return nil
	}
	for wanted := to; len(wanted) > 0; {
		groups, asked := map[segmentOf][]int64{}, map[Ref]bool{}
		for _, r := range wanted {
			if _, there := known[r]; there || asked[r] {
				continue
			}
			asked[r] = true
			at, err := s.find(r)
			if err != nil {
				return nil, err
			}
			groups[at] = append(groups[at], r.Number)
		}
		for at, numbers := range groups {
			if err := read(at, numbers); err != nil {
				return nil, err
			}
		}
		wanted = nil
		for r := range asked {
			if parent := known[r].parent; parent.Slot >= 0 {
				wanted = append(wanted, parent)
			}
		}
	}
	for _, r := range to {
		path := []int32{}
		for e := known[r]; e.parent.Slot >= 0; e = known[e.parent] {
			path = append(path, e.action)
		}
		slices.Reverse(path)
		paths = append(paths, path)
	}
	return paths, nil
}

// A segmentOf is a segment of a slot, and the number of its first state.
type segmentOf struct {
	slot, segment int
	first         int64
}

// find is where a state is stored.
func (s *Stage) find(r Ref) (at segmentOf, err error) {
	if r.Slot >= 0 && r.Slot < len(s.Slots) {
		at.slot = r.Slot
		for _, segment := range s.Slots[r.Slot].Segments {
			if r.Number < at.first+segment.States {
				return at, nil
			}
			at.first += segment.States
			at.segment++
		}
	}
	return at, fmt.Errorf("state %d of slot %d is not stored", r.Number, r.Slot)
}
