package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"cdpor/cmd/cdpor/internal/execution"
	"cdpor/cmd/cdpor/internal/invariants"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/pictures"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/liveness"
	"cdpor/explore/replay"
	"cdpor/explore/schedules"
	"cdpor/explore/simulate"
	"cdpor/lang/step"
)

// A report is everything a run has to say.
type report struct {
	m         *step.Machine
	t         *replay.Player
	out       io.Writer
	colour    terminal.Colour
	options   reportOptions
	algorithm *explore.Algorithm
	knowledge *source.Source
	result    *explore.Result
	rival     *explore.Result    // of the second algorithm, nil if there was none
	tree      *pictures.Tree     // of the exploration, as far as a file is to show it; else nil
	time      time.Duration      // of the exploration
	recorded  *explore.Violation // the one that --save has written
	idle      []*step.Var        // that no property depends on
	// checkpoint is the file from which an unfinished search can be gone on with, empty if there is none.
	checkpoint string
	lost       string            // what is to be said if it does not have all that was explored
	invariants *invariants.Check // in all states; nil if the search has come to them, or did not end
	coverage   *coverage         // nil if it is not wanted
	patience   context.Context   // when it has ended, schedules are shown as they were found
	grouped    []violationGroup
	simplified map[*explore.Violation][]int32 // see schedule
	simulated  []string                       // schedules that showed something wrong before the search
	simulation *simulate.Result               // if that is what the result is of, else nil
	// onlySimulated are violations of the result that the search did not come to.
	onlySimulated []*explore.Violation
}

// How much the text shows; --json has everything.
const (
	maxConditions = 12
	maxOutcomes   = 16
	maxViolations = 5
	maxSteps      = 1000 // the last ones
)

// write writes the report.
func (r *report) write(asJSON bool) error {
	if asJSON {
		return r.printJSON(r.out)
	}
	return terminal.Folded(r.out, r.print)
}

// columns are how wide the report is; 0: as wide as it takes.
func (r *report) columns() int { return terminal.Columns(r.out) }

// lineTo writes lines of a report: a key and a text.
func lineTo(w io.Writer) func(key, format string, args ...any) {
	return func(key, format string, args ...any) { fmt.Fprintf(w, "%-12s %s\n", key, fmt.Sprintf(format, args...)) }
}

// printProgram says which program it is about.
func (r *report) printProgram(line func(key, format string, args ...any)) {
	prog := r.m.Program
	line("program", "%s (%s), %s", prog.Name, prog.Path, terminal.Plural(r.m.NumProcs(), "process"))
	if list := output.Parameters(prog); len(list) > 0 {
		line("parameters", "%s", strings.Join(list, " "))
	}
}

// print writes the report for people.
func (r *report) print(w io.Writer) error {
	prog, res := r.m.Program, r.result
	line := lineTo(w)
	r.printProgram(line)
	r.printConstraints(w, line)
	if p := priceOf(r.m); p != nil {
		line("always", "%s", p)
	}
	for _, v := range r.idle {
		line("advice", "%s never influences a property or what is observed", v.Name)
	}
	fmt.Fprintln(w)
	for i, decision := range res.Decisions {
		key := "search"
		if i > 0 {
			key = ""
		}
		line(key, "%s", decision)
	}
	if r.simulation != nil {
		r.printSimulation(line)
	} else {
		r.printNumbers(w, line)
	}
	if text := res.Advice(); text != "" {
		line("advice", "%s", text)
	}
	if r.options.Symmetry {
		line("symmetry", "%s", symmetryText(res.Symmetry))
	}
	r.printLiveness(line)
	r.invariants.Print(len(prog.Invariants), line)
	fmt.Fprintln(w)
	if r.options.ProfileConstraints {
		r.printProfile(w)
		fmt.Fprintln(w)
	}
	if r.coverage != nil {
		r.coverage.print(w, prog, res)
	}
	r.printOutcomes(w, line)
	if text := historiesText(prog, res); text != "" {
		line("histories", "%s", text)
	}
	r.printDeadlocks(w, line)
	if r.options.Show > 0 {
		if err := r.printOutcome(w, r.result.Outcomes.At(r.options.Show-1)); err != nil {
			return err
		}
	}
	if err := r.printViolations(w, line); err != nil {
		return err
	}
	fmt.Fprintln(w)
	r.printUnchecked(w)
	line("verdict", "%s", r.colour.Verdict(res.Verdict, r.verdict()))
	if r.options.GitHub {
		r.annotate(w)
	}
	return nil
}

