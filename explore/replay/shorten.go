package replay

import (
	"context"
	"slices"

	"cdpor/explore"
	"cdpor/explore/schedules"
)

// Shorten finds a schedule that shows a violation and is easier to read than the one with which it was found: with few
// switches, and, if it is wrong after a single step, without the steps that it is wrong without. The schedule of a
// violation that an execution shows as a whole stays as it is: to exchange steps changes the states between them.
func (p *Player) Shorten(ctx context.Context, v *explore.Violation) []int32 {
	if v.Schedule == nil || AboutWhole(v.Kind) {
		return v.Schedule
	}
	if AtOnce(v.Kind) {
		least, shown := v.Schedule, p.Shows(v.Schedule)
		if cause := schedules.Cause(ctx, p.m, least); shown != "" && p.Shows(cause) == shown {
			least = cause
		}
		return schedules.Simplify(ctx, p.m, p.needed(ctx, least, shown))
	}
	return schedules.Simplify(ctx, p.m, v.Schedule)
}

// maxNeeded is the longest schedule from which single steps are left out: that takes time that grows with the square of
// its length.
const maxNeeded = 500

// needed leaves out of a schedule what it shows the same without: all of a process, or steps one by one, until no
// single one can go. Where a timer fires only if nothing else can go on, all
// stay: it would fire early without them.
func (p *Player) needed(ctx context.Context, schedule []int32, shown string) []int32 {
	if len(schedule) > maxNeeded || p.m.HasIdle() || p.m.Program.Patient != nil || shown == "" {
		return schedule
	}
	keep := func(without []int32) bool {
		same := ctx.Err() == nil && p.Shows(without) == shown
		if same {
			schedule = without
		}
		return same
	}
	for q := range p.m.NumProcs() {
		without := slices.DeleteFunc(slices.Clone(schedule), func(a int32) bool { return p.m.ProcOf(int(a)) == q })
		if len(without) < len(schedule) {
			keep(without)
		}
	}
	for fewer := true; fewer; {
		fewer = false
		for i := len(schedule) - 1; i >= 0; i-- {
			if keep(slices.Delete(slices.Clone(schedule), i, i+1)) {
				fewer = true
			}
		}
	}
	return schedule
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
