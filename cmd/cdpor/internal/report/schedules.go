package report

import (
	"fmt"
	"strings"

	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/liveness"
	"cdpor/explore/schedules"
)

// LassoOf is the schedule of a violation as it is shown.
func (r *Report) LassoOf(v *explore.Violation) *liveness.Lasso {
	return &liveness.Lasso{Stem: r.schedule(v), Cycle: v.Cycle}
}

// Simplify rewrites a schedule for people, unless they want it as it was found.
func (r *Report) Simplify(schedule []int32) []int32 {
	if r.Options.NoMinimize {
		return schedule
	}
	return schedules.Simplify(r.Patience, r.Machine, schedule)
}

// schedule is that of a violation as it is shown. What is wrong after a single step is shown without the steps that it
// does not depend on, if it is wrong without them as well.
func (r *Report) schedule(v *explore.Violation) []int32 {
	if r.Options.NoMinimize || v.Schedule == nil {
		return v.Schedule
	}
	if r.simplified == nil {
		r.simplified = map[*explore.Violation][]int32{}
	}
	schedule, known := r.simplified[v]
	if !known {
		schedule = r.Player.Shorten(r.Patience, v)
		r.simplified[v] = schedule
	}
	return schedule
}

// replayOf is the command line that shows a violation again.
func (r *Report) replayOf(v *explore.Violation) string {
	if v == r.Recorded {
		return "cdpor run " + terminal.Quote(r.Options.Saved)
	}
	return r.replayLasso(r.LassoOf(v))
}

// ReplayLine is the command line that runs one schedule.
func (r *Report) ReplayLine(schedule []int32) string {
	return r.replayLasso(&liveness.Lasso{Stem: schedule})
}

// replayLasso is the command line that runs a lasso.
func (r *Report) replayLasso(l *liveness.Lasso) string {
	return fmt.Sprintf("cdpor run %s --schedule %s", r.Options.Arguments,
		quoteSchedule(schedules.FormatLasso(r.Machine, l)))
}

// quoteSchedule quotes a schedule for a shell if it is empty, or has parentheses or factors.
func quoteSchedule(text string) string {
	if text == "" || strings.ContainsAny(text, "(*") {
		return terminal.Quote(text)
	}
	return text
}
