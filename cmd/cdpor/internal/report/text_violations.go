package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"cdpor/cmd/cdpor/internal/execution"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/deadlock"
	"cdpor/explore/liveness"
	"cdpor/explore/replay"
	"cdpor/explore/schedules"
	"cdpor/lang"
	"cdpor/lang/step"
)

// printDeadlocks writes the deadlocks, unless they are violations: then they are told of there.
func (r *text) printDeadlocks() {
	list := r.Result.Deadlocks
	if list.Len() == 0 {
		return
	}
	var states []step.State
	for _, d := range list.All() {
		states = append(states, d.Words)
	}
	classes := deadlock.Classes(r.Machine, states)
	distinct := 1 + slices.Max(classes)
	text := fmt.Sprintf("%d distinct", distinct)
	if distinct < list.Len() {
		text += fmt.Sprintf(" (%d with the %s told apart)", list.Len(), threadsOf(r.Machine.Program))
	}
	text += " in " + terminal.Plural(int(r.Result.Deadlocked), "execution")
	if slices.ContainsFunc(r.Result.Violations,
		func(v *explore.Violation) bool { return v.Kind == explore.DeadlockFound }) {
		if r.Options.Verbose {
			r.line("deadlocks", "%s, which %s", text,
				map[bool]string{true: "is a violation", false: "are violations"}[distinct == 1])
		}
		return
	}
	r.line("deadlocks", "%s, allowed", text)
	r.printAllowed(classes)
}

// printAllowed writes a line for each class of deadlocks.
func (r *text) printAllowed(classes []int) {
	same, executions, replay := map[int]int{}, map[int]int64{}, ""
	for i, class := range classes {
		same[class]++
		executions[class] += r.Result.Deadlocks.At(i).Count
	}
	shown := 0
	for i, class := range classes {
		if class < shown {
			continue
		}
		if shown == maxOutcomes {
			r.line("", "... and %s more (--json has all)", terminal.Plural(len(same)-shown, "deadlock"))
			break
		}
		shown++
		d := r.Result.Deadlocks.At(i)
		schedule := r.Simplify(d.Schedule)
		permuted := ""
		if n := same[class]; n > 1 {
			permuted = fmt.Sprintf(" in %d states with the %s permuted", n, threadsOf(r.Machine.Program))
		}
		how := ""
		if len(same) > 1 {
			how = "; schedule " + terminal.Shorten(schedules.Format(r.Machine, schedule), 40)
		}
		r.line("", "%d  %dx%s: %s; %s%s", shown, executions[class], permuted, waiting(r.Machine, d.Words),
			stateText(r.Machine, d.Words), how)
		if replay == "" {
			replay = r.ReplayLine(schedule)
		}
	}
	r.line("", "replay: %s", replay)
}

// printViolations writes what is wrong. What one execution that goes round for ever shows is told together, and behind
// a deadlock those that wait at the same places in other states, a line or two each.
func (r *text) printViolations() error {
	groups := r.Groups()
	blocks, told := 0, make([]bool, len(groups))
	for i := range groups {
		if told[i] {
			continue
		}
		if blocks == maxViolations && !r.Options.AllViolations {
			rest := 0
			for _, t := range told {
				if !t {
					rest++
				}
			}
			r.line("", "... and %s more", terminal.Plural(rest, "violation"))
			break
		}
		blocks++
		var together, elsewhere []Group
		for k, g := range groups[i:] {
			switch {
			case told[i+k]:
				continue
			case k == 0 || sameLasso(groups[i].Shown, g.Shown):
				together = append(together, g)
			case g.like == i:
				elsewhere = append(elsewhere, g)
			default:
				continue
			}
			told[i+k] = true
		}
		fmt.Fprintln(r.w)
		if err := r.printTogether(together); err != nil {
			return err
		}
		r.printElsewhere(elsewhere)
	}
	return nil
}

// printElsewhere writes the states of deadlocks that wait at the same places as the one above.
func (r *text) printElsewhere(groups []Group) {
	most := maxViolations
	if r.Machine.Program.Native() && !r.Options.Verbose {
		most = 0 // states have little to say of a Go program
	}
	for i, g := range groups {
		if i == most {
			r.line("", "... and the same in %s (--all-violations)", terminal.Plural(len(groups)-i, "other state"))
			break
		}
		fmt.Fprintln(r.w)
		r.printWrong(&g)
		fmt.Fprintf(r.w, "  replay: %s\n", r.replayOf(g.Shown))
	}
}

// sameLasso reports whether two violations are shown by one execution that goes round for ever.
func sameLasso(a, b *explore.Violation) bool {
	return replay.AboutWhole(a.Kind) && replay.AboutWhole(b.Kind) && len(a.Cycle) > 0 &&
		slices.Equal(a.Schedule, b.Schedule) && slices.Equal(a.Cycle, b.Cycle)
}

// printTogether writes what is wrong, for groups that one execution shows, the schedule with values, and how to see it
// again.
func (r *text) printTogether(groups []Group) error {
	v := groups[0].Shown
	for _, g := range groups {
		r.printWrong(&g)
	}
	if v.Schedule == nil {
		return nil
	}
	if h := historyOf(r.Player, v); h != nil {
		execution.PrintHistory(r.w, r.columns(), h)
	}
	return r.printSchedule(r.LassoOf(v), v.Schedule, r.replayOf(v))
}

