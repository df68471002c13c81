package cluster

import (
	"math"

	"cdpor/explore/internal/joblog"
)

// How much of a search is done, as a rough estimate (cluster/README, "Workers that may die"). The whole search has the
// mass 1. A worker says with each record which part of its task is left; what it gives away takes its part of that
// along, and so does what it inserts above. The rest is done: it only grows, never passes 1, and is 1
// at the end. It follows from the log, as the fold does.

// shares are where what is left of a search is.
type shares struct {
	Under map[string]float64 // of tasks under way, by their chains
	Waits map[int]waiting    // of upper nodes where something waits
}

// A waiting is the share of the children of a node that have not been taken.
type waiting struct{ Mass, Shrink float64 }

// newShares are those of an empty log.
func newShares() *shares {
	return &shares{map[string]float64{token(joblog.Root): 1}, map[int]waiting{}}
}

// apply folds a record, as Fold.Apply does.
func (s *shares) apply(f *joblog.Fold, r *joblog.Record) (counts bool, err error) {
	uppers, above := f.Uppers(), f.Above(r.Task)
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
		given := s.Under[token(r.Task)] * part(e.Given)
		s.Under[token(r.Task)] -= given
		s.Waits[node] = waiting{given, part(e.Shrink)}
	}
	return counts, nil
}

// record leaves a task what its record says, and moves the parts of what was inserted: so many at each node. Each is
// taken to be as large as what is left of the task, as its size is not known.
func (s *shares) record(r *joblog.Record, more map[int]int) {
	left, parts := s.Under[token(r.Task)], 0
	for _, n := range more {
		parts += n
	}
	if r.Left != nil {
		parts++
		if r.Estimate != nil {
			left *= part(r.Estimate.Left)
		}
	}
	delete(s.Under, token(r.Task))
	if r.Left != nil {
		s.Under[token(r.Task)] = left / float64(parts)
	}
	for node, n := range more {
		w, there := s.Waits[node]
		if w.Mass += left * float64(n) / float64(parts); !there {
			w.Shrink = 1
		}
		s.Waits[node] = w
	}
}

// take gives a task that was taken from a node its part of what waits there.
func (s *shares) take(f *joblog.Fold, node int) {
	w, later := s.Waits[node], f.WaitingAt(node)
	taken := w.Mass
	if later == 0 {
		delete(s.Waits, node)
	} else {
		all, each := 1.0, 1.0
		for range later {
			each *= w.Shrink
			all += each
		}
		taken /= all
		s.Waits[node] = waiting{w.Mass - taken, w.Shrink}
	}
	s.Under[token(f.Begun()[0])] = taken
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
	for _, mass := range s.Under {
		left += mass
	}
	for _, w := range s.Waits {
		left += w.Mass
	}
	return min(math.Nextafter(1, 0), max(0, 1-left))
}
