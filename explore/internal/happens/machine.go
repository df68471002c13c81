package happens

import (
	"math/bits"
	"slices"

	"cdpor/lang/step"
)

// A Machine is the static part of a program: processes, actions, steps and what these touch.
// It is a step.Machine, or a program that is really run (../../native).
type Machine interface {
	NumProcs() int
	Words() int // of a state
	FootprintWords() int
	NumLocations() int
	LocationWords(location int) (first, words int)

	ProcOf(action int) int
	FirstAction(proc int) int
	// LifeLocation is the location that is written when a process is started, -1 if it is there from the beginning.
	LifeLocation(proc int) int
	HasSelects() bool

	// StepID is the id of the next step of a process in a state, -1 if it has none.
	StepID(s step.State, proc int) int
	Info(id int) *step.Info
	// Unwritten reports whether a step that may count as a read (Info.Refinable) has left its only location unchanged.
	Unwritten(before, after step.State, proc int) bool
}

// A Runner takes steps: it changes a copy of a state, or runs the program again.
type Runner interface {
	Enabled(s step.State, proc int) bool
	// EnabledAs is Enabled if the process stood where it does in another state.
	EnabledAs(s step.State, proc int, from step.State) bool
	CanTake(s step.State, action int) bool
	// Instead is an action itself if it can be taken, or another alternative of its step that can; -1 if none can.
	Instead(s step.State, action int) int
	Take(s step.State, action int)
	Footprint(s step.State, proc int, buf step.Footprint) step.Footprint
}

// Guards tell whether a step with a guard is enabled from the events that touch what it waits for. Where a state is not
// made of what each location holds, they are asked in place of counterfactual.go.
type Guards interface {
	// EnabledAfter reports whether a transition that is guarded would be enabled if of the events that touch what it
	// touches those at some stack positions, ascending, had run; first says that these are the first ones of them.
	EnabledAfter(n *Transition, positions []int32, first bool) bool
	// NeedsAll reports whether a transition that is guarded is disabled as long as any of the events at some stack
	// positions, which have all run before it, has not.
	NeedsAll(n *Transition, positions []int32) bool
	// Joined is what the next step of a process comes behind in a state: Transition.Join and JoinIndex.
	Joined(s step.State, proc int) (with, index int32)
	// Widest is all that a transition may touch wherever it is enabled, nil if it may take another alternative there.
	// It is valid until the next call.
	Widest(n *Transition) step.Footprint
	// Follows tells of actions that are about to be taken one after the other from a state.
	Follows(s step.State, actions []int32)
}

// Touching appends the stack positions, from one on, of the events that touch what a transition touches to a list,
// ascending.
func (x *Execution) Touching(n *Transition, from int, list []int32) []int32 {
	start, half := len(list), len(n.Foot)/2
	for w, rest := range n.Foot[:half] {
		for ; rest != 0; rest &= rest - 1 {
			positions := x.Accesses.Touches[w<<6+bits.TrailingZeros64(rest)]
			k, _ := slices.BinarySearch(positions, int32(from))
			list = append(list, positions[k:]...)
		}
	}
	slices.Sort(list[start:])
	return slices.Compact(list)
}
