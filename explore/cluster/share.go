package cluster

import (
	"cmp"
	"math"
	"slices"

	"cdpor/explore/internal/joblog"
)

// How much of a search is done, as a rough estimate (cluster/README, "Workers that may die"). The whole search has the
// mass 1. A worker says with each record which part of its parcel is left; what it gives away takes its part of that
// along, and so does what it inserts above. The rest is done: it only grows, never passes 1, and is 1
// at the end. It follows from the log, as the fold does.

// shares are where what is left of a search is.
type shares struct {
	under map[joblog.ID]float64 // of parcels under way
	waits map[int]waiting       // of upper nodes where something waits
}

// A waiting is the share of the children of a node that have not been taken.
type waiting struct{ Mass, Shrink float64 }

// newShares are those of an empty log.
func newShares() *shares {
	return &shares{under: map[joblog.ID]float64{joblog.Root: 1}, waits: map[int]waiting{}}
}

// apply folds a record, as Fold.Apply does.
func (s *shares) apply(f *joblog.Fold, r *joblog.Record) (counts bool, err error) {
	uppers, above := f.Uppers(), f.Above(r.Parcel)
	var there []int // how much waits where something is inserted
	for _, in := range r.Insert {
		n := 0
		if in.Depth >= 0 && in.Depth < len(above) {
			n = f.WaitingAt(above[in.Depth])
		}
		there = append(there, n)
	}
	if counts, err = f.Apply(r); err != nil || !counts {
		return counts, err
	}
	if r.Take != nil {
		s.take(f, r.Take.Node)
		return counts, nil
	}
	more := map[int]int{}
	for i, in := range r.Insert {
		node := above[in.Depth]
		if n := f.WaitingAt(node) - there[i]; n > 0 {
			more[node] = n
		}
	}
	s.record(r, more)
	if e, node := r.Estimate, uppers+len(r.Split)-1; e != nil && node >= uppers && f.WaitingAt(node) > 0 {
		given := s.under[r.Parcel] * part(e.Given)
		s.under[r.Parcel] -= given
		s.waits[node] = waiting{given, part(e.Shrink)}
	}
	return counts, nil
}

// record leaves a parcel what its record says, and moves the parts of what was inserted: so many at each node. Each is
// taken to be as large as what is left of the parcel, as its size is not known.
func (s *shares) record(r *joblog.Record, more map[int]int) {
	left, parts := s.under[r.Parcel], 0
	for _, n := range more {
		parts += n
	}
	if r.Left != nil {
		parts++
		if r.Estimate != nil {
			left *= part(r.Estimate.Left)
		}
	}
	delete(s.under, r.Parcel)
	if r.Left != nil {
		s.under[r.Parcel] = left / float64(parts)
	}
	for node, n := range more {
		w, there := s.waits[node]
		if w.Mass += left * float64(n) / float64(parts); !there {
			w.Shrink = 1
		}
		s.waits[node] = w
	}
}

// take gives a parcel that was taken from a node its part of what waits there.
func (s *shares) take(f *joblog.Fold, node int) {
	w, later := s.waits[node], f.WaitingAt(node)
	taken := w.Mass
	if later == 0 {
		delete(s.waits, node)
	} else {
		all, each := 1.0, 1.0
		for range later {
			each *= w.Shrink
			all += each
		}
		taken /= all
		s.waits[node] = waiting{w.Mass - taken, w.Shrink}
	}
	s.under[f.Begun()[0]] = taken
}

// part is a number of a record as a part of something.
func part(p float64) float64 {
	if math.IsNaN(p) {
		return 1
	}
	return min(1, max(0, p))
}

// done is the part of the search that is done, less than 1.
func (s *shares) done() float64 {
	left := 0.0
	for _, mass := range s.under {
		left += mass
	}
	for _, w := range s.waits {
		left += w.Mass
	}
	return min(math.Nextafter(1, 0), max(0, 1-left))
}

// savedShares are shares in a snapshot.
type savedShares struct {
	Under []savedShare    `json:",omitempty"`
	Waits map[int]waiting `json:",omitempty"`
}

type savedShare struct {
	ID   joblog.ID
	Mass float64
}

func (s *shares) save() *savedShares {
	saved := &savedShares{Waits: s.waits}
	for id, mass := range s.under {
		saved.Under = append(saved.Under, savedShare{id, mass})
	}
	slices.SortFunc(saved.Under, func(a, b savedShare) int {
		return cmp.Or(cmp.Compare(a.ID.Node, b.ID.Node), cmp.Compare(a.ID.Place, b.ID.Place))
	})
	return saved
}

func (s *savedShares) restore() *shares {
	shares := &shares{under: map[joblog.ID]float64{}, waits: map[int]waiting{}}
	for _, u := range s.Under {
		shares.under[u.ID] = u.Mass
	}
	for node, w := range s.Waits {
		shares.waits[node] = w
	}
	return shares
}
