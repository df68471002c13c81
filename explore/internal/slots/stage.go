package slots

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
)

// Many is how many slots a search has, and how many workers can take part in it at most.
const Many = 64

// A Stage is a part of a search between two barriers, as the log has it. The last one in the log is under way.
type Stage struct {
	ID string // no other stage has it
	// After is the stage whose barrier this one begins with. Empty: what the one before has done is lost, and this one
	// begins where that began.
	After  string   `json:",omitempty"`
	Owners []string // per slot, the worker; none if the search is over
	Slots  []Slot   // what the slots had at the last barrier
	Found  []string `json:",omitempty"` // the names of all that has been found up to the last barrier
}

// A Slot is the stored form of a slot: the states that wait to be expanded, or have waited, and how many of them have
// been expanded, from the first one on; and those that were expanded as soon as they had been found.
type Slot struct {
	Segments []Segment `json:",omitempty"`
	States   int64     `json:",omitempty"` // in them
	Expanded int64     `json:",omitempty"`
	Direct   []Segment `json:",omitempty"`
	Directly int64     `json:",omitempty"` // states in them
}

// Fits reports whether a stage can be one of a search.
func (s *Stage) Fits() bool {
	if s.ID == "" || len(s.Slots) != Many || s.Owners != nil && len(s.Owners) != Many {
		return false
	}
	return !slices.ContainsFunc(s.Slots, func(slot Slot) bool {
		return slot.Expanded < 0 || slot.Expanded > slot.States || slot.Directly < 0
	})
}

// All is how many states a slot has.
func (s *Slot) All() int64 { return s.States + s.Directly }

// lists are the two lists of segments of a slot. A state of the one at i has number 2n+i if n are before it there.
func (s *Slot) lists() [2][]Segment { return [2][]Segment{s.Segments, s.Direct} }

// A Segment has states of a slot, one after the other.
type Segment struct {
	Name   string
	States int64
}

// A Part is one owner's stored share of a stage.
type Part struct {
	Slots map[int]Slot
	Found string `json:",omitempty"` // the name of what it has found in the stage
}

// A Store keeps bytes by name. Whoever names something that is not there has an error. Several goroutines may use it.
type Store interface {
	Put(name string, data []byte) error
	Get(name string) ([]byte, error)
}

// put stores bytes under a name that says what they are: their digest is in it.
func put(s Store, kind string, data []byte) (name string, err error) {
	sum := sha256.Sum256(data)
	name = kind + "-" + hex.EncodeToString(sum[:16])
	return name, s.Put(name, data)
}

// PutFound stores what a worker has found.
func PutFound(s Store, data []byte) (name string, err error) { return put(s, "found", data) }

// PutPart stores a part.
func PutPart(s Store, p *Part) (name string, err error) {
	text, err := json.Marshal(p)
	if err != nil {
		return "", err
	}
	return put(s, "part", text)
}

// getPart is a part that is stored.
func getPart(s Store, name string) (*Part, error) {
	text, err := s.Get(name)
	if err != nil {
		return nil, err
	}
	p := &Part{}
	return p, json.Unmarshal(text, p)
}

// First is the first stage of a search.
func First(id string, workers []string) *Stage {
	return &Stage{ID: id, Slots: make([]Slot, Many), Owners: assign(nil, Many, workers)}
}

// Again is a stage that begins where another one has begun, because what that has done is lost.
func (s *Stage) Again(id string, workers []string) *Stage {
	return &Stage{ID: id, Slots: s.Slots, Found: s.Found, Owners: assign(s.Owners, len(s.Slots), workers)}
}

// Next is the stage behind the barrier of this one. parts are the names of the parts of its owners.
func (s *Stage) Next(id string, store Store, parts, workers []string) (*Stage, error) {
	next := &Stage{ID: id, After: s.ID, Slots: make([]Slot, len(s.Slots)), Found: s.Found[:len(s.Found):len(s.Found)]}
	stored := make([]bool, len(s.Slots))
	for _, name := range parts {
		p, err := getPart(store, name)
		if err != nil {
			return nil, err
		}
		for n, slot := range p.Slots {
			if n < 0 || n >= len(stored) || stored[n] || slot.States < s.Slots[n].States ||
				slot.Directly < s.Slots[n].Directly {
				return nil, fmt.Errorf("slot %d is stored twice, or has lost states", n)
			}
			stored[n], next.Slots[n] = true, slot
		}
		if p.Found != "" {
			next.Found = append(next.Found, p.Found)
		}
	}
	for n := range stored {
		if !stored[n] {
			return nil, fmt.Errorf("slot %d is not stored", n)
		}
	}
	if !next.Over() {
		next.Owners = assign(s.Owners, len(s.Slots), workers)
	}
	return next, nil
}

// Over reports whether nothing is left to be done.
func (s *Stage) Over() bool {
	states := int64(0)
	for n := range s.Slots {
		if s.Slots[n].Expanded < s.Slots[n].States {
			return false
		}
		states += s.Slots[n].All()
	}
	return states > 0
}

// States is how many states had been found at the last barrier.
func (s *Stage) States() (n int64) {
	for i := range s.Slots {
		n += s.Slots[i].All()
	}
	return n
}

// Owns reports whether a worker owns a slot.
func (s *Stage) Owns(worker string) bool {
	return slices.Contains(s.Owners, worker)
}

// Workers is how many owners there are.
func (s *Stage) Workers() int { return len(s.workers()) }

// workers are the owners, each once.
func (s *Stage) workers() (list []string) {
	seen := map[string]bool{}
	for _, w := range s.Owners {
		if !seen[w] {
			seen[w] = true
			list = append(list, w)
		}
	}
	return list
}
