package report

import (
	"context"
	"fmt"
	"strings"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/limits"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/liveness"
	"cdpor/explore/schedules"
	"cdpor/lang/step"
)

// LassoOf is the schedule of a violation as it is shown.
func (r *Report) LassoOf(v *explore.Violation) *liveness.Lasso {
	return &liveness.Lasso{Stem: r.schedule(v), Cycle: v.Cycle}
}

// Judge finds out whether executions end, and what must happen in all of them, and adds that to the results; on a full
// graph of at most n states.
func (r *Report) Judge(ctx context.Context, n int) error {
	if n < 0 {
		return fault.Inputf("--graph-states cannot be negative")
	}
	if s := r.Result.Stopped; ctx.Err() != nil || s == explore.StoppedContext || s == explore.StoppedEnough {
		return nil
	}
	l := explore.JudgeLiveness(ctx, r.Machine, explore.LivenessOptions{MaxStates: n, GiveUp: limits.GivingUp(ctx),
		Searched: []*explore.Result{r.Result, r.Rival}})
	for _, res := range []*explore.Result{r.Result, r.Rival} {
		if res == nil {
			continue
		}
		res.Judge(l)
		if err := res.Settle(ctx, limits.GivingUp(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// printLiveness writes what was found out about executions as a whole.
func (r *Report) printLiveness(line func(string, string, ...any)) {
	l := r.Result.Liveness
	if l == nil || l.Counting && l.States == 0 && l.Open == "" {
		return // nothing that would not be expected
	}
	for i, text := range r.livenessTexts(l) {
		key := ""
		if i == 0 {
			key = "termination"
		}
		line(key, "%s", text)
	}
	c := &r.Machine.Program.Checks
	if !c.Live() {
		return
	}
	what := terminal.Plural(len(c.Eventually)+len(c.LeadsTo)+len(c.Stabilises), "condition") + " about whole executions"
	if l.Open != "" {
		line("liveness", "%s not decided: %s", what, openText(l))
		return
	}
	line("liveness", "%s under %s, on the full graph of %s", what, l.Fairness.Assumption(),
		terminal.Plural(l.States, "state"))
}

func openText(l *explore.Liveness) string {
	if l.Open == explore.StoppedGraph {
		return fmt.Sprintf("more than %s (--graph-states)", terminal.Plural(l.Limit, "state"))
	}
	return l.Open
}

func (r *Report) livenessTexts(l *explore.Liveness) []string {
	t := l.Termination
	if l.Open != "" && t == nil {
		if r.Machine.Program.Checks.Termination == step.TerminationAllowed {
			return nil
		}
		return []string{"not decided: " + openText(l)}
	}
	if t == nil {
		return nil
	}
	on := "on the full graph of " + terminal.Plural(l.States, "state")
	var needs []string
	for _, p := range t.Needs {
		needs = append(needs, r.Machine.Program.Procs[p].Called())
	}
	fairTo := strings.Join(needs, ", ")
	command := ""
	if t.Leavable != nil {
		command = r.replayLasso(t.Leavable)
	}
	switch t.Class {
	case liveness.AllEnd:
		switch {
		case l.Counting:
			return []string{"every execution ends: all loops count"}
		case l.States == 0:
			return []string{fmt.Sprintf("every execution ends: a search that compares no states "+
				"came to its end after %s", terminal.Plural(int(l.Executions), "execution"))}
		}
		return []string{"every execution ends, " + on}
	case liveness.EndIfWeak:
		return []string{"every execution ends if the scheduler is fair to " + fairTo + ", " + on,
			"without that: " + command}
	case liveness.EndIfStrong:
		return []string{"every execution ends if the scheduler is fair to " + fairTo +
			", also where they can go on now and then only, " + on, "without that: " + command}
	case liveness.CannotEnd:
		return []string{fmt.Sprintf("no end can be reached from %d of %s, %s", t.Lost,
			terminal.Plural(l.States, "state"), on)}
	}
	if r.Machine.Program.Checks.Termination == step.TerminationFair {
		return []string{"executions need not end although the scheduler is fair, " + on}
	}
	return []string{"an end can always be reached, but executions need not come to it although " +
		"the scheduler is fair, " + on,
		"termination: fair makes that a violation: " + command}
}

// replayLasso is the command line that runs a lasso.
func (r *Report) replayLasso(l *liveness.Lasso) string {
	return fmt.Sprintf("cdpor run %s --schedule %s", r.Options.Arguments,
		quoteSchedule(schedules.FormatLasso(r.Machine, l)))
}

// quoteSchedule quotes a schedule for a shell if it is empty or has parentheses.
func quoteSchedule(text string) string {
	if text == "" || strings.Contains(text, "(") {
		return terminal.Quote(text)
	}
	return text
}