// symmetryText says which threads were taken for each other, and why others were not.
func symmetryText(found []explore.Interchangeable) string {
	var alike, unlike []string
	for _, i := range found {
		if i.Why == "" {
			alike = append(alike, fmt.Sprintf("%d instances of %s", i.Template.Count, i.Template.Name))
		} else {
			unlike = append(unlike, i.Template.Name+": "+i.Why)
		}
	}
	text := "no threads are interchangeable"
	if len(alike) > 0 {
		text = strings.Join(alike, ", ") + " are interchangeable"
	} else if len(found) == 0 {
		text += ": none has several instances"
	}
	if len(unlike) > 0 {
		text += "; not " + strings.Join(unlike, "; not ")
	}
	return text
}

func (r *report) printConstraints(w io.Writer, line func(string, string, ...any)) {
	line("constraints", "%s", r.knowledge.Origin)
	set := r.knowledge.Set
	if set == nil {
		return
	}
	line("", "%s", output.CensusOf(set))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	list := source.Conditions(set)
	for i, c := range list {
		if i == maxConditions {
			fmt.Fprintf(table, "%-12s ... and %d more\t\n", "", len(list)-i)
			break
		}
		fmt.Fprintf(table, "%-12s %s\t%s\n", "", c[0], c[1])
	}
	for _, d := range set.Definitions {
		fmt.Fprintf(table, "%-12s %s\tstands for %s\n", "", d, d.Format(set.Definitions))
	}
	table.Flush()
}

// printNumbers writes what the searches did, side by side if there were two.
func (r *report) printNumbers(w io.Writer, line func(string, string, ...any)) {
	columns := []*explore.Result{r.result}
	if r.rival != nil {
		columns = append(columns, r.rival)
	}
	row := func(key string, cell func(*explore.Result) any) {
		fmt.Fprintf(w, "%-16s", key)
		for _, c := range columns {
			fmt.Fprintf(w, "%14v", cell(c))
		}
		fmt.Fprintln(w)
	}
	row("algorithm", func(c *explore.Result) any { return c.Algorithm })
	for _, c := range searchCounts {
		if c.shown(r) {
			row(c.name, func(res *explore.Result) any { return c.of(res) })
		}
	}
	if r.rival != nil {
		row("stopped", func(c *explore.Result) any { return c.Stopped })
	}
	if r.rival != nil {
		line("saved", "%s", r.saved())
	}
}

// saved compares the two searches.
func (r *report) saved() string {
	if r.result.Stopped != explore.StoppedComplete {
		return "cannot be said: " + r.result.Algorithm + " is not complete"
	}
	atLeast := ""
	if r.rival.Stopped != explore.StoppedComplete {
		atLeast = "at least "
	}
	share := func(mine, other int64) string {
		if other == 0 {
			return "none"
		}
		return fmt.Sprintf("%s%.0f%%", atLeast, 100*(1-float64(mine)/float64(other)))
	}
	return fmt.Sprintf("%s of the executions and %s of the events of %s", share(r.result.Executions, r.rival.Executions),
		share(r.result.Events, r.rival.Events), r.rival.Algorithm)
}

