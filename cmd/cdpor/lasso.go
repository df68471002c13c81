package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/limits"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/liveness"
	"cdpor/lang/step"
)

// A lasso is a schedule that may go round for ever behind its stem: 0,1,(0,0,1). Without a cycle it is a schedule like
// others.
type lasso struct{ stem, cycle []int32 }

func (l lasso) actions() []int32 { return slices.Concat(l.stem, l.cycle) }

// formatLasso writes a lasso, as formatSchedule does its parts.
func formatLasso(m *step.Machine, l lasso) string {
	text := formatSchedule(m, l.stem)
	if len(l.cycle) == 0 {
		return text
	}
	if text != "" {
		text += ","
	}
	return text + "(" + formatSchedule(m, l.cycle) + ")"
}

// parseLasso reads what formatLasso writes.
func parseLasso(m *step.Machine, text string) (l lasso, err error) {
	stem, cycle, round := strings.Cut(strings.TrimSpace(text), "(")
	if !round {
		l.stem, err = parseSchedule(m, text)
		return l, err
	}
	cycle, closed := strings.CutSuffix(cycle, ")")
	if stem = strings.TrimSpace(stem); stem != "" && !strings.HasSuffix(stem, ",") || !closed {
		return l, fault.Inputf("schedule: what goes round for ever stands in parentheses at the end: 0,1,(0,0,1)")
	}
	if stem = strings.TrimSuffix(stem, ","); stem != "" {
		if l.stem, err = parseSchedule(m, stem); err != nil {
			return l, err
		}
	}
	l.cycle, err = parseSchedule(m, cycle)
	return l, err
}

// endless is what replayed.Ending says of a lasso with a cycle.
const endless = "endless"

// replayLasso is replay for an execution that goes round for ever, if there is a cycle. Then it is judged by what is
// said about whole executions.
func (t *tracer) replayLasso(ctx context.Context, l lasso) (*replayed, error) {
	r, err := t.replay(l.actions())
	if err != nil {
		return r, err
	}
	states, err := t.states(l.actions())
	if err != nil {
		return r, err
	}
	after := len(l.stem)
	if len(l.cycle) > 0 {
		if !slices.Equal(states[after], states[len(states)-1]) {
			return r, fault.Inputf("schedule: its last %s do not lead back to the state after step %d, so they cannot go round for ever", terminal.Plural(len(l.cycle), "step"), after)
		}
		r.Ending, r.Cycle = endless, after+1
	}
	if fair := t.fairness(l, states); r.Ending != "failed" && r.Ending != "dropped" && !t.m.Void(states[after]) {
		r.Wrong = append(r.Wrong, t.wrongForEver(ctx, l, states, fair)...)
	}
	switch {
	case len(r.Wrong) > 0:
		r.Verdict = explore.Violated
	case r.Ending == endless:
		r.Verdict = explore.Incomplete
	}
	return r, nil
}

// states are those that a schedule goes through, the initial one first.
func (t *tracer) states(schedule []int32) ([]step.State, error) {
	s := t.m.Initial()
	list := []step.State{slices.Clone(s)}
	_, err := t.run(schedule, func(_ int, s step.State, _ tracedStep) { list = append(list, slices.Clone(s)) })
	return list, err
}

// fairness is the strongest one under which a scheduler can go round the cycle for ever; of an execution that ends,
// every one.
func (t *tracer) fairness(l lasso, states []step.State) liveness.Fairness {
	fair := liveness.Strong
	for p := range t.m.NumProcs() {
		if len(l.cycle) == 0 || slices.ContainsFunc(l.cycle, func(a int32) bool { return t.m.ProcOf(int(a)) == p }) {
			continue
		}
		always, waits := true, false
		for _, s := range states[len(l.stem) : len(states)-1] {
			enabled := t.r.Enabled(s, p)
			always = always && enabled
			waits = waits || enabled && explore.WaitsForLock(t.m.StepOf(s, p))
		}
		switch {
		case always:
			return liveness.Unfair
		case waits:
			fair = liveness.Weak
		}
	}
	return fair
}

