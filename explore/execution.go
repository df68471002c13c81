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
	without  fastPaths
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

// fastPaths are the ways to answer a question without the work that its definition asks for, each of which can be left
// out. Without any of them the reference path is left: happens-before compares a step with every event of the stack,
// and what would be the case elsewhere is found by running events.
type fastPaths struct {
	plain   bool // races of a step without a guard are conflicts (plainRaces)
	lookup  bool // the events that a step may conflict with are looked up by location (accesses)
	predict bool // whether a step would be enabled is told from what was written (counterfactual.go)
	clocks  bool // the reversal of a race is ordered by the clocks of its events (reversal.go)
}

// choosesPlain reports whether plainRaces finds the races of a transition, if the events that it conflicts with can be
// looked up.
func (x *execution) choosesPlain(n *transition) bool {
	return !n.guarded && x.conditions == nil && !x.without.plain
}

// choosesLookup reports whether the events that a transition conflicts with are looked up by location.
func (x *execution) choosesLookup(n *transition) bool {
	return !x.without.lookup && x.accesses.helps(x, n.foot)
}

// locallyPredictable reports whether it can be told without running events whether a transition would be enabled if only
// some of them had run (counterfactual.go).
func (x *execution) locallyPredictable(n *transition) bool {
	return x.conditions == nil && !x.without.predict && x.accesses.narrow(n.foot)
}

// choosesClocks reports whether the sequence that reverses a race of an event n has the order of the clocks on the
// stack. Without the other event before it, n may write what it only read on the stack: then its footprint must be found
// by running the sequence.
func (x *execution) choosesClocks(n *event) bool {
	return x.conditions == nil && !x.without.clocks && !x.m.Refinable(n.id)
}