func (r *report) printOutcomes(w io.Writer, line func(string, string, ...any)) {
	line("outcomes", "%d distinct in %d ended executions", r.result.Outcomes.Len(), r.result.Ended)
	list := r.result.Outcomes
	if list.Len() == 0 {
		return
	}
	var drawn bytes.Buffer
	table := tabwriter.NewWriter(&drawn, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "%12s #\tcount", "")
	for _, o := range r.m.Program.Observe {
		fmt.Fprintf(table, "\t%s", o.Name)
	}
	fmt.Fprintln(table, "\tschedule")
	shown := min(list.Len(), max(maxOutcomes, r.options.Show))
	for i := range shown {
		o := list.At(i)
		fmt.Fprintf(table, "%12s %d\t%d", "", i+1, o.Count)
		for _, v := range replay.Observed(r.m.Program, o.Words) {
			fmt.Fprintf(table, "\t%s", v.Text)
		}
		fmt.Fprintf(table, "\t%s\n", terminal.Shorten(schedules.Format(r.m, o.Schedule), 40))
	}
	table.Flush()
	if columns := r.columns(); columns > 0 && tooWide(drawn.String(), columns) {
		for i := range shown {
			o := list.At(i)
			fmt.Fprintf(w, "%13s%d  %dx %s, schedule %s\n", "", i+1, o.Count, replay.Join(replay.Observed(r.m.Program, o.Words)),
				terminal.Shorten(schedules.Format(r.m, o.Schedule), 40))
		}
	} else {
		drawn.WriteTo(w)
	}
	if rest := list.Len() - shown; rest > 0 {
		line("", "... and %d more (--json has all)", rest)
	}
}

// tooWide reports whether some line has more columns than there are.
func tooWide(text string, columns int) bool {
	for line := range strings.Lines(text) {
		if terminal.Displayed(strings.TrimRight(line, " \n")) > columns {
			return true
		}
	}
	return false
}

// printDeadlocks writes the deadlocks, unless they are violations: then they are told of there.
func (r *report) printDeadlocks(w io.Writer, line func(string, string, ...any)) {
	list := r.result.Deadlocks
	if slices.ContainsFunc(r.result.Violations, func(v *explore.Violation) bool { return v.Kind == explore.DeadlockFound }) {
		line("deadlocks", "%d distinct in %s, which %s", list.Len(), terminal.Plural(int(r.result.Deadlocked), "execution"),
			map[bool]string{true: "is a violation", false: "are violations"}[list.Len() == 1])
		return
	}
	for i, d := range list.All() {
		if i == maxOutcomes {
			line("", "... and %s more", terminal.Plural(list.Len()-i, "deadlock"))
			break
		}
		line("deadlock", "%dx in the state %s", d.Count, replay.Join(replay.Shared(r.m.Program, d.Words)))
		schedule := r.simplify(d.Schedule)
		execution.PrintWhy(w, r.columns(), 13, r.t.Why(d.Words, schedule))
		line("", "replay: %s", r.replayLine(schedule))
	}
}

// printOutcome writes how an outcome comes about.
func (r *report) printOutcome(w io.Writer, o explore.Outcome) error {
	fmt.Fprintf(w, "\noutcome %-4d %s\n", r.options.Show, replay.Join(replay.Observed(r.m.Program, o.Words)))
	schedule := r.simplify(o.Schedule)
	return r.printSchedule(w, &liveness.Lasso{Stem: schedule}, o.Schedule, r.replayLine(schedule))
}

// printViolations writes what is wrong. What one execution that goes round for ever shows is told together.
func (r *report) printViolations(w io.Writer, line func(string, string, ...any)) error {
	shown := 0
	for blocks, rest := 0, r.groups(); len(rest) > 0; blocks++ {
		if blocks == maxViolations && !r.options.AllViolations {
			line("", "... and %s more", terminal.Plural(len(r.groups())-shown, "violation"))
			break
		}
		var together, others []violationGroup
		for i, g := range rest {
			if i == 0 || sameLasso(rest[0].shown, g.shown) {
				together = append(together, g)
			} else {
				others = append(others, g)
			}
		}
		fmt.Fprintln(w)
		if err := r.printTogether(w, together); err != nil {
			return err
		}
		shown, rest = shown+len(together), others
	}
	return nil
}

// sameLasso reports whether two violations are shown by one execution that goes round for ever.
func sameLasso(a, b *explore.Violation) bool {
	return replay.AboutWhole(a.Kind) && replay.AboutWhole(b.Kind) && len(a.Cycle) > 0 && slices.Equal(a.Schedule, b.Schedule) && slices.Equal(a.Cycle, b.Cycle)
}

// printViolation writes what is wrong, the schedule with values, and how to see it again.
func (r *report) printViolation(w io.Writer, g *violationGroup) error {
	return r.printTogether(w, []violationGroup{*g})
}