// wrongForEver says what is wrong with an execution as a whole, if it has come to its end or goes round for ever.
func (t *tracer) wrongForEver(ctx context.Context, l lasso, states []step.State, fair liveness.Fairness) (wrong []string) {
	c := &t.m.Program.Checks
	last := states[len(states)-1]
	if len(l.cycle) == 0 && t.anyEnabled(last) {
		return nil
	}
	if len(l.cycle) > 0 && c.Termination != step.TerminationAllowed {
		switch can, known := explore.CanEnd(ctx, t.m, last, explore.GraphStates); {
		case known && !can:
			wrong = append(wrong, t.lassoText(explore.NoWayToEnd, nil, l))
		case known && c.Termination == step.TerminationFair && fair >= explore.FairnessOf(c):
			wrong = append(wrong, t.lassoText(explore.Endless, nil, l))
		}
	}
	if fair < explore.FairnessOf(c) {
		return wrong
	}
	holds := func(e *step.Expr) func(step.State) bool {
		f := t.m.CompileCondition(e, -1, -1)
		return func(s step.State) bool {
			is, ok := f(t.r, s)
			return is && ok
		}
	}
	for _, p := range c.Eventually {
		if !slices.ContainsFunc(states, holds(p.Expr)) {
			wrong = append(wrong, t.lassoText(explore.NeverHolds, p, l))
		}
	}
	for _, p := range c.LeadsTo {
		from, to, waits := holds(p.From), holds(p.To), false
		for _, s := range slices.Concat(states, states[len(l.stem):]) { // once more round, to be waiting there
			waits = (waits || from(s)) && !to(s)
		}
		if waits {
			wrong = append(wrong, t.lassoText(explore.NeverFollows, p.Property, l))
		}
	}
	return wrong
}

// lassoText says what is wrong with an execution as a whole.
func (t *tracer) lassoText(kind explore.ViolationKind, p *step.Property, l lasso) string {
	how := "in an execution that ends"
	if len(l.cycle) > 0 {
		var names []string
		for proc, process := range t.m.Program.Procs {
			if slices.ContainsFunc(l.cycle, func(a int32) bool { return t.m.ProcOf(int(a)) == proc }) {
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
	if text += " "; len(l.cycle) > 0 {
		text += "while "
	}
	if text += how; len(l.cycle) > 0 {
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
func (r *report) lassoOf(v *explore.Violation) lasso { return lasso{r.schedule(v), v.Cycle} }

// livenessFlags bound what is done to find out whether executions end.
type livenessFlags struct {
	GraphStates int `default:"500000" placeholder:"N" help:"How many states the full graph may have on which termination, eventually and leads_to are judged; with more they are not decided. Default: 500000."`
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
	l := explore.JudgeLiveness(ctx, r.m, explore.LivenessOptions{MaxStates: n, GiveUp: limits.GivingUp(ctx)})
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
	what := terminal.Plural(len(c.Eventually)+len(c.LeadsTo), "condition") + " about whole executions"
	if l.Open != "" {
		line("liveness", "%s not decided: %s", what, openText(l))
		return
	}
	line("liveness", "%s under %s, on the full graph of %s", what, fairnessText(l.Fairness), terminal.Plural(l.States, "state"))
}

func openText(l *explore.Liveness) string {
	if l.Open == explore.StoppedGraph {
		return fmt.Sprintf("more than %s (--graph-states)", terminal.Plural(l.Limit, "state"))
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
	on := "on the full graph of " + terminal.Plural(l.States, "state")
	var needs []string
	for _, p := range t.Needs {
		needs = append(needs, r.m.Program.Procs[p].Name)
	}
	fairTo := strings.Join(needs, ", ")
	round := lasso{}
	if t.Leavable != nil {
		round = lasso{t.Leavable.Stem, t.Leavable.Cycle}
	}
	without := "without that: " + r.replayLasso(round)
	switch t.Class {
	case liveness.AllEnd:
		switch {
		case l.Counting:
			return []string{"every execution ends: all loops count"}
		case l.States == 0:
			return []string{fmt.Sprintf("every execution ends: a search that compares no states came to its end after %s", terminal.Plural(int(l.Executions), "execution"))}
		}
		return []string{"every execution ends, " + on}
	case liveness.EndIfWeak:
		return []string{"every execution ends if the scheduler is fair to " + fairTo + ", " + on, without}
	case liveness.EndIfStrong:
		return []string{"every execution ends if the scheduler is fair to " + fairTo + ", also where they wait for locks and channels, " + on, without}
	case liveness.CannotEnd:
		return []string{fmt.Sprintf("no end can be reached from %d of %s, %s", t.Lost, terminal.Plural(l.States, "state"), on)}
	}
	if r.m.Program.Checks.Termination == step.TerminationFair {
		return []string{"executions need not end although the scheduler is fair, " + on}
	}
	return []string{"an end can always be reached, but executions need not come to it although the scheduler is fair, " + on,
		"termination: fair makes that a violation: " + r.replayLasso(round)}
}

// replayLasso is the command line that runs a lasso.
func (r *report) replayLasso(l lasso) string {
	return fmt.Sprintf("cdpor run %s --schedule %s", r.command.arguments(), quoteSchedule(formatLasso(r.m, l)))
}

// quoteSchedule quotes a schedule for a shell if it has parentheses.
func quoteSchedule(text string) string {
	if strings.Contains(text, "(") {
		return terminal.Quote(text)
	}
	return text
}
