package schedules

import (
	"context"
	"slices"
	"strings"
	"unsafe"

	"cdpor/explore/internal/happens"
	"cdpor/lang/step"
)

// Swapping neighbours that touch nothing in common leads from one schedule to all others of the same Mazurkiewicz
// trace; Simplify looks among those for the one that changes least often from process to process.

const (
	// maxSimplified is the longest schedule that is simplified: the effort grows with the square of its length.
	maxSimplified = 10_000
	// simplifyWork is the number of prefixes that are looked at in all, which bounds how many are kept per length.
	simplifyWork = 200_000
	maxBeam      = 256
)

// Switches counts how often a schedule goes on with another process than the one before.
func Switches(m *step.Machine, schedule []int32) (count int) {
	for i := 1; i < len(schedule); i++ {
		if m.ProcOf(int(schedule[i])) != m.ProcOf(int(schedule[i-1])) {
			count++
		}
	}
	return
}

// Simplify returns a schedule that leads to the same state with as few switches as can be found, none of more. The
// program must be able to follow the given one, which is returned as it is if the context ends meanwhile.
func Simplify(ctx context.Context, m *step.Machine, schedule []int32) []int32 {
	o := newPartialOrder(ctx, m, schedule)
	if o == nil {
		return schedule
	}
	better := o.fewestSwitches(ctx)
	if better != nil && Switches(m, better) < Switches(m, schedule) && slices.Equal(o.final, run(m, better)) {
		return better
	}
	return schedule
}

// Cause returns the events of a schedule that happen before its last one, and that: what the last step depends on.
// Where they lead may differ from where the whole schedule leads. The program must be able to follow the given
// schedule, which is returned as it is if the context ends meanwhile.
func Cause(ctx context.Context, m *step.Machine, schedule []int32) []int32 {
	o := newPartialOrder(ctx, m, schedule)
	if o == nil || len(schedule) == 0 {
		return schedule
	}
	last := o.before[len(schedule)-1]
	var cause []int32
	index := make([]int32, m.NumProcs())
	for i, a := range schedule {
		p := m.ProcOf(int(a))
		if index[p]++; index[p] <= last[p] || i == len(schedule)-1 {
			cause = append(cause, a)
		}
	}
	return cause
}

// run follows a schedule and returns the state it leads to, nil if the program does not follow.
func run(m *step.Machine, schedule []int32) step.State {
	r, s := m.NewRunner(), m.Initial()
	for _, a := range schedule {
		if !r.CanTake(s, int(a)) {
			return nil
		}
		r.Take(s, int(a))
	}
	return s
}

// A partialOrder is a schedule up to swaps of neighbours that touch nothing in common.
type partialOrder struct {
	m        *step.Machine
	schedule []int32
	before   [][]int32 // per event: how many events of each process must have happened
	of       [][]int32 // per process: its events
	final    step.State
}

// newPartialOrder runs a schedule and finds the order of its events; nil if it is too long or the context ends.
func newPartialOrder(ctx context.Context, m *step.Machine, schedule []int32) *partialOrder {
	if len(schedule) > maxSimplified {
		return nil
	}
	o := &partialOrder{m: m, schedule: schedule, of: make([][]int32, m.NumProcs())}
	r, s := m.NewRunner(), m.Initial()
	var feet []step.Footprint
	buf := make(step.Footprint, m.FootprintWords())
	for i, a := range schedule {
		if ctx.Err() != nil {
			return nil
		}
		p := m.ProcOf(int(a))
		foot := r.Footprint(s, p, buf).Clone()
		clock := make([]int32, m.NumProcs())
		clock[p] = int32(len(o.of[p]))
		if n := len(o.of[p]); n > 0 {
			happens.Join(clock, o.before[o.of[p][n-1]])
		}
		for q, events := range o.of {
			if q == p {
				continue
			}
			for k := len(events); k > int(clock[q]); k-- {
				if e := events[k-1]; step.Conflict(feet[e], foot) {
					happens.Join(clock, o.before[e])
					clock[q] = int32(k)
					break
				}
			}
		}
		feet, o.before = append(feet, foot), append(o.before, clock)
		o.of[p] = append(o.of[p], int32(i))
		r.Take(s, int(a))
	}
	o.final = s
	return o
}

// A prefix is a set of events with the process of the last one. Which prefix of one event less it came from is
// remembered to find the order again.
type prefix struct {
	counts   []int32 // events taken, per process
	last     int32
	switches int32
	event    int32
	parent   int32
}

// fewestSwitches grows prefixes by one event at a time and keeps, of those that differ, the ones with the fewest
// switches. As long as none has to be left out the result is best possible. It is nil if the context ends.
func (o *partialOrder) fewestSwitches(ctx context.Context) []int32 {
	n := len(o.schedule)
	beam := min(maxBeam, max(4, simplifyWork/(max(1, n)*(1+o.m.NumProcs()/16))))
	levels := make([][]prefix, n+1)
	levels[0] = []prefix{{counts: make([]int32, o.m.NumProcs()), last: -1}}
	for length := range n {
		if ctx.Err() != nil {
			return nil
		}
		seen := map[string]int{}
		var next []prefix
		for parent, f := range levels[length] {
			for p := range o.of {
				if !o.ready(&f, p) {
					continue
				}
				g := prefix{slices.Clone(f.counts), int32(p), f.switches, o.of[p][f.counts[p]], int32(parent)}
				g.counts[p]++
				if f.last >= 0 && f.last != int32(p) {
					g.switches++
				}
				key := g.key()
				if k, old := seen[key]; !old {
					seen[key] = len(next)
					next = append(next, g)
				} else if g.switches < next[k].switches {
					next[k] = g
				}
			}
			levels[length][parent].counts = nil
		}
		slices.SortStableFunc(next, func(a, b prefix) int { return int(a.switches - b.switches) })
		levels[length+1] = next[:min(len(next), beam)]
	}
	order := make([]int32, n)
	for length, k := n, int32(0); length > 0; length-- {
		f := &levels[length][k]
		order[length-1], k = o.schedule[f.event], f.parent
	}
	return order
}

// ready reports whether the next event of a process may follow a prefix.
func (o *partialOrder) ready(f *prefix, p int) bool {
	if int(f.counts[p]) == len(o.of[p]) {
		return false
	}
	for q, need := range o.before[o.of[p][f.counts[p]]] {
		if f.counts[q] < need {
			return false
		}
	}
	return true
}

func (f *prefix) key() string {
	var b strings.Builder
	b.Write(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(f.counts))), 4*len(f.counts)))
	b.WriteByte(byte(f.last))
	b.WriteByte(byte(f.last >> 8))
	return b.String()
}
