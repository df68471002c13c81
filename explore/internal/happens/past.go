package happens

// What happens before an event.

// A Past is the set of events that happen before an event, together with it when that is on the stack. Most events know
// of no more than their own process and one event of another, so a past also says whose it goes back to: what knows of
// that event learns of this one without a look at all processes.
type Past struct {
	Clock []int32 // vector clock: per process, how many of its events belong to it
	Last  int32   // stack position of the last of them but for the event itself, -1 if there is none
	base  int32   // stack position of the event whose past this is, but for events of its own process; or a value below
}

const (
	ownOnly = -1 // there are events of its own process only
	mixed   = -2 // there is no such event
)

// begin empties the past.
func (p *Past) begin() {
	clear(p.Clock)
	p.Last, p.base = -1, ownOnly
}

// Covers reports whether the events a clock stands for include event e.
func Covers(clock []int32, e *Event) bool { return clock[e.Proc] >= e.Index }

// Join adds the events of clock b to clock a.
func Join(a, b []int32) {
	a = a[:len(b)]
	for p, n := range b {
		a[p] = max(a[p], n)
	}
}

// Include adds an event of the stack, and what happens before it, to the events of a clock.
func (x *Execution) Include(clock []int32, e *Event) {
	if x.knows(clock, e.base) {
		clock[e.Proc] = max(clock[e.Proc], e.Index)
		return
	}
	Join(clock, e.Clock)
}

// knows reports whether a clock covers the event that a past goes back to.
func (x *Execution) knows(clock []int32, base int32) bool {
	return base == ownOnly || base >= 0 && Covers(clock, &x.Levels[base].Event)
}

// learn adds the event at stack position i, and what happens before it, to the past of a transition of a process.
func (x *Execution) learn(p *Past, proc, i int) {
	e := &x.Levels[i].Event
	x.Include(p.Clock, e)
	p.Last = max(p.Last, int32(i))
	switch {
	case e.Proc == proc:
		if p.base == ownOnly {
			p.base = e.base
		} else if p.base >= 0 && !x.knows(x.Levels[p.base].Event.Clock, e.base) {
			p.base = mixed
		}
	case x.knows(e.Clock, p.base):
		p.base = int32(i)
	default:
		p.base = mixed
	}
}
