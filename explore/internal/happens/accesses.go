package happens

import (
	"math/bits"
	"slices"

	"cdpor/lang/step"
)

// Where the events of the stack touch memory, so that a new event is compared with those that it conflicts with and not
// with all.

// Few is how many locations a step may touch to be looked up by them.
const Few = 8

// Accesses are the positions on the stack of the events that touch each location. They follow the stack when they are
// asked.
type Accesses struct {
	Few     int // what Narrow takes for few
	events  []accessing
	memory  []access  // of the events, one after the other
	Touches [][]int32 // location -> positions, ascending
	Writes  [][]int32 // location -> positions, ascending
	Own     [][]int32 // process -> positions, ascending
	cursors []cursor
}

// An accessing event is one of the stack: its serial number, its process, and where its accesses begin.
type accessing struct {
	serial uint64
	proc   int
	from   int
}

type access struct {
	location int
	writes   bool
}

// A cursor goes down a list of positions.
type cursor struct {
	list     []int32
	location int // none: -1
}

// Follow makes the lists those of the stack. An event on it is known by its serial number; then so are those below it.
func (a *Accesses) Follow(x *Execution) {
	if a.Own == nil {
		locations := x.Machine.NumLocations()
		a.Own, a.Touches, a.Writes = make([][]int32, x.Procs), make([][]int32, locations), make([][]int32, locations)
	}
	for k := len(a.events); k > 0 && (k > x.Depth || a.events[k-1].serial != x.Levels[k-1].Event.serial); k-- {
		a.drop()
	}
	for i := len(a.events); i < x.Depth; i++ {
		e := &x.Levels[i].Event
		a.events = append(a.events, accessing{e.serial, e.Proc, len(a.memory)})
		a.Own[e.Proc] = append(a.Own[e.Proc], int32(i))
		half := len(e.Foot) / 2
		for w, rest := range e.Foot[:half] {
			for ; rest != 0; rest &= rest - 1 {
				bit := bits.TrailingZeros64(rest)
				at := access{w<<6 + bit, e.Foot[half+w]>>bit&1 != 0}
				a.memory = append(a.memory, at)
				a.Touches[at.location] = append(a.Touches[at.location], int32(i))
				if at.writes {
					a.Writes[at.location] = append(a.Writes[at.location], int32(i))
				}
			}
		}
	}
}

// Forget takes away all events.
func (a *Accesses) Forget() {
	for len(a.events) > 0 {
		a.drop()
	}
}

// drop takes away the last event.
func (a *Accesses) drop() {
	e := a.events[len(a.events)-1]
	a.events = a.events[:len(a.events)-1]
	a.Own[e.proc] = shorter(a.Own[e.proc])
	for _, at := range a.memory[e.from:] {
		a.Touches[at.location] = shorter(a.Touches[at.location])
		if at.writes {
			a.Writes[at.location] = shorter(a.Writes[at.location])
		}
	}
	a.memory = a.memory[:e.from]
}

func shorter(list []int32) []int32 { return list[:len(list)-1] }

// Narrow reports whether a step touches few enough locations to be looked up by them.
func (a *Accesses) Narrow(foot step.Footprint) bool { return locations(foot) <= a.Few }

// locations is how many locations a step touches.
func locations(foot step.Footprint) (count int) {
	for _, w := range foot[:len(foot)/2] {
		count += bits.OnesCount64(w)
	}
	return count
}

// helps reports whether it is better to look up the events that a step conflicts with than to go through the whole
// stack. On a long one that is so for more locations, if their last writes are where the search ends.
func (a *Accesses) helps(x *Execution, foot step.Footprint) bool {
	count := locations(foot)
	return count <= a.Few || x.Conditions == nil && count < x.Depth/8
}

// Conflicts appends the positions, below some position, of the events that a step with a footprint may be in conflict
// with to a list, ascending; those that happen before a write of the same location that a clock covers may be
// missing. The footprint must be narrow.
func (a *Accesses) Conflicts(x *Execution, foot step.Footprint, clock []int32, below int, list []int32) []int32 {
	a.Follow(x)
	a.point(foot)
	start := len(list)
	for k := range a.cursors {
		c := &a.cursors[k]
		if below < x.Depth {
			end, _ := slices.BinarySearch(c.list, int32(below))
			c.list = c.list[:end]
		}
		for _, i := range slices.Backward(c.list) {
			x.Work(1)
			list = append(list, i)
			if e := &x.Levels[i].Event; x.settled(e, clock) && e.Foot.Writes(c.location) {
				break
			}
		}
	}
	slices.Sort(list[start:])
	return slices.Compact(list)
}

// settled reports whether a clock covers an event and, if that wrote a location, all that touched the location before:
// what did happens before the event, unless constraints say otherwise.
func (x *Execution) settled(e *Event, clock []int32) bool {
	return x.Conditions == nil && Covers(clock, e)
}

