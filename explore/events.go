package explore

import (
	"cdpor/explore/internal/memory"
	"cdpor/lang/step"
)

// A Level is what an execution keeps per depth: the event there, and what that begins with.
type Level struct {
	state  step.State // before the event
	counts []int32    // per process: how many of its events lie below
	event  event      // valid while it belongs to the execution
	races  []int32    // positions of the events that the event races with, if somebody wants to know
}

// A transition is a step that a process takes or may take: an event to be.
type transition struct {
	proc    int
	action  int            // of an event: the action taken
	ID      int            // step id, see step.Machine.StepID
	guarded bool           // the step may be disabled
	begins  bool           // it may be the first one of a process that another starts
	foot    step.Footprint // footprint, without writes when it counts as a read
}

// An event is an executed step on the stack.
type event struct {
	transition
	past
	serial  uint64         // no two events that this search has had on its stack have the same
	index   int32          // 1 for the first event of its process
	footBuf step.Footprint // memory for foot
}

// extend makes more levels, whose memory lies side by side: that of a long execution has millions of them. level returns
// the one of a number, which may be part of what somebody keeps per level.
func (x *execution) extend(count int, level func(i int) *Level) {
	words, foot := x.Machine.Words(), x.Machine.FootprintWords()
	states, feet, clocks := memory.Scratch[int64](count*words), memory.Scratch[uint64](count*foot), memory.Scratch[int32](2*count*x.Procs)
	for i := range count {
		lv := level(i)
		lv.state, states = states[:words:words], states[words:]
		lv.event.footBuf, feet = feet[:foot:foot], feet[foot:]
		lv.counts, clocks = clocks[:x.Procs:x.Procs], clocks[x.Procs:]
		lv.event.clock, clocks = clocks[:x.Procs:x.Procs], clocks[x.Procs:]
		x.Levels = append(x.Levels, lv)
	}
}

// describe describes the next step of a process in a state, which it must have, as an action. buf is memory for the
// footprint.
func (x *execution) describe(mv *transition, s step.State, action int, buf step.Footprint) {
	mv.proc, mv.action = x.Machine.ProcOf(action), action
	mv.ID = x.Machine.StepID(s, mv.proc)
	mv.guarded, mv.begins = x.Machine.Guarded(mv.ID), x.Machine.Begins(mv.ID)
	mv.foot = x.Runner.Footprint(s, mv.proc, buf)
}

// stamp makes an event another one than all before.
func (x *execution) stamp(e *event) {
	x.serial++
	e.serial = x.serial
}

// refine makes a transition count as a read when running it from before to after left its only location unchanged.
// Constraints speak about the unrefined relation, so with constraints nothing is refined.
func (x *execution) refine(mv *transition, before, after step.State, buf step.Footprint) {
	if x.conditions == nil && x.Machine.Refinable(mv.ID) && x.Machine.Unwritten(before, after, mv.proc) {
		mv.foot = mv.foot.ReadOnly(buf)
	}
}

// unrefined is the footprint of a transition with all that it may do: elsewhere it may write what it only reads here.
func (x *execution) unrefined(mv *transition) step.Footprint {
	if x.Machine.Refinable(mv.ID) { // it touches one location, whatever the locals are
		return x.Machine.FootprintAt(mv.ID)
	}
	return mv.foot
}

// refinedMove describes a possible action, with refinement: where necessary the step is run on scratch memory.
func (x *execution) refinedMove(s step.State, a int, buf step.Footprint) (mv transition) {
	x.describe(&mv, s, a, buf)
	if x.conditions == nil && x.Machine.Refinable(mv.ID) {
		copy(x.probe, s)
		x.Runner.Take(x.probe, a)
		x.refine(&mv, s, x.probe, buf)
	}
	return
}
