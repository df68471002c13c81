package pacing

import "time"

const (
	// DefaultSlice is the time for which a worker explores from one record to the next while a worker is idle.
	DefaultSlice = 50 * time.Millisecond
	// slicesAlone is how many times as long the slices are while none is.
	slicesAlone = 20
	// looksPerSlice is how often a worker looks around in a slice.
	looksPerSlice = 10
	// firstNodes is the number of nodes that a worker explores that does not know yet how long they take.
	firstNodes = 256
	// dearRecord is from when on a record takes so long to make that this matters. Then a worker explores dearSlice
	// times as long until the next one. To make one is about a third of what it costs all.
	dearRecord = 2 * time.Millisecond
	dearSlice  = 100
	// To give something away, while another worker has nothing to do, it explores dearGift times as long.
	dearGift = 4
	// longestDear is how long such a slice is at most: that much is lost when the worker dies.
	longestDear = 5 * time.Second
)

// Slices are how a worker divides its time: it explores some nodes, looks around, and after a slice appends a record.
type Slices struct {
	slice   time.Duration
	longest time.Duration // of the present slice
	nodes   int64         // that are explored until it looks around
	record  time.Duration // how long it has taken to make the last record, 0: not long
}

// NewSlices begins with a short slice, so that others soon have something to do.
func NewSlices(slice time.Duration) Slices {
	return Slices{slice: slice, longest: slice / looksPerSlice, nodes: firstNodes}
}

// Again halves the slices for each try of a task that had no result, so that a part of it may be done.
func (s *Slices) Again(tries int) { s.longest, s.nodes = s.slice>>tries, firstNodes>>tries }

// Nodes is for how many nodes to explore before looking around.
func (s *Slices) Nodes() int64 { return s.nodes }

// Looked tells how long that took.
func (s *Slices) Looked(took time.Duration) {
	if took > 0 {
		aim := float64(s.slice) / looksPerSlice
		s.nodes = max(1, min(4*s.nodes, int64(float64(s.nodes)*aim/float64(took))))
	}
}

// Over reports whether a slice has been long enough.
func (s *Slices) Over(spent time.Duration) bool {
	return spent >= max(s.longest, min(dearSlice*s.record, longestDear))
}

// MayGive reports whether a slice has been long enough for a record by which something is given away.
func (s *Slices) MayGive(spent time.Duration) bool { return spent >= dearGift*s.record }

// Recorded tells that a record was made, whether something was to be given away with it, and how long it has taken to
// make it.
func (s *Slices) Recorded(split bool, took time.Duration) {
	if s.record = took; took < dearRecord {
		s.record = 0
	}
	if s.longest = min(2*s.longest, slicesAlone*s.slice); split {
		s.longest = s.slice
	}
}

// Answers reports whether a worker gives something away after a hint that tasks are missing, so that not all do at
// once. draw returns a random number below another one.
func Answers(tasks, workers int, draw func(int) int) bool {
	return workers > 0 && draw(workers) < tasks
}
