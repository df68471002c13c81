package happens

import (
	"cdpor/explore/internal/memory"
	"cdpor/explore/internal/meter"
	"cdpor/lang/step"
)

// An Execution is a sequence of events from the initial state, with the state before each of them, the happens-before
// relation of POPL'14 among them, and scratch memory for questions about them. It grows and shrinks at its end, as the
// stack of a depth-first search does.
type Execution struct {
	relation
	Machine Machine
	Runner  Runner
	Guards  Guards // nil: a state is made of what each location holds
	Procs   int
	Meter   *meter.Meter

	Levels   []*Level
	Depth    int // events; Levels[Depth] has the state that they lead to
	Accesses Accesses
	Nothing  []int32                     // the clock that covers nothing
	Removed  func(at int, n *Transition) // told of conflicts that a constraint keeps from being races; nil: nobody is
	Without  FastPaths
	serial   uint64 // of the event that came last

	probe, virtual step.State // scratch, as the following
	masked         []int32
	need           *step.Count // of which the present transition needs all, see counts.go
	touching       []int32
	races          []Race
	vias           []int32
}

// New is the execution of a machine, whose steps a runner takes, under constraints, nil: none, that has no levels yet.
func New(m *step.Machine, run *step.Runner, conditions Conditions, meter *meter.Meter) Execution {
	x := Over(m, run, meter)
	x.relation = relation{m: m, run: run, Conditions: conditions, Pairs: map[[2]*step.Step]*PairStats{}}
	return x
}

// Over is the execution of whatever answers as a machine, without constraints.
func Over(m Machine, run Runner, meter *meter.Meter) Execution {
	x := Execution{Machine: m, Runner: run, Procs: m.NumProcs(), Meter: meter}
	x.probe, x.virtual = memory.Scratch[int64](m.Words()), memory.Scratch[int64](m.Words())
	x.masked, x.Nothing = memory.Scratch[int32](x.Procs), memory.Scratch[int32](x.Procs)
	x.Accesses.Few = Few
	return x
}

// Take takes an action, which must be possible: it fills the event of the last level, which is not one of the
// execution yet, and the state of the next one.
func (x *Execution) Take(action int) {
	lv, next := x.Levels[x.Depth], x.Levels[x.Depth+1]
	e := &lv.Event
	x.Describe(&e.Transition, lv.State, action, e.FootBuf)
	x.Stamp(e)
	x.Meter.State(len(next.State))
	copy(next.State, lv.State)
	x.Runner.Take(next.State, action)
	x.Refine(&e.Transition, lv.State, next.State, e.FootBuf)
	copy(next.Counts, lv.Counts)
	next.Counts[e.Proc]++
	e.Index = next.Counts[e.Proc]
}

// Work counts units of work.
func (x *Execution) Work(units int) { x.Meter.Work(units) }

// FastPaths are the ways to answer a question without the work that its definition asks for, each of which can be left
// out. Without any of them the reference path is left: happens-before compares a step with every event of the stack,
// and what would be the case elsewhere is found by running events.
type FastPaths struct {
	Plain   bool // races of a step without a guard are conflicts (plainRaces)
	Lookup  bool // the events that a step may conflict with are looked up by location (accesses)
	Predict bool // whether a step would be enabled is told from what was written (counterfactual.go)
	Clocks  bool // the reversal of a race is ordered by the clocks of its events (../reversal)
	Counts  bool // of counts that a step waits for is told which events it needs (counts.go)
	Ledger  bool // optimal looks at a race once if that is enough (../../dpor/ledger.go)
}

// choosesLookup reports whether the events that a transition conflicts with are looked up by location. What it joins it
// need not conflict with.
func (x *Execution) choosesLookup(n *Transition) bool {
	return !x.Without.Lookup && n.JoinIndex == 0 && x.Accesses.helps(x, n.Foot)
}

// LocallyPredictable reports whether it can be told without running events whether a transition would be enabled if
// only some of them had run (counterfactual.go).
func (x *Execution) LocallyPredictable(n *Transition) bool {
	return x.Guards != nil || x.Conditions == nil && !x.Without.Predict && x.Accesses.Narrow(n.Foot)
}

// ChoosesClocks reports whether the sequence that reverses a race of an event n has the order of the clocks on the
// stack. Without the other event before it, n may write what it only read on the stack: then its footprint must be
// found by running the sequence; and so must the alternative that it takes there, if which are possible depends on
// others.
func (x *Execution) ChoosesClocks(n *Event) bool {
	return x.Conditions == nil && !x.Without.Clocks && !n.Refinable && !n.Selects
}