// Before is the last position below another one at which a process has an event, or that at which it was started; -1 if
// there is none.
func (a *Accesses) Before(x *Execution, proc, at int) int {
	a.Follow(x)
	list := a.Own[proc]
	k := len(list)
	if at < x.Depth {
		k, _ = slices.BinarySearch(list, int32(at))
	}
	if k > 0 {
		return int(list[k-1])
	}
	if life := x.Machine.LifeLocation(proc); life >= 0 && len(a.Writes[life]) > 0 {
		return int(a.Writes[life][0])
	}
	return -1
}

// plainRaces is HappensBefore for a step without a guard, where no constraint has a say. Whatever conflicts with it is
// dependent, so nothing need be looked at that touched a location before its last write: that happens before the write.
func (x *Execution) plainRaces(n *Transition, p *Past) {
	a := &x.Accesses
	own := a.Before(x, n.Proc, x.Depth)
	if own >= 0 {
		x.learn(p, n.Proc, own)
	}
	a.point(n.Foot)
	for len(a.cursors) > 0 {
		x.Work(1)
		i := a.latest()
		e := &x.Levels[i].Event
		if !Covers(p.Clock, e) {
			x.race(i).First = own < i && len(x.races) == 1
			x.learn(p, n.Proc, i)
		}
		a.lower(int32(i), e.Foot)
	}
}

// compare compares a transition with the events that it may be in conflict with, and the last one of its process,
// latest first.
func (a *Accesses) compare(x *Execution, n *Transition, p *Past) {
	a.Follow(x)
	a.point(n.Foot)
	if own := a.Own[n.Proc]; len(own) > 0 {
		a.cursors = append(a.cursors, cursor{own[len(own)-1:], -1})
	}
	for len(a.cursors) > 0 {
		x.Work(1)
		i := a.latest()
		x.compare(i, n, p)
		if e := &x.Levels[i].Event; x.settled(e, x.masked) { // nor can anything that happens before it be a race
			a.lower(int32(i), e.Foot)
		} else {
			a.lower(int32(i), nil)
		}
	}
}

// point sets the cursors to the last conflicts of a footprint with each location.
func (a *Accesses) point(foot step.Footprint) {
	a.cursors = a.cursors[:0]
	half := len(foot) / 2
	for w, rest := range foot[:half] {
		for ; rest != 0; rest &= rest - 1 {
			bit := bits.TrailingZeros64(rest)
			positions := a.Writes[w<<6+bit]
			if foot[half+w]>>bit&1 != 0 {
				positions = a.Touches[w<<6+bit]
			}
			if len(positions) > 0 {
				a.cursors = append(a.cursors, cursor{positions, w<<6 + bit})
			}
		}
	}
}

// Against are the positions of the events that conflict at a location with a step that touches it.
func (a *Accesses) Against(foot step.Footprint, location int) []int32 {
	if foot.Writes(location) {
		return a.Touches[location]
	}
	return a.Writes[location]
}

// latest is the last position that a cursor stands at.
func (a *Accesses) latest() int {
	i := int32(-1)
	for k := range a.cursors {
		list := a.cursors[k].list
		i = max(i, list[len(list)-1])
	}
	return int(i)
}

// lower moves the cursors at a position down, and drops those that are through or have come to a location that the
// footprint writes; nil writes nothing.
func (a *Accesses) lower(i int32, foot step.Footprint) {
	for k := 0; k < len(a.cursors); {
		c := &a.cursors[k]
		if last := len(c.list) - 1; c.list[last] == i {
			if c.list = c.list[:last]; last == 0 || foot != nil && c.location >= 0 && foot.Writes(c.location) {
				a.cursors[k] = a.cursors[len(a.cursors)-1]
				a.cursors = a.cursors[:len(a.cursors)-1]
				continue
			}
		}
		k++
	}
}

// FirstEvents are the first events of processes above a stack position.
type FirstEvents struct {
	own    [][]int32 // per process, the positions of its events
	counts []int32   // per process, how many of them are below
	at     int32
}

// FirstEventsAfter are those above stack position i. The accesses follow the stack.
func (x *Execution) FirstEventsAfter(i int) FirstEvents {
	return FirstEvents{x.Accesses.Own, x.Levels[i].Counts, int32(i)}
}

// Of is the position of the first event of a process there; -1 if it has none, or the event at i is its own.
func (f *FirstEvents) Of(proc int) int {
	if own, k := f.own[proc], int(f.counts[proc]); k < len(own) && own[k] != f.at {
		return int(own[k])
	}
	return -1
}

// FirstEventAfter is that of a single process.
func (x *Execution) FirstEventAfter(i, proc int) int {
	if own, k := x.Accesses.Own[proc], int(x.Levels[i].Counts[proc]); k < len(own) && int(own[k]) != i {
		return int(own[k])
	}
	return -1
}
