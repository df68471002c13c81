package happens

import (
	"cdpor/explore/internal/memory"
	"cdpor/lang/step"
)

// A Level is one depth of an execution: the event there, and the state before it.
type Level struct {
	State  step.State // before the event
	Counts []int32    // per process: how many of its events lie below
	Event  Event      // valid while it belongs to the execution
	Races  []int32    // positions of the events that the event races with, if somebody wants to know
}

// A Transition is a step that a process takes or may take: an event to be.
type Transition struct {
	*step.Info
	Proc   int
	Action int            // of an event: the action taken
	ID     int            // step id, see step.Machine.StepID
	Foot   step.Footprint // footprint, without writes when it counts as a read
	// It comes behind the events up to JoinIndex of the process Join, and there is no race with them: they let its
	// process go on. JoinIndex is 0 where there is no such process, and Everything of a transition that comes behind
	// all before it and before all behind it.
	Join, JoinIndex int32
}

// Everything is the JoinIndex of what stands between all events before it and all behind it.
const Everything = -1

// An Event is an executed step on the stack.
type Event struct {
	Transition
	Past
	serial  uint64         // no two events that this search has had on its stack have the same
	Index   int32          // 1 for the first event of its process
	FootBuf step.Footprint // memory for foot
}

// Extend makes more levels, whose memory lies side by side: that of a long execution has millions of them. level
// returns the one of a number, which may be part of what somebody keeps per level.
func (x *Execution) Extend(count int, level func(i int) *Level) {
	words, foot := x.Machine.Words(), x.Machine.FootprintWords()
	states, feet := memory.Scratch[int64](count*words), memory.Scratch[uint64](count*foot)
	clocks := memory.Scratch[int32](2 * count * x.Procs)
	for i := range count {
		lv := level(i)
		lv.State, states = states[:words:words], states[words:]
		lv.Event.FootBuf, feet = feet[:foot:foot], feet[foot:]
		lv.Counts, clocks = clocks[:x.Procs:x.Procs], clocks[x.Procs:]
		lv.Event.Clock, clocks = clocks[:x.Procs:x.Procs], clocks[x.Procs:]
		x.Levels = append(x.Levels, lv)
	}
}

// Describe describes the next step of a process in a state, which it must have, as an action. buf is memory for the
// footprint.
func (x *Execution) Describe(mv *Transition, s step.State, action int, buf step.Footprint) {
	mv.Proc, mv.Action = x.Machine.ProcOf(action), action
	mv.ID = x.Machine.StepID(s, mv.Proc)
	mv.Info = x.Machine.Info(mv.ID)
	if mv.Foot = mv.Widest; !mv.Fixed {
		mv.Foot = x.Runner.Footprint(s, mv.Proc, buf)
	}
	if x.Guards != nil {
		mv.Join, mv.JoinIndex = x.Guards.Joined(s, mv.Proc)
	}
}

// Stamp makes an event another one than all before.
func (x *Execution) Stamp(e *Event) {
	x.serial++
	e.serial = x.serial
}

// Refine makes a transition count as a read when running it from before to after left its only location unchanged.
// Constraints speak about the unrefined relation, so with constraints nothing is refined.
func (x *Execution) Refine(mv *Transition, before, after step.State, buf step.Footprint) {
	if x.Conditions == nil && mv.Refinable && x.Machine.Unwritten(before, after, mv.Proc) {
		mv.Foot = mv.Foot.ReadOnly(buf)
	}
}

// Unrefined is the footprint of a transition with all that it may do: elsewhere it may write what it only reads here.
func (mv *Transition) Unrefined() step.Footprint {
	if mv.Refinable { // it touches one location, whatever the locals are
		return mv.Widest
	}
	return mv.Foot
}

// Conflicts reports whether two transitions touch the same, and one of them writes it.
func (n *Transition) Conflicts(other *Transition) bool { return step.Conflict(n.Foot, other.Foot) }

// Joins reports whether a transition comes behind another one of another process, which is event number
// index of that process, without being in a race with it.
func (n *Transition) Joins(e *Transition, index int32) bool {
	return n.JoinIndex == Everything || e.JoinIndex == Everything ||
		n.JoinIndex > 0 && n.JoinIndex >= index && int(n.Join) == e.Proc
}

// IsFirstAction reports whether the action of a transition is the first one of its process.
func (x *Execution) IsFirstAction(n *Transition) bool {
	return n.Action == x.Machine.FirstAction(n.Proc)
}

// RefinedMove describes a possible action, with refinement: where necessary the step is run on scratch memory.
func (x *Execution) RefinedMove(s step.State, a int, buf step.Footprint) (mv Transition) {
	x.Describe(&mv, s, a, buf)
	if x.Conditions == nil && mv.Refinable {
		copy(x.probe, s)
		x.Runner.Take(x.probe, a)
		x.Refine(&mv, s, x.probe, buf)
	}
	return
}