// printTogether is printViolation for several that one execution shows.
func (r *report) printTogether(w io.Writer, groups []violationGroup) error {
	v := groups[0].shown
	for _, g := range groups {
		r.printWrong(w, &g)
	}
	if v.Schedule == nil {
		return nil
	}
	if h := r.historyOf(v); h != nil {
		execution.PrintHistory(w, r.columns(), h)
	}
	return r.printSchedule(w, r.lassoOf(v), v.Schedule, r.replayOf(v))
}

// printWrong writes what is wrong.
func (r *report) printWrong(w io.Writer, g *violationGroup) {
	v := g.shown
	if v.Kind == explore.DeadlockFound {
		often := ""
		if v.Count > 0 {
			often = fmt.Sprintf(", %dx", v.Count)
		}
		fmt.Fprintf(w, "%s    %s%s in the state %s\n", r.colour.Bad("violation"), explore.DeadlockFound, often, replay.Join(replay.Shared(r.m.Program, v.Words)))
		execution.PrintWhy(w, r.columns(), 13, r.t.Why(v.Words, r.schedule(v)))
	} else {
		fmt.Fprintf(w, "%s    %s\n", r.colour.Bad("violation"), r.violationText(v))
	}
	if text := r.groupText(g); text != "" {
		fmt.Fprintf(w, "  %s\n", text)
	}
	if slices.Contains(r.onlySimulated, v) {
		fmt.Fprintln(w, "  found by simulation before the search, which did not come to it")
	}
}

// printSchedule writes a schedule with values, and how to see it again. found is the schedule before it was simplified.
func (r *report) printSchedule(w io.Writer, l *liveness.Lasso, found []int32, command string) error {
	var steps []replay.Step
	schedule := l.Actions()
	end, err := r.t.FollowLast(schedule, maxSteps, func(_ step.State, done replay.Step) { steps = append(steps, done) })
	if err != nil {
		return err
	}
	if len(schedule) == 0 {
		fmt.Fprintf(w, "  at the start: %s\n", replay.Join(replay.Shared(r.m.Program, end)))
		return nil
	}
	fmt.Fprintf(w, "  %s, %s", terminal.Plural(len(schedule), "step"), terminal.Plural(schedules.Switches(r.m, schedule), "switch"))
	if !slices.Equal(l.Stem, found) {
		fmt.Fprintf(w, "; found with %s and %s: %s", terminal.Plural(len(found), "step"), terminal.Plural(schedules.Switches(r.m, found), "switch"),
			terminal.Shorten(schedules.Format(r.m, found), 60))
	}
	fmt.Fprintln(w)
	before := len(schedule) - len(steps)
	if before > 0 {
		fmt.Fprintf(w, "  ... %s before these (cdpor replay shows all)\n", terminal.Plural(before, "step"))
	}
	execution.PrintTrace(w, r.colour, r.columns(), r.m.Program, before, steps, len(l.Stem), len(l.Cycle))
	fmt.Fprintf(w, "  then %s\n", replay.Join(replay.Shared(r.m.Program, end)))
	fmt.Fprintf(w, "  replay: %s\n", command)
	return nil
}

// simplify rewrites a schedule for people, unless they want it as it was found.
func (r *report) simplify(schedule []int32) []int32 {
	if r.options.NoMinimize {
		return schedule
	}
	return schedules.Simplify(r.patience, r.m, schedule)
}

// schedule is that of a violation as it is shown. What is wrong after a single step is shown without the steps that it does not
// depend on, if it is wrong without them as well.
func (r *report) schedule(v *explore.Violation) []int32 {
	if r.options.NoMinimize || v.Schedule == nil {
		return v.Schedule
	}
	if r.simplified == nil {
		r.simplified = map[*explore.Violation][]int32{}
	}
	schedule, known := r.simplified[v]
	if !known {
		schedule = r.t.Shorten(r.patience, v)
		r.simplified[v] = schedule
	}
	return schedule
}

// replayOf is the command line that shows a violation again.
func (r *report) replayOf(v *explore.Violation) string {
	if v == r.recorded {
		return "cdpor replay " + terminal.Quote(r.options.Saved)
	}
	return r.replayLasso(r.lassoOf(v))
}

