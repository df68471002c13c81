package replay

import (
	"context"

	"cdpor/explore"
	"cdpor/explore/schedules"
)

// Shorten finds a schedule that shows a violation and is easier to read than the one with which it was found: with few
// switches, and, if it is wrong after a single step, without the steps that this one does not depend on if it is wrong
// without them as well. The schedule of a violation that an execution shows as a whole stays as it is: to exchange
// steps changes the states between them.
func (p *Player) Shorten(ctx context.Context, v *explore.Violation) []int32 {
	if v.Schedule == nil || AboutWhole(v.Kind) {
		return v.Schedule
	}
	if AtOnce(v.Kind) {
		cause := schedules.Cause(ctx, p.m, v.Schedule)
		if shown := p.Shows(cause); len(cause) < len(v.Schedule) && shown != "" && shown == p.Shows(v.Schedule) {
			return schedules.Simplify(ctx, p.m, cause)
		}
	}
	return schedules.Simplify(ctx, p.m, v.Schedule)
}

// AtOnce reports whether violations of a kind count when they happen, whether or not the execution comes to its end.
func AtOnce(kind explore.ViolationKind) bool {
	switch kind {
	case explore.FailedStep, explore.AlwaysBroken, explore.StepBroken, explore.InvariantFalse:
		return true
	}
	return false
}

// AboutWhole reports whether violations of a kind are shown by an execution as a whole, which may go round for ever.
func AboutWhole(kind explore.ViolationKind) bool {
	switch kind {
	case explore.NoWayToEnd, explore.Endless, explore.NeverHolds, explore.NeverFollows,
		explore.NeverStays:
		return true
	}
	return false
}
