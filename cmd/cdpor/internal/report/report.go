package report

import (
	"bytes"
	"cmp"
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
	"cdpor/explore/deadlock"
	"cdpor/explore/liveness"
	"cdpor/explore/replay"
	"cdpor/explore/schedules"
	"cdpor/explore/simulate"
	"cdpor/lang/step"
)

// A Report is everything a run has to say.
type Report struct {
	Machine   *step.Machine
	Player    *replay.Player
	Source    func(file string) []byte // the text of a file of a Go program, nil if it is not the user's
	Out       io.Writer
	Colour    terminal.Colour
	Options   Options
	Algorithm *explore.Algorithm
	Knowledge *source.Source
	Result    *explore.Result
	Rival     *explore.Result    // of the second algorithm, nil if there was none
	Tree      *pictures.Tree     // of the exploration, as far as a file is to show it; else nil
	Time      time.Duration      // of the exploration
	Raised    string             // what came of raising the bounds of the program, if they were
	Recorded  *explore.Violation // the one that --save has written
	Idle      []*step.Var        // that no property depends on
	Closer    *Closer            // nil: not wanted
	// checkpoint is the file from which an unfinished search can be gone on with, empty if there is none.
	Checkpoint string
	Lost       string            // what is to be said if it does not have all that was explored
	Invariants *invariants.Check // in all states; nil if the search has come to them, or did not end
	coverage   *coverage         // nil if it is not wanted
	Patience   context.Context   // when it has ended, schedules are shown as they were found
	grouped    []violationGroup
	simplified map[*explore.Violation][]int32 // see schedule
	Simulated  []string                       // schedules that showed something wrong before the search
	Simulation *simulate.Result               // if that is what the result is of, else nil
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

// Write writes the report.
func (r *Report) Write(asJSON bool) error {
	if asJSON {
		return r.printJSON(r.Out)
	}
	return terminal.Folded(r.Out, r.print)
}

// columns are how wide the report is; 0: as wide as it takes.
func (r *Report) columns() int { return terminal.Columns(r.Out) }

// LineTo writes lines of a report: a key and a text.
func LineTo(w io.Writer) func(key, format string, args ...any) {
	return func(key, format string, args ...any) { fmt.Fprintf(w, "%-12s %s\n", key, fmt.Sprintf(format, args...)) }
}

// PrintProgram says which program it is about.
func (r *Report) PrintProgram(line func(key, format string, args ...any)) {
	prog := r.Machine.Program
	processes := terminal.Plural(r.Machine.NumProcs(), "process")
	if prog.Native() {
		processes = "at most " + terminal.Plural(r.Machine.NumProcs(), "goroutine")
	}
	line("program", "%s (%s), %s", prog.Name, prog.Path, processes)
	if list := output.Parameters(prog); len(list) > 0 {
		line("parameters", "%s", strings.Join(list, " "))
	}
}

// print writes the report for people.
func (r *Report) print(w io.Writer) error {
	prog, res := r.Machine.Program, r.Result
	line := LineTo(w)
	r.PrintProgram(line)
	r.printConstraints(w, line)
	if p := priceOf(r.Machine); p != nil {
		line("always", "%s", p)
	}
	for _, v := range r.Idle {
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
	if r.Simulation != nil {
		r.printSimulation(line)
	} else {
		r.printNumbers(w, line)
	}
	if text := res.Advice(); text != "" {
		line("advice", "%s", text)
	}
	if r.Options.Symmetry {
		line("symmetry", "%s", symmetryText(res.Symmetry))
	}
	r.printLiveness(line)
	r.Invariants.Print(len(prog.Invariants), line)
	fmt.Fprintln(w)
	if r.Options.ProfileConstraints {
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
	r.printDeadlocks(line)
	for _, b := range r.boundsHit() {
		line("bound", "%s: %s", b.At, b.What)
	}
	if r.Raised != "" {
		line("bounds", "%s", r.Raised)
	}
	for _, at := range r.Early() {
		line("early", "%s: the test fails only where a timer fires although something else can go on; "+
			"--early-timers counts that", at)
	}
	if r.Options.Show > 0 {
		if err := r.printOutcome(w, r.Result.Outcomes.At(r.Options.Show-1)); err != nil {
			return err
		}
	}
	if err := r.printViolations(w, line); err != nil {
		return err
	}
	fmt.Fprintln(w)
	r.printUnchecked(w)
	if n := res.Unread; n > 0 {
		line("log", "%s of the log could not be read, or did not fit, and %s dropped", terminal.Plural(n, "record"),
			map[bool]string{true: "was", false: "were"}[n == 1])
	}
	line("verdict", "%s", r.Colour.Verdict(res.Verdict, r.verdict()))
	r.Closer.print(w, prog, r.Colour)
	if r.Options.GitHub {
		r.annotate(w)
		r.Closer.annotate(w, prog)
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

func (r *Report) printConstraints(w io.Writer, line func(string, string, ...any)) {
	line("constraints", "%s", r.Knowledge.Origin)
	set := r.Knowledge.Set
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
func (r *Report) printNumbers(w io.Writer, line func(string, string, ...any)) {
	columns := []*explore.Result{r.Result}
	if r.Rival != nil {
		columns = append(columns, r.Rival)
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
	if r.Rival != nil {
		row("stopped", func(c *explore.Result) any { return c.Stopped })
	}
	if r.Rival != nil {
		line("saved", "%s", r.saved())
	}
}

// saved compares the two searches.
func (r *Report) saved() string {
	if r.Result.Stopped != explore.StoppedComplete {
		return "cannot be said: " + r.Result.Algorithm + " is not complete"
	}
	atLeast := ""
	if r.Rival.Stopped != explore.StoppedComplete {
		atLeast = "at least "
	}
	share := func(mine, other int64) string {
		if other == 0 {
			return "none"
		}
		return fmt.Sprintf("%s%.0f%%", atLeast, 100*(1-float64(mine)/float64(other)))
	}
	return fmt.Sprintf("%s of the executions and %s of the events of %s",
		share(r.Result.Executions, r.Rival.Executions),
		share(r.Result.Events, r.Rival.Events), r.Rival.Algorithm)
}

func (r *Report) printOutcomes(w io.Writer, line func(string, string, ...any)) {
	line("outcomes", "%d distinct in %d ended executions", r.Result.Outcomes.Len(), r.Result.Ended)
	list := r.Result.Outcomes
	if list.Len() == 0 {
		return
	}
	var drawn bytes.Buffer
	table := tabwriter.NewWriter(&drawn, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "%12s #\tcount", "")
	for _, o := range r.Machine.Program.Observe {
		fmt.Fprintf(table, "\t%s", o.Name)
	}
	fmt.Fprintln(table, "\tschedule")
	shown := min(list.Len(), max(maxOutcomes, r.Options.Show))
	for i := range shown {
		o := list.At(i)
		fmt.Fprintf(table, "%12s %d\t%d", "", i+1, o.Count)
		for _, v := range replay.Observed(r.Machine.Program, o.Words) {
			fmt.Fprintf(table, "\t%s", v.Text)
		}
		fmt.Fprintf(table, "\t%s\n", terminal.Shorten(schedules.Format(r.Machine, o.Schedule), 40))
	}
	table.Flush()
	if columns := r.columns(); columns > 0 && tooWide(drawn.String(), columns) {
		for i := range shown {
			o := list.At(i)
			fmt.Fprintf(w, "%13s%d  %dx %s, schedule %s\n", "", i+1, o.Count,
				replay.Join(replay.Observed(r.Machine.Program, o.Words)),
				terminal.Shorten(schedules.Format(r.Machine, o.Schedule), 40))
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

// A hit is a bound of the program that cut executions.
type hit struct {
	At   string `json:"at"` // file:line:column
	What string `json:"what"`
}

// boundsHit are the bounds that cut executions, in the order of their places.
func (r *Report) boundsHit() (list []hit) {
	if !r.Machine.Program.Bounded {
		return nil
	}
	for _, n := range r.Machine.BoundsHit() {
		list = append(list, hit{r.Machine.Program.At(n.Pos), n.Msg})
	}
	return list
}

// Unended says that a bound of the program has cut every execution, so that nothing was checked, and where; empty if
// that is not so.
func (r *Report) Unended() string {
	if res := r.Result; res.Verdict != explore.Bounded || res.Executions > 0 || res.Stopped != explore.StoppedBounds {
		return ""
	}
	var where []string
	for _, h := range r.boundsHit() {
		where = append(where, h.What+", "+h.At)
	}
	return "no execution came to its end (" + strings.Join(where, "; ") + ")"
}

// Early are the places at which a test fails only if a timer fires early.
func (r *Report) Early() (list []string) {
	for _, v := range r.Result.Excused {
		list = append(list, r.Machine.Program.At(v.Node.Pos))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// printDeadlocks writes the deadlocks, unless they are violations: then they are told of there.
func (r *Report) printDeadlocks(line func(string, string, ...any)) {
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
		text += fmt.Sprintf(" (%d with the %s told apart)", list.Len(), r.threads())
	}
	text += " in " + terminal.Plural(int(r.Result.Deadlocked), "execution")
	if slices.ContainsFunc(r.Result.Violations,
		func(v *explore.Violation) bool { return v.Kind == explore.DeadlockFound }) {
		line("deadlocks", "%s, which %s", text,
			map[bool]string{true: "is a violation", false: "are violations"}[distinct == 1])
		return
	}
	line("deadlocks", "%s, allowed", text)
	r.printAllowed(line, classes)
}

// printAllowed writes a line for each class of deadlocks.
func (r *Report) printAllowed(line func(string, string, ...any), classes []int) {
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
			line("", "... and %s more (--json has all)", terminal.Plural(len(same)-shown, "deadlock"))
			break
		}
		shown++
		d := r.Result.Deadlocks.At(i)
		schedule := r.Simplify(d.Schedule)
		permuted := ""
		if n := same[class]; n > 1 {
			permuted = fmt.Sprintf(" in %d states with the %s permuted", n, r.threads())
		}
		line("", "%d  %dx%s: %s; %s; schedule %s", shown, executions[class], permuted, r.waiting(d.Words),
			r.stateText(d.Words),
			terminal.Shorten(schedules.Format(r.Machine, schedule), 40))
		if replay == "" {
			replay = r.ReplayLine(schedule)
		}
	}
	line("", "replay: %s", replay)
}

// waiting names the threads that wait in a deadlock.
func (r *Report) waiting(s step.State) string {
	var names []string
	for p, proc := range r.Machine.Program.Procs {
		if r.Machine.StepOf(s, p) != nil && !r.Machine.Crashed(s, p) {
			names = append(names, proc.Called())
		}
	}
	return instances(names) + " " + map[bool]string{true: "waits", false: "wait"}[len(names) == 1]
}

// stateText is a deadlocked state: the shared variables, and who has crashed where.
func (r *Report) stateText(s step.State) string {
	return strings.Join(append([]string{r.variables(s)}, deadlock.Crashed(r.Machine, s)...), "; ")
}

// variables are the shared variables of a deadlocked state, but for flags of threads that have crashed before their
// ends: that is told in words beside them.
func (r *Report) variables(s step.State) string {
	m, said := r.Machine, map[string]bool{}
	for p, proc := range m.Program.Procs {
		if flag := proc.Template.Crashed; flag != nil && m.Crashed(s, p) {
			so, known := said[flag.Called()]
			said[flag.Called()] = (so || !known) && m.StepOf(s, p) != nil
		}
	}
	told := func(v replay.Value) bool { return said[v.Name] }
	return replay.Join(slices.DeleteFunc(replay.Shared(m.Program, s), told))
}

// printOutcome writes how an outcome comes about.
func (r *Report) printOutcome(w io.Writer, o explore.Outcome) error {
	fmt.Fprintf(w, "\noutcome %-4d %s\n", r.Options.Show, replay.Join(replay.Observed(r.Machine.Program, o.Words)))
	schedule := r.Simplify(o.Schedule)
	return r.printSchedule(w, &liveness.Lasso{Stem: schedule}, o.Schedule, r.ReplayLine(schedule))
}

// printViolations writes what is wrong. What one execution that goes round for ever shows is told together, and behind
// a deadlock those that wait at the same places in other states, a line or two each.
func (r *Report) printViolations(w io.Writer, line func(string, string, ...any)) error {
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
			line("", "... and %s more", terminal.Plural(rest, "violation"))
			break
		}
		blocks++
		var together, elsewhere []violationGroup
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
		fmt.Fprintln(w)
		if err := r.printTogether(w, together); err != nil {
			return err
		}
		r.printElsewhere(w, line, elsewhere)
	}
	return nil
}

// printElsewhere writes the states of deadlocks that wait at the same places as the one above.
func (r *Report) printElsewhere(w io.Writer, line func(string, string, ...any), groups []violationGroup) {
	for i, g := range groups {
		if i == maxViolations {
			line("", "... and %s more that waits so (--all-violations)", terminal.Plural(len(groups)-i, "state"))
			break
		}
		fmt.Fprintln(w)
		r.printWrong(w, &g)
		fmt.Fprintf(w, "  replay: %s\n", r.replayOf(g.Shown))
	}
}

// sameLasso reports whether two violations are shown by one execution that goes round for ever.
func sameLasso(a, b *explore.Violation) bool {
	return replay.AboutWhole(a.Kind) && replay.AboutWhole(b.Kind) && len(a.Cycle) > 0 &&
		slices.Equal(a.Schedule, b.Schedule) && slices.Equal(a.Cycle, b.Cycle)
}

// printViolation writes what is wrong, the schedule with values, and how to see it again.
func (r *Report) printViolation(w io.Writer, g *violationGroup) error {
	return r.printTogether(w, []violationGroup{*g})
}

// printTogether is printViolation for several that one execution shows.
func (r *Report) printTogether(w io.Writer, groups []violationGroup) error {
	v := groups[0].Shown
	for _, g := range groups {
		r.printWrong(w, &g)
	}
	if v.Schedule == nil {
		return nil
	}
	if h := r.historyOf(v); h != nil {
		execution.PrintHistory(w, r.columns(), h)
	}
	return r.printSchedule(w, r.LassoOf(v), v.Schedule, r.replayOf(v))
}

// printWrong writes what is wrong.
func (r *Report) printWrong(w io.Writer, g *violationGroup) {
	v := g.Shown
	if v.Kind == explore.DeadlockFound {
		often := ""
		if v.Count > 0 {
			often = fmt.Sprintf(", %dx", v.Count)
		}
		state := " in the state " + r.variables(v.Words)
		if r.Machine.Program.Native() {
			state = "" // which stands behind the schedule
		}
		where := ""
		if g.again() {
			where, state = ", waiting at the same places as above", " in the state "+r.stateText(v.Words)+r.whoWaits(g)
		}
		fmt.Fprintf(w, "%s    %s%s%s%s\n", r.Colour.Bad("violation"),
			replay.DeadlockName(r.Machine, v.Words), where, often, state)
		if !g.again() {
			execution.PrintWhy(w, r.columns(), 13, r.Player.Why(v.Words, r.schedule(v)))
		}
	} else {
		fmt.Fprintf(w, "%s    %s\n", r.Colour.Bad("violation"), r.ViolationText(v))
	}
	if text := r.groupText(g); text != "" {
		fmt.Fprintf(w, "  %s\n", text)
	}
	if slices.Contains(r.onlySimulated, v) {
		fmt.Fprintln(w, "  found by simulation before the search, which did not come to it")
	}
}

// printSchedule writes a schedule with values, and how to see it again. found is the schedule before it was simplified.
func (r *Report) printSchedule(w io.Writer, l *liveness.Lasso, found []int32, command string) error {
	var steps []replay.Step
	schedule := l.Actions()
	end, err := r.Player.FollowLast(schedule, maxSteps,
		func(_ step.State, done replay.Step) { steps = append(steps, done) })
	if err != nil {
		return err
	}
	if len(schedule) == 0 {
		fmt.Fprintf(w, "  at the start: %s\n  replay: %s\n", replay.Join(replay.Shared(r.Machine.Program, end)),
			command)
		return nil
	}
	fmt.Fprintf(w, "  %s, %s", terminal.Plural(len(schedule), "step"),
		terminal.Plural(schedules.Switches(r.Machine, schedule), "switch"))
	if !slices.Equal(l.Stem, found) {
		fmt.Fprintf(w, "; found with %s and %s: %s", terminal.Plural(len(found), "step"),
			terminal.Plural(schedules.Switches(r.Machine, found), "switch"),
			terminal.Shorten(schedules.Format(r.Machine, found), 60))
	}
	fmt.Fprintln(w)
	before := len(schedule) - len(steps)
	if before > 0 {
		fmt.Fprintf(w, "  ... %s before these (cdpor replay shows all)\n", terminal.Plural(before, "step"))
	}
	execution.PrintTrace(w, r.Colour, r.columns(), r.Machine.Program, before, steps, len(l.Stem), len(l.Cycle))
	fmt.Fprintf(w, "  then %s\n", replay.Join(replay.Shared(r.Machine.Program, end)))
	fmt.Fprintf(w, "  replay: %s\n", command)
	return nil
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
		return "cdpor replay " + terminal.Quote(r.Options.Saved)
	}
	return r.replayLasso(r.LassoOf(v))
}

// ReplayLine is the command line that runs one schedule.
func (r *Report) ReplayLine(schedule []int32) string {
	return r.replayLasso(&liveness.Lasso{Stem: schedule})
}

// annotate repeats what is wrong for GitHub Actions, at its place in the program if it has one.
func (r *Report) annotate(w io.Writer) {
	for _, g := range r.Groups() {
		v, text := g.Shown, r.GroupText(&g)
		at := r.place(v)
		if _, rest, ok := strings.Cut(text, r.Machine.Program.At(at)+": "); ok {
			text = rest
		}
		if same := r.groupText(&g); same != "" {
			text += "\n" + same
		}
		if v.Schedule != nil {
			text += "\n" + r.replayOf(v)
		}
		terminal.Annotate(w, "error", cmp.Or(at.File, r.Machine.Program.Path), at, step.Pos{}, string(v.Kind), text)
	}
	r.annotateUnchecked(w)
}

// ViolationText says in one line what is violated.
func (r *Report) ViolationText(v *explore.Violation) string { return r.Player.Text(v) }

// AllRight is how the last line begins if the verdict is ok.
const AllRight = "ok: every outcome was explored and nothing is wrong"

// Verdict is what the last line says.
func (r *Report) Verdict() string { return r.verdict() }

// verdict is the last line.
func (r *Report) verdict() string {
	res := r.Result
	reservation := ""
	if r.Knowledge.Trust == source.OnFaith {
		reservation = ", if the constraints are right: they were not proved"
	}
	if len(res.Excused) > 0 {
		reservation += ", unless a timer fires early"
	}
	if r.Closer.shown() != nil {
		reservation += ", as long as each statement is one step"
	}
	switch {
	case res.Verdict == explore.OK:
		if text := historiesText(r.Machine.Program, res); text != "" {
			reservation = "; " + text + reservation
		}
		if slices.ContainsFunc(res.Unchecked, func(u explore.Unchecked) bool { return u.Vacuous }) {
			return AllRight + ", as far as it was checked" + reservation
		}
		return AllRight + reservation
	case res.Verdict == explore.Violated && r.Simulation != nil:
		return fmt.Sprintf("violation: %s, in %s; nothing was explored", r.howMany("violation"),
			terminal.Plural(r.Simulation.Schedules, "schedule"))
	case res.Verdict == explore.Violated && len(r.onlySimulated) > 0:
		rest := "nothing else is wrong"
		if n := len(r.Groups()) - len(r.onlySimulated); n > 0 {
			rest = fmt.Sprintf("%s more", terminal.Plural(n, "violation"))
		}
		return fmt.Sprintf("violation: %s by simulation; %s in the part that was explored (%s)",
			terminal.Plural(len(r.onlySimulated), "violation"), rest, r.bound())
	case res.Verdict == explore.Violated && res.Stopped != explore.StoppedComplete:
		return fmt.Sprintf("violation: %s in the part that was explored (%s)", r.howMany("violation"), r.bound())
	case res.Verdict == explore.Violated:
		return "violation: " + r.howMany("distinct violation") + reservation
	case res.Stopped == explore.StoppedSimulation:
		return "incomplete: nothing wrong in " + terminal.Plural(r.Simulation.Schedules, "schedule") +
			", and nothing was explored"
	}
	if res.Verdict == explore.Vacuous {
		text := vacuousText(r.Machine.Program, res)
		if res.Stopped != explore.StoppedComplete {
			text += " (bounded by " + r.bound() + ")"
		}
		return text
	}
	if l := res.Liveness; l != nil && l.Open != "" && res.Stopped == explore.StoppedComplete {
		return fmt.Sprintf("%s: every outcome was explored, but it was not decided whether executions end%s: %s",
			res.Verdict,
			map[bool]string{true: " and do what they must"}[r.Machine.Program.Checks.Live()], openText(l))
	}
	if text := r.Unended(); text != "" {
		return "bounded, unchecked: " + text
	}
	if res.Verdict == explore.Bounded {
		return fmt.Sprintf("bounded by %s: nothing wrong within the bound%s", r.bound(), reservation)
	}
	return fmt.Sprintf("incomplete (%s): nothing wrong in the part that was explored", res.Stopped)
}

// bound says what ended the search.
func (r *Report) bound() string { return r.Options.name(r.Result.Stopped, r.Algorithm) }
