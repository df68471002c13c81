package explore

import "cdpor/lang/step"

// An execution is a sequence of events from the initial state, with the state before each of them, the happens-before
// relation of POPL'14 among them, and scratch memory for questions about them. It grows and shrinks at its end, as the
// stack of a depth-first search does.
type execution struct {
	relation
	m     *step.Machine
	run   *step.Runner
	procs int
	meter *meter

	levels   []*level
	depth    int    // events; levels[depth] has the state that they lead to
	serial   uint64 // of the event that came last
	accesses accesses
	removed  func(at int, n *transition) // told of conflicts that a constraint keeps from being races

	// scratch memory
	probe, virtual step.State
	masked         []int32
	none           []int32 // the clock that covers nothing
	foot           step.Footprint
	races          []race
	vias           []int32
	seq            []int32
	selection      []int32
	disabling      []int32
	writers        []int32
	order          sequenceOrder
}

// newExecution is the empty execution of a machine under constraints; nil: none.
func newExecution(m *step.Machine, conditions Conditions, meter *meter) execution {
	x := execution{m: m, run: m.NewRunner(), procs: m.NumProcs(), meter: meter}
	x.conditions, x.pairs = conditions, map[[2]*step.Step]*PairStats{}
	x.probe, x.virtual = scratch[int64](m.Words()), scratch[int64](m.Words())
	x.masked, x.none = scratch[int32](x.procs), scratch[int32](x.procs)
	x.foot, x.accesses.few = scratch[uint64](m.FootprintWords()), few
	copy(x.level(0).state, m.Initial())
	return x
}

// work counts units of work (giveup.go).
func (x *execution) work(units int) { x.meter.work(units) }