// replayLine is the command line that runs one schedule.
func (r *report) replayLine(schedule []int32) string {
	return r.replayLasso(&liveness.Lasso{Stem: schedule})
}

// annotate repeats what is wrong for GitHub Actions, at its place in the program if it has one.
func (r *report) annotate(w io.Writer) {
	for _, g := range r.groups() {
		v, at := g.shown, step.Pos{}
		switch {
		case v.Property != nil:
			at = v.Property.Pos
		case v.Node != nil:
			at = v.Node.Pos
		case v.Kind == explore.NotLinear:
			at = r.m.Program.Spec.Pos
		}
		text := r.violationText(v)
		if _, rest, ok := strings.Cut(text, fmt.Sprintf("%s:%s: ", r.m.Program.Path, at)); ok {
			text = rest
		}
		if same := r.groupText(&g); same != "" {
			text += "\n" + same
		}
		if v.Schedule != nil {
			text += "\n" + r.replayOf(v)
		}
		terminal.Annotate(w, "error", r.m.Program.Path, at, step.Pos{}, string(v.Kind), text)
	}
	r.annotateUnchecked(w)
}

// violationText says in one line what is violated.
func (r *report) violationText(v *explore.Violation) string { return r.t.Text(v) }

// verdict is the last line.
func (r *report) verdict() string {
	res := r.result
	reservation := ""
	if r.knowledge.Trust == source.OnFaith {
		reservation = ", if the constraints are right: they were not proved"
	}
	switch {
	case res.Verdict == explore.OK:
		if text := historiesText(r.m.Program, res); text != "" {
			reservation = "; " + text + reservation
		}
		if slices.ContainsFunc(res.Unchecked, func(u explore.Unchecked) bool { return u.Vacuous }) {
			return "ok: every outcome was explored and nothing is wrong, as far as it was checked" + reservation
		}
		return "ok: every outcome was explored and nothing is wrong" + reservation
	case res.Verdict == explore.Violated && r.simulation != nil:
		return fmt.Sprintf("violation: %s, in %s; nothing was explored", r.howMany("violation"), terminal.Plural(r.simulation.Schedules, "schedule"))
	case res.Verdict == explore.Violated && len(r.onlySimulated) > 0:
		rest := "nothing else is wrong"
		if n := len(r.groups()) - len(r.onlySimulated); n > 0 {
			rest = fmt.Sprintf("%s more", terminal.Plural(n, "violation"))
		}
		return fmt.Sprintf("violation: %s by simulation; %s in the part that was explored (%s)",
			terminal.Plural(len(r.onlySimulated), "violation"), rest, r.bound())
	case res.Verdict == explore.Violated && res.Stopped != explore.StoppedComplete:
		return fmt.Sprintf("violation: %s in the part that was explored (%s)", r.howMany("violation"), r.bound())
	case res.Verdict == explore.Violated:
		return "violation: " + r.howMany("distinct violation") + reservation
	case res.Stopped == explore.StoppedSimulation:
		return "incomplete: nothing wrong in " + terminal.Plural(r.simulation.Schedules, "schedule") + ", and nothing was explored"
	}
	if res.Verdict == explore.Vacuous {
		text := vacuousText(r.m.Program, res)
		if res.Stopped != explore.StoppedComplete {
			text += " (bounded by " + r.bound() + ")"
		}
		return text
	}
	if l := res.Liveness; l != nil && l.Open != "" && res.Stopped == explore.StoppedComplete {
		return fmt.Sprintf("%s: every outcome was explored, but it was not decided whether executions end%s: %s", res.Verdict,
			map[bool]string{true: " and do what they must"}[r.m.Program.Checks.Live()], openText(l))
	}
	if res.Verdict == explore.Bounded {
		return fmt.Sprintf("bounded by %s: nothing wrong within the bound", r.bound())
	}
	return fmt.Sprintf("incomplete (%s): nothing wrong in the part that was explored", res.Stopped)
}

// bound says what ended the search.
func (r *report) bound() string { return r.options.name(r.result.Stopped, r.algorithm) }
