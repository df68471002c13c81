package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"cdpor/cmd/cdpor/internal/claims"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/liveness"
	"cdpor/explore/replay"
	"cdpor/explore/schedules"
	"cdpor/lang/step"
)

// How much the text shows; --json has everything.
const (
	maxConditions = 12
	maxOutcomes   = 16
	maxViolations = 5
	maxSteps      = 1000 // the last ones
)

// A text writes a report for people.
type text struct {
	*Report
	w io.Writer
}

// line writes a key and what it says.
func (r *text) line(key, format string, args ...any) {
	fmt.Fprintf(r.w, "%-12s %s\n", key, fmt.Sprintf(format, args...))
}

// columns is the width of the text; 0: as wide as it takes.
func (r *text) columns() int { return terminal.Columns(r.Out) }

// Write writes the report.
func (r *Report) Write(asJSON bool) error {
	if asJSON {
		return r.printJSON(r.Out)
	}
	return terminal.Folded(r.Out, func(w io.Writer) error { return (&text{r, w}).print() })
}

// print writes the report for people: the verdict, what is wrong, what holds, the outcomes, and what that took; with
// -v also how it was found out.
func (r *text) print() error {
	prog, res := r.Machine.Program, r.Result
	r.line("verdict", "%s", r.Colour.Verdict(res.Verdict, r.Verdict()))
	if r.Options.Verbose || r.Atomicity != nil && (r.Atomicity.Report == nil || r.Atomicity.shown() != nil) {
		r.Atomicity.print(r.w, prog, r.Colour)
	}
	for _, b := range r.boundsHit() {
		r.line("bound", "%s: %s", b.At, b.What)
	}
	if r.Raised != "" {
		r.line("bounds", "%s", r.Raised)
	}
	for _, at := range r.Early() {
		r.line("early", "%s: the test fails only where a timer fires although something else can go on; "+
			"--early-timers counts that", at)
	}
	if text := explore.Advice(res); text != "" {
		r.line("advice", "%s", text)
	}
	if err := r.printViolations(); err != nil {
		return err
	}
	if r.Options.Show > 0 {
		if err := r.printOutcome(r.Result.Outcomes.At(r.Options.Show - 1)); err != nil {
			return err
		}
	}
	if len(res.Violations) > 0 || r.Options.Show > 0 {
		fmt.Fprintln(r.w)
	}
	r.printUnchecked()
	r.printLiveness()
	if text := historiesText(prog, res); text != "" && res.Verdict != explore.OK {
		r.line("histories", "%s", text)
	}
	r.printOutcomes()
	r.printDeadlocks()
	r.printCost()
	if r.Page != "" {
		r.line("page", "%s", r.Page)
	}
	if r.coverage != nil {
		fmt.Fprintln(r.w)
		r.coverage.print(r.w, prog)
	}
	if r.Options.Verbose {
		fmt.Fprintln(r.w)
		r.printHow()
	}
	if r.Options.GitHub {
		annotateUnchecked(r.Out, r.Report) // whose lines are not folded
		r.Atomicity.annotate(r.Out, prog)
	}
	return nil
}

// printProgram says which program the report is about.
func (r *text) printProgram() {
	prog := r.Machine.Program
	timers := 0
	for _, p := range prog.Procs {
		if task := p.Task(); task == "timer" || task == "ticker" {
			timers++
		}
	}
	threads := terminal.Plural(r.Machine.NumProcs()-timers, strings.TrimSuffix(threadsOf(prog), "s"))
	if prog.Native() {
		threads = "at most " + threads
	}
	if timers > 0 {
		threads += " and " + terminal.Plural(timers, "timer")
	}
	r.line("program", "%s", strings.Join(append([]string{fmt.Sprintf("%s (%s)", prog.Name, prog.Path), threads},
		output.Parameters(prog)...), ", "))
}

// printCost writes which program was explored and what that took.
func (r *text) printCost() {
	r.printProgram()
	res := r.Result
	if n := res.Unread; n > 0 {
		r.line("log", "%s of the log could not be read, or did not fit, and %s dropped", terminal.Plural(n, "record"),
			map[bool]string{true: "was", false: "were"}[n == 1])
	}
	if r.Options.Symmetry {
		r.line("symmetry", "%s", symmetryText(res.Symmetry))
	}
	switch {
	case r.Simulation != nil:
		r.printSimulation()
	default:
		parts := []string{terminal.Plural(int(res.Executions), "execution")}
		if res.States > 0 {
			parts = append([]string{terminal.Plural(int(res.States), "state")}, parts...)
		} else {
			parts = append(parts, terminal.Plural(int(res.Events), "event"))
		}
		if res.Workers > 1 {
			parts = append(parts, terminal.Plural(res.Workers, "worker"))
		}
		unit := time.Millisecond
		if r.Time > 10*time.Second {
			unit = time.Second
		}
		r.line("search", "%s: %s, %s", res.Algorithm, strings.Join(parts, ", "), max(unit, r.Time.Round(unit)))
	}
}

