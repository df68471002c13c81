package explore

// What happens before an event.

// A past is the set of events that happen before an event, together with it when that is on the stack. Most events know
// of no more than their own process and one event of another, so a past also says whose it goes back to: what knows of
// that event learns of this one without a look at all processes.
type past struct {
	clock []int32 // vector clock: per process, how many of its events belong to it
	last  int32   // stack position of the last of them but for the event itself, -1 if there is none
	base  int32   // stack position of the event whose past this is, but for events of its own process; or one of the following
}

const (
	ownOnly = -1 // there are events of its own process only
	mixed   = -2 // there is no such event
)

// begin empties the past.
func (p *past) begin() {
	clear(p.clock)
	p.last, p.base = -1, ownOnly
}

// covers reports whether the events a clock stands for include event e.
func covers(clock []int32, e *event) bool { return clock[e.proc] >= e.index }

// join adds the events of clock b to clock a.
func join(a, b []int32) {
	a = a[:len(b)]
	for p, n := range b {
		a[p] = max(a[p], n)
	}
}

// include adds an event of the stack, and what happens before it, to the events of a clock.
func (x *execution) include(clock []int32, e *event) {
	if x.knows(clock, e.base) {
		clock[e.proc] = max(clock[e.proc], e.index)
		return
	}
	join(clock, e.clock)
}

// knows reports whether a clock covers the event that a past goes back to.
func (x *execution) knows(clock []int32, base int32) bool {
	return base == ownOnly || base >= 0 && covers(clock, &x.Levels[base].event)
}

// learn adds the event at stack position i, and what happens before it, to the past of a transition of a process.
func (x *execution) learn(p *past, proc, i int) {
	e := &x.Levels[i].event
	x.include(p.clock, e)
	p.last = max(p.last, int32(i))
	switch {
	case e.proc == proc:
		if p.base == ownOnly {
			p.base = e.base
		} else if p.base >= 0 && !x.knows(x.Levels[p.base].event.clock, e.base) {
			p.base = mixed
		}
	case x.knows(e.clock, p.base):
		p.base = int32(i)
	default:
		p.base = mixed
	}
}
