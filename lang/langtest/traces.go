package langtest

import (
	"errors"
	"fmt"
	"slices"

	"cdpor/lang/step"
)

// Traces counts the Mazurkiewicz traces of a program: the classes of its complete interleavings under the swapping of
// adjacent steps that conflict in no location. Conflicts are by footprint, and a step whose whole footprint is one
// location counts as a read when it left that unchanged. Dropped executions are left out.
//
// A trace is identified by its events, and an event by its action and the events it directly depends
// on: the one before it in its process, the last write of every location it touches, and the reads since then of every
// location it writes. Equal trace prefixes are visited once, so the cost is their number and not that of interleavings.
// limit bounds it.
func Traces(m *step.Machine, limit int) (int, error) {
	c := &counter{m: m, r: m.NewRunner(), events: map[string]int32{}}
	first := &prefix{state: m.Initial(), last: make([]int32, m.NumProcs()), access: make([]history, m.NumLocations())}
	seen := map[string]bool{fmt.Sprint(first.last): true}
	count := 0
	for todo := []*prefix{first}; len(todo) > 0; {
		t := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		stuck := true
		for a := range m.NumActions() {
			if !c.r.CanTake(t.state, a) {
				continue
			}
			stuck = false
			next := c.extend(t, a)
			if key := fmt.Sprint(next.last); !seen[key] {
				if len(seen) == limit {
					return 0, errTraces
				}
				seen[key] = true
				todo = append(todo, next)
			}
		}
		if stuck && m.EndingOf(t.state) != step.Cut {
			count++
		}
	}
	return count, nil
}

var errTraces = errors.New("the program has more prefixes of traces than the given limit")

type counter struct {
	m      *step.Machine
	r      *step.Runner
	events map[string]int32 // description of an event -> its number, from 1
}

// A prefix of a trace. The last events of the processes determine everything.
type prefix struct {
	state  step.State
	last   []int32 // per process its last event, 0 before the first
	access []history
}

// A history is the last write of a location and the reads since, as events.
type history struct {
	write int32
	reads []int32
}

// extend is the prefix with one more event.
func (c *counter) extend(t *prefix, a int) *prefix {
	p := c.m.ProcOf(a)
	foot := c.r.Footprint(t.state, p, make(step.Footprint, c.m.FootprintWords())).Clone()
	next := &prefix{state: slices.Clone(t.state), last: slices.Clone(t.last), access: slices.Clone(t.access)}
	c.r.Take(next.state, a)
	readOnly := c.m.Unwritten(t.state, next.state, p)
	after := []int32{t.last[p]}
	for loc, h := range t.access {
		if foot.Touches(loc) {
			after = append(after, h.write)
			if foot.Writes(loc) && !readOnly {
				after = append(after, h.reads...)
			}
		}
	}
	slices.Sort(after)
	key := fmt.Sprint(a, slices.Compact(after))
	e, ok := c.events[key]
	if !ok {
		e = int32(len(c.events) + 1)
		c.events[key] = e
	}
	next.last[p] = e
	for loc, h := range t.access {
		switch {
		case !foot.Touches(loc):
		case foot.Writes(loc) && !readOnly:
			next.access[loc] = history{write: e}
		default:
			next.access[loc] = history{h.write, append(slices.Clone(h.reads), e)}
		}
	}
	return next
}