// printWrong writes what is wrong.
func (r *text) printWrong(g *Group) {
	v := g.Shown
	if v.Kind == explore.DeadlockFound {
		text := replay.DeadlockName(r.Machine, v.Words)
		if r.Options.Verbose && v.Count > 0 {
			text += fmt.Sprintf(", %dx", v.Count)
		}
		if g.Again() { // else its state stands behind the schedule
			text += ", waiting at the same places as above, in the state " + stateText(r.Machine, v.Words) +
				g.whoWaits()
		}
		fmt.Fprintf(r.w, "%s    %s\n", r.Colour.Bad("violation"), text)
		if !g.Again() {
			execution.PrintWhy(r.w, r.Machine.Program, r.Colour, r.columns(), r.Source,
				r.Player.Why(v.Words, r.schedule(v)))
		}
	} else {
		fmt.Fprintf(r.w, "%s    %s\n", r.Colour.Bad("violation"), r.ViolationText(v))
		if replay.AboutWhole(v.Kind) && v.Property == nil {
			execution.PrintLines(r.w, r.Machine.Program, r.Colour, r.columns(), r.Source, r.round(v))
		}
		r.printExcerpt(v)
	}
	if text := g.same(); text != "" {
		fmt.Fprintf(r.w, "  %s\n", text)
	}
	if r.known[v] {
		fmt.Fprintln(r.w, "  known to the file of --baseline")
	}
	if slices.Contains(r.onlySimulated, v) {
		fmt.Fprintln(r.w, "  found by simulation before the search, which did not come to it")
	}
}

// round is where processes go round for ever: the first step of each in the cycle.
func (r *text) round(v *explore.Violation) (list []step.Pos) {
	l, seen := r.LassoOf(v), map[int]bool{}
	actions := l.Actions()
	_, err := r.Player.FollowLast(actions, len(l.Cycle), func(_ step.State, done replay.Step) {
		if !seen[done.Proc] {
			seen[done.Proc] = true
			list = append(list, step.Pos{File: done.File, Line: done.Line, Col: done.Column})
		}
	})
	if err != nil {
		return nil // the schedule says so
	}
	return list
}

// printExcerpt writes the line of the program that a violation is about, marked.
func (r *text) printExcerpt(v *explore.Violation) {
	at := place(r.Machine, v)
	if at == (step.Pos{}) || r.Source == nil {
		return
	}
	about := &lang.Error{File: lang.NewFile(r.Machine.Program.At(at), r.Source(at.File)), Pos: at}
	if p := v.Property; p != nil && strings.HasPrefix(string(about.File.Runes(at.Line, at.Col)), p.Text) {
		about.End = step.Pos{Line: at.Line, Col: at.Col + utf8.RuneCountInString(p.Text)}
	}
	for _, line := range r.Colour.Excerpt(about, r.columns()) {
		fmt.Fprintln(r.w, line)
	}
}

// printOutcome writes how an outcome comes about.
func (r *text) printOutcome(o explore.Outcome) error {
	fmt.Fprintf(r.w, "\noutcome %-4d %s\n", r.Options.Show, replay.Join(replay.Observed(r.Machine.Program, o.Words)))
	schedule := r.Simplify(o.Schedule)
	return r.printSchedule(&liveness.Lasso{Stem: schedule}, o.Schedule, r.ReplayLine(schedule))
}

// printSchedule writes a schedule with values, and how to see it again. found is the schedule before it was simplified.
func (r *text) printSchedule(l *liveness.Lasso, found []int32, command string) error {
	var steps []replay.Step
	schedule := l.Actions()
	end, err := r.Player.FollowLast(schedule, maxSteps,
		func(_ step.State, done replay.Step) { steps = append(steps, done) })
	if err != nil {
		return err
	}
	if len(schedule) == 0 {
		fmt.Fprintf(r.w, "  at the start: %s\n  replay: %s\n", replay.Join(replay.Shared(r.Machine.Program, end)),
			command)
		return nil
	}
	prog, before := r.Machine.Program, len(schedule)-len(steps)
	rows, stem := execution.Rows(prog, steps, len(l.Stem)-before)
	cycle := 0
	if len(l.Cycle) > 0 {
		cycle = len(rows) - stem
	}
	switches := execution.Switches(rows)
	if before > 0 {
		switches = schedules.Switches(r.Machine, schedule)
	}
	fmt.Fprintf(r.w, "  %s, %s", terminal.Plural(before+len(rows), "step"), terminal.Plural(switches, "switch"))
	if r.Options.Verbose && !slices.Equal(l.Stem, found) {
		fmt.Fprintf(r.w, "; found with %s and %s: %s", terminal.Plural(len(found), "step"),
			terminal.Plural(schedules.Switches(r.Machine, found), "switch"),
			terminal.Shorten(schedules.Format(r.Machine, found), 60))
	}
	fmt.Fprintln(r.w)
	if before > 0 {
		fmt.Fprintf(r.w, "  ... %s before these (cdpor run on a file of --save shows all)\n",
			terminal.Plural(before, "step"))
	}
	execution.PrintTrace(r.w, r.Colour, r.columns(), prog, before, rows, before+stem, cycle)
	if values := replay.Shared(prog, end); len(values) > 0 {
		fmt.Fprintf(r.w, "  then %s\n", replay.Join(values))
	}
	fmt.Fprintf(r.w, "  replay: %s\n", command)
	return nil
}