// printHow writes how the search went, for -v.
func (r *text) printHow() {
	r.printConstraints()
	if p := priceOf(r.Machine); p != nil {
		r.line("always", "%s", p)
	}
	for _, v := range r.Idle {
		r.line("advice", "%s never influences a property or what is observed", v.Name)
	}
	for i, decision := range r.Result.Decisions {
		r.line([]string{"decisions", ""}[min(i, 1)], "%s", decision)
	}
	r.Invariants.Print(len(r.Machine.Program.Invariants), r.line)
	if r.Simulation == nil {
		r.printNumbers()
	}
	r.printProfile()
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

func (r *text) printConstraints() {
	r.line("constraints", "%s", r.Knowledge.Origin)
	set := r.Knowledge.Set
	if set == nil {
		return
	}
	r.line("", "%s", output.CountsOf(set))
	table := tabwriter.NewWriter(r.w, 0, 0, 2, ' ', 0)
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

// printNumbers writes what the search did.
func (r *text) printNumbers() {
	fmt.Fprintf(r.w, "%-16s%14s\n", "algorithm", r.Result.Algorithm)
	for _, c := range searchCounts {
		if c.shown(r.Report) {
			fmt.Fprintf(r.w, "%-16s%14d\n", c.name, c.of(r.Result))
		}
	}
}

func (r *text) printOutcomes() {
	list, observed, how := r.Result.Outcomes, r.Machine.Program.Observe, r.Options.Verbose
	if !how && (list.Len() == 0 || len(observed) == 0) {
		return
	}
	r.line("outcomes", "%d distinct in %s", list.Len(), terminal.Plural(int(r.Result.Ended), "ended execution"))
	if list.Len() == 0 {
		return
	}
	schedule := func(before string, o explore.Outcome) string {
		if !how {
			return ""
		}
		return before + terminal.Shorten(schedules.Format(r.Machine, o.Schedule), 40)
	}
	var drawn bytes.Buffer
	table := tabwriter.NewWriter(&drawn, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "%12s #\tcount", "")
	for _, o := range observed {
		fmt.Fprintf(table, "\t%s", o.Name)
	}
	fmt.Fprintln(table, map[bool]string{true: "\tschedule"}[how])
	shown := min(list.Len(), max(maxOutcomes, r.Options.Show))
	for i := range shown {
		o := list.At(i)
		fmt.Fprintf(table, "%12s %d\t%d", "", i+1, o.Count)
		for _, v := range replay.Observed(r.Machine.Program, o.Words) {
			fmt.Fprintf(table, "\t%s", v.Text)
		}
		fmt.Fprintln(table, schedule("\t", o))
	}
	table.Flush()
	if columns := r.columns(); columns > 0 && tooWide(drawn.String(), columns) {
		for i := range shown {
			o := list.At(i)
			fmt.Fprintf(r.w, "%13s%d  %dx %s%s\n", "", i+1, o.Count,
				replay.Join(replay.Observed(r.Machine.Program, o.Words)), schedule(", schedule ", o))
		}
	} else {
		drawn.WriteTo(r.w)
	}
	if rest := list.Len() - shown; rest > 0 {
		r.line("", "... and %d more (--json has all)", rest)
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

// printProfile writes how often each constraint was asked and what that saved.
func (r *text) printProfile() {
	list := output.Uses(r.Result, r.Knowledge.Set)
	if len(list) == 0 {
		return
	}
	fmt.Fprintln(r.w)
	table := tabwriter.NewWriter(r.w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PROFILE\tREMOVED\tSTATIC\tSEQUENCES\tEVALUATED\tHELD\tUNIFORM")
	for _, u := range list {
		share := ""
		if u.Evaluated > 0 {
			share = fmt.Sprintf(" (%.0f%%)", 100*float64(u.Held)/float64(u.Evaluated))
		}
		fmt.Fprintf(table, "%s | %s\t%d\t%d\t%d\t%d\t%d%s\t%s\n", u.Steps[0], u.Steps[1], u.Removed, u.Static,
			u.Sequences, u.Evaluated,
			u.Held, share, terminal.Shorten(u.Uniform, 40))
	}
	table.Flush()
}

// printLiveness writes what was found out about executions as a whole: what an ok depends on, and with -v the rest.
func (r *text) printLiveness() {
	l := r.Result.Liveness
	if l == nil || l.Counting && l.States == 0 && l.Open == "" {
		return // nothing that would not be expected
	}
	wrong := r.Result.Verdict == explore.Violated
	goesOn := !wrong && l.Termination != nil && l.Termination.Class == liveness.NeedNotEnd
	if r.Options.Verbose || goesOn || wrong && l.Open != "" && !r.Machine.Program.Native() {
		for i, text := range r.livenessTexts(l) {
			r.line([]string{"termination", ""}[min(i, 1)], "%s", text)
		}
	}
	c, how := &r.Machine.Program.Checks, r.Options.Verbose
	if c.Live() && l.Open == "" && (r.Result.Verdict == explore.OK || r.Result.Verdict == explore.Bounded || how) {
		text := terminal.Plural(len(c.Eventually)+len(c.LeadsTo)+len(c.Stabilises), "condition") +
			" about whole executions under " + l.Fairness.Assumption()
		if how {
			text += ", on the full graph of " + terminal.Plural(l.States, "state")
		}
		r.line("liveness", "%s", text)
	}
}

func (r *text) livenessTexts(l *explore.Liveness) []string {
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
	if l.Entered > 0 {
		on = "on a graph of " + terminal.Plural(int(l.Entered), "state")
	}
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
		case l.Entered > 0:
			return []string{"every execution ends: the search came to no state twice in one execution"}
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
		return []string{"no end can be reached from some state, " + on}
	}
	if r.Machine.Program.Checks.Termination == step.TerminationFair {
		return []string{"executions need not end although the scheduler is fair, " + on}
	}
	return []string{"an end can always be reached, but executions need not come to it although " +
		"the scheduler is fair, " + on,
		"termination: fair makes that a violation: " + command}
}

// printSimulation writes what was run, in place of the numbers of a search.
func (r *text) printSimulation() {
	s := r.Simulation
	way := "random"
	if s.Depth > 0 {
		way = fmt.Sprintf("random, by PCT with depth %d", s.Depth)
	} else if !r.Options.Alone {
		way = "random, in turn by walks and by PCT with depth 3"
	}
	r.line("simulation", "%s, %s, seed %d", terminal.Plural(s.Schedules, "schedule"), way, s.Seed)
	if s.Stopped == explore.StoppedFirst {
		return // how many came to their ends says nothing
	}
	counts := []string{terminal.Plural(int(s.Executions), "execution"), terminal.Plural(int(s.Events), "event"),
		fmt.Sprintf("the longest execution %d", s.MaxDepth)}
	if s.Dropped > 0 {
		counts = append(counts, fmt.Sprintf("%d dropped", s.Dropped))
	}
	if s.Cut > 0 {
		counts = append(counts, fmt.Sprintf("%d cut", s.Cut))
	}
	r.line("", "%s", strings.Join(counts, ", "))
	switch p := s.Bound(); {
	case s.Depth > 0 && s.Cut > 0:
		r.line("", "no bound: executions were cut, so their length is not known")
	case p > 0:
		r.line("", "a bug of depth %d is met with probability %s at least, if no execution has", s.Depth,
			probability(p))
		r.line("", "more than %s: 1-(1-1/(n k^(d-1)))^m, n=%d k=%d d=%d m=%d",
			terminal.Plural(s.Length, "event"), s.Threads,
			s.Length, s.Depth, s.Bounded)
	}
}

// probability writes one with two digits that are not rounded up.
func probability(p float64) string {
	text := fmt.Sprintf("%.2g", p)
	if p < 1 && text == "1" {
		return "0.99"
	}
	return text
}

// printUnchecked writes what was not looked at, and what holds; beside a violation only what holds, unless with -v.
func (r *text) printUnchecked() {
	res := r.Result
	for i, u := range res.Unreleased {
		if i == maxUnreleased {
			fmt.Fprintf(r.w, "%-12s ... and %d more\n", "", len(res.Unreleased)-i)
			break
		}
		fmt.Fprintf(r.w, "%s       %s\n", r.Colour.Doubt("remark"), r.unreleasedText(u))
	}
	held, unchecked := res.Held, res.Unchecked
	implied := r.Machine.Program.Native() || len(held) == 1 && held[0].Section == "deadlock"
	if res.Verdict == explore.Violated && implied {
		held = nil // what goes without saying, in executions that do not end there
	}
	if res.Verdict == explore.Violated && !r.Options.Verbose {
		unchecked = nil // a search need not go on behind what is wrong
	}
	claims.Print(r.w, r.Colour.Doubt, r.Machine.Program, unchecked, res.Dropped, held, claims.ScopeOf(res),
		maxViolations)
}
