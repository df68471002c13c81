package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/explore"
	"cdpor/explore/liveness"
	"cdpor/explore/schedules"
	"cdpor/lang/step"
)

// endless is what replayed.Ending says of a lasso with a cycle.
const endless = "endless"

// replayLasso is replay for an execution that goes round for ever, if there is a cycle. Then it is judged by what is
// said about whole executions.
func (t *tracer) replayLasso(ctx context.Context, l *liveness.Lasso, opt explore.LivenessOptions) (*replayed, error) {
	r, err := t.replay(l.Actions())
	if err != nil {
		return r, err
	}
	found, err := explore.JudgeLasso(ctx, t.m, l, opt)
	if err != nil {
		return r, fault.Inputf("schedule: %v", err)
	}
	if len(l.Cycle) > 0 {
		r.Ending, r.Cycle = endless, len(l.Stem)+1
	}
	for _, v := range found {
		r.Wrong = append(r.Wrong, t.lassoText(v.Kind, v.Property, l))
	}
	switch {
	case len(r.Wrong) > 0:
		r.Verdict = explore.Violated
	case r.Ending == endless:
		r.Verdict = explore.Incomplete
	}
	return r, nil
}

// lassoText says what is wrong with an execution as a whole.
func (t *tracer) lassoText(kind explore.ViolationKind, p *step.Property, l *liveness.Lasso) string {
	how := "in an execution that ends"
	if len(l.Cycle) > 0 {
		var names []string
		for proc, process := range t.m.Program.Procs {
			if slices.ContainsFunc(l.Cycle, func(a int32) bool { return t.m.ProcOf(int(a)) == proc }) {
				names = append(names, process.Name)
			}
		}
		round := "goes round"
		if len(names) > 1 {
			round = "go round"
		}
		how = strings.Join(names, ", ") + " " + round + " for ever"
	}
	text := ""
	switch kind {
	case explore.NoWayToEnd:
		return "no way to end: " + how + ", and whatever happens then, the program does not end"
	case explore.Endless:
		return "endless: " + how + " although the scheduler is fair"
	case explore.NeverHolds:
		text = fmt.Sprintf("eventually %s: it never holds", p.Text)
	case explore.NeverFollows:
		text = p.Text + ": the latter never follows"
	}
	if text += " "; len(l.Cycle) > 0 {
		text += "while "
	}
	if text += how; len(l.Cycle) > 0 {
		text += ", under " + fairnessText(explore.FairnessOf(&t.m.Program.Checks))
	}
	if p.Msg != "" {
		text += ": " + p.Msg
	}
	return text
}

func fairnessText(f liveness.Fairness) string {
	return map[liveness.Fairness]string{liveness.Unfair: "a scheduler that need not be fair", liveness.Weak: "weak fairness",
		liveness.Strong: "strong fairness of locks and channels"}[f]
}

// aboutWhole reports whether violations of a kind are shown by an execution as a whole. Steps of it cannot be
// exchanged: that changes states between them.
func aboutWhole(kind explore.ViolationKind) bool {
	switch kind {
	case explore.NoWayToEnd, explore.Endless, explore.NeverHolds, explore.NeverFollows:
		return true
	}
	return false
}

// lassoOf is the schedule of a violation as it is shown.
func (r *report) lassoOf(v *explore.Violation) *liveness.Lasso {
	return &liveness.Lasso{Stem: r.schedule(v), Cycle: v.Cycle}
}

// livenessFlags bound what is done to find out whether executions end.
type livenessFlags struct {
	GraphStates int `default:"500000" placeholder:"N" help:"How many states the full graph may have on which termination, eventually and leads_to are judged; with more they are not decided. Default: 500000."`
}

// liveness are the bounds for package explore, for one execution.
func (f *livenessFlags) liveness() explore.LivenessOptions {
	return explore.LivenessOptions{MaxStates: f.GraphStates}
}

// judge finds out whether executions end, and what must happen in all of them, and adds that to the results.
func (r *report) judge(ctx context.Context) error {
	n := r.command.GraphStates
	if n < 0 {
		return fault.Inputf("--graph-states cannot be negative")
	}
	if ctx.Err() != nil || r.result.Stopped == explore.StoppedContext {
		return nil
	}
	l := explore.JudgeLiveness(ctx, r.m, explore.LivenessOptions{MaxStates: n, GiveUp: givingUp(ctx)})
	for _, res := range []*explore.Result{r.result, r.rival} {
		if res != nil {
			res.Judge(l)
		}
	}
	return nil
}

// printLiveness writes what was found out about executions as a whole.
func (r *report) printLiveness(line func(string, string, ...any)) {
	l := r.result.Liveness
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
	c := &r.m.Program.Checks
	if !c.Live() {
		return
	}
	what := plural(len(c.Eventually)+len(c.LeadsTo), "condition") + " about whole executions"
	if l.Open != "" {
		line("liveness", "%s not decided: %s", what, openText(l))
		return
	}
	line("liveness", "%s under %s, on the full graph of %s", what, fairnessText(l.Fairness), plural(l.States, "state"))
}

func openText(l *explore.Liveness) string {
	if l.Open == explore.StoppedGraph {
		return fmt.Sprintf("more than %s (--graph-states)", plural(l.Limit, "state"))
	}
	return l.Open
}

func (r *report) livenessTexts(l *explore.Liveness) []string {
	t := l.Termination
	if l.Open != "" && t == nil {
		if r.m.Program.Checks.Termination == step.TerminationAllowed {
			return nil
		}
		return []string{"not decided: " + openText(l)}
	}
	if t == nil {
		return nil
	}
	on := "on the full graph of " + plural(l.States, "state")
	var needs []string
	for _, p := range t.Needs {
		needs = append(needs, r.m.Program.Procs[p].Name)
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
			return []string{fmt.Sprintf("every execution ends: a search that compares no states came to its end after %s", plural(int(l.Executions), "execution"))}
		}
		return []string{"every execution ends, " + on}
	case liveness.EndIfWeak:
		return []string{"every execution ends if the scheduler is fair to " + fairTo + ", " + on, "without that: " + command}
	case liveness.EndIfStrong:
		return []string{"every execution ends if the scheduler is fair to " + fairTo + ", also where they wait for locks and channels, " + on, "without that: " + command}
	case liveness.CannotEnd:
		return []string{fmt.Sprintf("no end can be reached from %d of %s, %s", t.Lost, plural(l.States, "state"), on)}
	}
	if r.m.Program.Checks.Termination == step.TerminationFair {
		return []string{"executions need not end although the scheduler is fair, " + on}
	}
	return []string{"an end can always be reached, but executions need not come to it although the scheduler is fair, " + on,
		"termination: fair makes that a violation: " + command}
}

// replayLasso is the command line that runs a lasso.
func (r *report) replayLasso(l *liveness.Lasso) string {
	return fmt.Sprintf("cdpor run %s --schedule %s", r.command.arguments(), quoteSchedule(schedules.FormatLasso(r.m, l)))
}

// quoteSchedule quotes a schedule for a shell if it has parentheses.
func quoteSchedule(text string) string {
	if strings.Contains(text, "(") {
		return quoteArgument(text)
	}
	return text
}
