package explore

import (
	"cdpor/explore/internal/memory"
	"cdpor/explore/internal/meter"
	"cdpor/lang/step"
)

// An execution is a sequence of events from the initial state, with the state before each of them, the happens-before
// relation of POPL'14 among them, and scratch memory for questions about them. It grows and shrinks at its end, as the
// stack of a depth-first search does.
type execution struct {
	relation
	Machine *step.Machine
	Runner  *step.Runner
	Procs   int
	meter   *meter.Meter

	Levels   []*Level
	Depth    int    // events; levels[depth] has the state that they lead to
	serial   uint64 // of the event that came last
	accesses accesses
	without  fastPaths
	removed  func(at int, n *transition) // told of conflicts that a constraint keeps from being races

	// scratch memory
	probe, virtual step.State
	masked         []int32
	none           []int32 // the clock that covers nothing
	races          []race
	vias           []int32
}

// newExecution is the empty execution of a machine under constraints; nil: none.
func newExecution(m *step.Machine, conditions Conditions, meter *meter.Meter) execution {
	x := execution{Machine: m, Runner: m.NewRunner(), Procs: m.NumProcs(), meter: meter}
	x.conditions, x.Pairs = conditions, map[[2]*step.Step]*PairStats{}
	x.probe, x.virtual = memory.Scratch[int64](m.Words()), memory.Scratch[int64](m.Words())
	x.masked, x.none = memory.Scratch[int32](x.Procs), memory.Scratch[int32](x.Procs)
	x.accesses.few = few
	return x
}

// Work counts units of work (giveup.go).
func (x *execution) Work(units int) { x.meter.Work(units) }

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
	return x.conditions == nil && !x.without.clocks && !x.Machine.Refinable(n.ID)
}
