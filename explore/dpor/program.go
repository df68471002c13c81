package dpor

import (
	"cdpor/explore/internal/actionset"
	"cdpor/explore/internal/future"
	"cdpor/explore/internal/happens"
)

// A Program answers what the algorithms ask about the program that is explored. A question names a point of the
// execution on the stack by its depth, and never a state: whoever answers may look at stored states, or run the program
// again.
type Program interface {
	// ProcOf is the process of an action. Chooses reports whether some process has several actions, alternatives of a
	// step; GuardsChoices, whether some step waits until one of its alternatives is possible.
	ProcOf(action int) int
	Chooses() bool
	GuardsChoices() bool
	// EnabledOf is the first action of a process in a set, -1 if there is none; NextOf is the next one of the same
	// process.
	EnabledOf(set *actionset.Set, proc int) int
	NextOf(set *actionset.Set, action int) int

	// StepAt is the id of the next step of a process at a depth, -1 if it has none.
	StepAt(depth, proc int) int
	// Next describes the next step of a process at a depth, which it must have. Its footprint is valid until the next
	// question.
	Next(n *happens.Transition, depth, proc int)
	// Disabled is Next at the present depth for a process that waits there, where some actions are enabled; it reports
	// whether the process does.
	Disabled(n *happens.Transition, enabled *actionset.Set, proc int) bool
	// TakesAway lists the other processes whose next steps at a depth the event there does in their place, though they
	// may have other alternatives.
	TakesAway(depth int) []int
	// Future is what a process may still do from a depth on, nil if nothing.
	Future(depth, proc int) *future.Future

	// Indifferent reports whether an event and a transition of another process touch nothing in common, even where the
	// event would write what it only read on the stack.
	Indifferent(e *happens.Event, n *happens.Transition) bool
	// Commute says what the commute constraint of two transitions tells at a depth: happens.Execution.CommuteIn.
	Commute(a, b *happens.Transition, depth int) (known, commute bool)
	// StillAsleep sets kept to the members of a sleep set at the present depth that stay asleep behind the event there:
	// they are of other processes and independent of it.
	StillAsleep(asleep, kept *actionset.Set)

	// Suppose makes the event of the present level that of an action that is not taken, and the next level what it
	// would lead to.
	Suppose(action int) *happens.Event
	// LeadsTo reports whether actions can be taken one after the other from a depth and lead to where the same ones in
	// another order do: those on the stack up to the event of the present level, or some of them. The process of the
	// action at the position last takes no step after it; compared counts the comparisons.
	LeadsTo(depth int, actions []int32, last int, order []int32, compared *int64) bool
	// Swaps reports whether an action that is possible at the present depth and the event there lead to the same state
	// in both orders, and if so, whether both together touch the same in both.
	Swaps(action int) (swaps, alike bool)
}
