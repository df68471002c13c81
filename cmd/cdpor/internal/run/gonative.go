package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"cdpor/cmd/cdpor/internal/cli"
	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/execution"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/report"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/dpor"
	"cdpor/explore/liveness"
	"cdpor/explore/native"
	"cdpor/explore/replay"
	"cdpor/lang/golang"
	lang "cdpor/lang/golang/native"
	"cdpor/lang/step"
)

// nativeFlags let the program itself follow a schedule that was found in what is read off its text.
type nativeFlags struct {
	Native bool `help:"Of a Go program: run it as well, under control and along the same schedule (--engine run), and say whether it ends in the same way. Where it does not, all its schedules are tried."`
}

const (
	// nativeLimit bounds how long it may take to build the program and to run it.
	nativeLimit = 5 * time.Minute
	// nativeExecutions is the number of executions that are tried for a finding that the schedule does not show.
	nativeExecutions = 20_000
)

// checkNative refuses what does not go together. forPeople says that the result is not for machines.
func (f *nativeFlags) checkNative(src step.Loaded, forPeople bool) error {
	_, isGo := src.(*golang.Program)
	switch {
	case !f.Native:
		return nil
	case !isGo:
		return fault.Inputf("--native is for Go programs")
	case !forPeople:
		return fault.Inputf("--native shows an execution for people: without --json")
	case os.Getenv(cli.NoRun) != "":
		return fault.Inputf("--native would execute the program, and %s forbids that", cli.NoRun)
	}
	return nil
}

// A nativeSchedule is a schedule that the program is to follow; x is its execution in the model of the program.
type nativeSchedule struct {
	*liveness.Lasso
	x     *replay.Execution
	shown *explore.Violation // that it shows; nil: any
}

// nativeResult lets the program follow the schedule of the outcome to show, or else of each violation that is shown.
func (c *Command) nativeResult(e *environment.Environment, src step.Loaded, r *report.Report) error {
	if !c.Native {
		return nil
	}
	var list []nativeSchedule
	if c.Show > 0 {
		list = append(list, nativeSchedule{Lasso: &liveness.Lasso{
			Stem: r.Simplify(r.Result.Outcomes.At(c.Show - 1).Schedule)}})
	}
	for _, g := range r.Groups() {
		if v := g.Shown; c.Show == 0 && v.Schedule != nil && !g.Again() {
			list = append(list, nativeSchedule{Lasso: r.LassoOf(v), shown: v})
		}
	}
	if len(list) == 0 {
		fmt.Fprintln(e.Stderr, "cdpor: --native: there is no violation to confirm; --show N --native follows the "+
			"schedule of an outcome")
		return nil
	}
	ctx, cancel := e.Limited(0)
	defer cancel()
	for i := range list {
		x, err := r.Player.Run(ctx, list[i].Lasso, c.Liveness())
		if err != nil {
			return execution.ReplayError(err)
		}
		list[i].x = x
	}
	return c.native(e, src, r.Machine, list...)
}

// native lets the program follow schedules, and says how it ends in each. The error is fault.ExitIncomplete if that is
// not as they end.
func (f *nativeFlags) native(e *environment.Environment, src step.Loaded, m *step.Machine,
	list ...nativeSchedule) error {
	const endless = "--native follows schedules that come to an end; this one goes round for ever"
	switch {
	case !f.Native:
		return nil
	case len(list) == 1 && len(list[0].Cycle) > 0:
		return fault.Inputf(endless)
	}
	n := &nativeRun{Program: src.(*golang.Program), m: m, tests: map[bool]*lang.Test{},
		shown: map[string]int{}}
	defer n.done()
	ctx, cancel := e.Limited(nativeLimit)
	defer cancel()
	all := true
	for i, one := range list {
		which := ""
		if len(list) > 1 {
			which = fmt.Sprintf("violation %d of %d: ", i+1, len(list))
		}
		n.number, n.schedule = i+1, one.Actions()
		n.want, n.text, n.known = nativeEnd(m, one)
		same, err := false, error(fault.Inputf(endless))
		if len(one.Cycle) == 0 {
			err = terminal.Folded(e.Stdout, func(w io.Writer) (err error) {
				same, err = n.run(ctx, e, w, which)
				return err
			})
		}
		all = all && same
		switch input := (fault.Input{}); {
		case ctx.Err() != nil:
			fmt.Fprintf(e.Stdout, "native       %sthere was no time to see how Go ends: %s\n", which,
				environment.WhyStopped(ctx))
		case errors.As(err, &input):
			fmt.Fprintf(e.Stdout, "native       %snothing was run:\n", which)
			for line := range strings.Lines(err.Error()) {
				fmt.Fprintf(e.Stdout, "             | %s\n", strings.TrimSuffix(line, "\n"))
			}
		case err != nil:
			return err
		}
	}
	if !all {
		return fault.ExitIncomplete
	}
	return nil
}

// nativeEnd is how the program ends if an execution is real, with what a panic says; known is whether the execution has
// come to an end. Of several violations it is the one that is shown.
func nativeEnd(m *step.Machine, one nativeSchedule) (kind native.Kind, text string, known bool) {
	list := one.x.Violations
	if at := slices.IndexFunc(list, func(v *explore.Violation) bool {
		return one.shown != nil && v.Kind == one.shown.Kind && v.Fault == one.shown.Fault
	}); at > 0 {
		list = list[at:]
	}
	for _, v := range list {
		switch {
		case v.Kind == explore.DeadlockFound:
			return native.Kind(replay.DeadlockName(m, v.Words)), "", true
		case v.Kind != explore.FailedStep:
		case v.Fault == step.Race:
			return native.Race, "", true
		case v.Fault == step.Panicked:
			return native.Crash, v.Node.Msg, true
		default:
			return native.Failed, "", true
		}
	}
	return "", "", one.x.Ending == replay.Ended
}

// A nativeRun is a program that is run along a schedule.
type nativeRun struct {
	*golang.Program
	m        *step.Machine
	schedule []int32
	want     native.Kind
	text     string // what a panic says
	known    bool   // how the schedule ends

	number int            // from 1
	shown  map[string]int // which execution was shown for which schedule first

	tests map[bool]*lang.Test // with the race detector and without, as they are built
	clean []func()            // takes them away
}

// done takes away what was built.
func (n *nativeRun) done() {
	for _, f := range n.clean {
		f()
	}
}

// built is the program with the race detector or without, with a test that calls an entry if one is named.
func (n *nativeRun) built(ctx context.Context, e *environment.Environment, entry string, races bool) (*lang.Test,
	error) {
	if test := n.tests[races]; test != nil {
		return test, nil
	}
	if races && !lang.DetectsRaces(ctx, n.Dir()) {
		return nil, fault.Inputf("the race detector needs cgo and a C compiler")
	}
	note := e.Stderr
	if len(n.tests) > 0 { // it has been said
		note = io.Discard
	}
	test, done, err := buildTests(ctx, note, n.Dir(), entry, races, nil)
	if err != nil {
		return nil, err
	}
	n.tests[races], n.clean = test, append(n.clean, done)
	return test, nil
}

// test is the name of the test to run, and the function that it calls if the program does not begin with a test.
func (n *nativeRun) test() (name, entry string) {
	name = n.Step.From
	if names, err := lang.Tests(n.Dir(), name); err == nil && slices.Equal(names, []string{name}) {
		return name, ""
	}
	return lang.EntryTest(name), name
}

// run runs the program, and reports whether it ends as it should; which of several violations it is about is said.
func (n *nativeRun) run(ctx context.Context, e *environment.Environment, w io.Writer, which string) (same bool,
	err error) {
	name, entry := n.test()
	test, err := n.built(ctx, e, entry, n.want == native.Race)
	if err != nil {
		return false, err
	}
	p := lang.Start(test, name)
	defer p.Close()
	r, width, err := native.Force(ctx, p, n.m, n.schedule, n.Paths(), mostEvents)
	if err != nil {
		return false, err
	}
	if same = n.agrees(r); same || !n.known || n.want == "" {
		n.say(w, which+n.way(same, r, width), name, r, width)
		return same || !n.known, nil
	}
	res, err := native.Search(ctx, p, native.Options{Algorithm: dpor.SourceAlgorithm, Instead: dpor.OptimalAlgorithm,
		Events: mostEvents, All: true, Executions: nativeExecutions, Random: randomExecutions})
	if err != nil {
		return false, err
	}
	for _, f := range res.Findings {
		if n.agrees(f.Record) {
			again := lang.Start(test, name)
			defer again.Close()
			if r, err = native.Replay(ctx, again, res.Names, f.Width, f.Schedule, mostEvents); err != nil {
				return false, err
			}
			n.say(w, which+n.way(true, r, f.Width)+", by another schedule", name, r, f.Width)
			return true, nil
		}
	}
	n.say(w, which+n.way(false, r, width), name, r, width)
	tried := "all its executions"
	if res.Stopped != "" {
		tried = terminal.Plural(int(res.Runs), "execution")
	}
	fmt.Fprintf(w, "             explored was: %s; none of %s ends so\n", endName(n.want), tried)
	return false, nil
}

// endName is a kind of ends for people.
func endName(k native.Kind) string {
	if k == "" {
		return "it ends well"
	}
	return string(k)
}

// way says how an execution has ended, beside what exploring says.
func (n *nativeRun) way(same bool, r *lang.Record, width int) string {
	switch {
	case !n.known:
		return "behind the schedule Go goes on by itself"
	case same && n.elsewhere(native.Tell(r, width, n.Step.From, n.Dir()).Waits):
		return "Go ends alike, but waits at other lines"
	case same:
		return "Go ends in the same way"
	}
	return "Go ends otherwise"
}

// elsewhere reports whether a goroutine of the program waits, behind the schedule, at a line that is not among those
// where an execution has ended.
func (n *nativeRun) elsewhere(waits []string) bool {
	if n.want != native.Deadlock && n.want != native.Leak {
		return false
	}
	s, run, told, ours := n.m.Initial(), n.m.NewRunner(), strings.Join(waits, "\n"), n.Paths()
	for _, a := range n.schedule {
		run.Take(s, int(a))
	}
	for p := range n.m.NumProcs() {
		id := n.m.StepID(s, p)
		if id < 0 {
			continue
		}
		_, at := n.m.StepAt(id)
		pos := at.Template.Nodes[at.Entry].Pos
		if ours[pos.File] == "" {
			continue
		}
		if line := regexp.MustCompile(fmt.Sprintf(`:%d\b`, pos.Line)); !line.MatchString(told) {
			return true
		}
	}
	return false
}

// agrees reports whether an execution ends as exploring says. What the value of a panic is, exploring does not always
// know, and what it calls the test Go calls by its name.
func (n *nativeRun) agrees(r *lang.Record) bool {
	wrong := native.Wrong(r)
	if n.want == "" || len(wrong) == 0 {
		return n.want == "" && len(wrong) == 0
	}
	if !slices.Contains(wrong, n.want) {
		return false
	}
	before, after, _ := strings.Cut(n.text, " the test ")
	return n.want != native.Crash || strings.HasPrefix(n.text, "a value of type ") ||
		strings.Contains(r.Text, before) && strings.Contains(r.Text, after)
}

// say says how an execution has ended.
func (n *nativeRun) say(w io.Writer, how, name string, r *lang.Record, width int) {
	kind := native.Judge(r)
	if slices.Contains(native.Wrong(r), n.want) {
		kind = n.want
	}
	schedule := native.FormatSchedule(r.Names, width, native.Actions(r))
	if before := n.shown[schedule]; before > 0 {
		fmt.Fprintf(w, "native       %s: %s, in the execution of violation %d\n", how, endName(kind), before)
		return
	}
	n.shown[schedule] = n.number
	fmt.Fprintf(w, "native       %s: %s\n", how, endName(kind))
	waits := native.Tell(r, width, n.Step.From, n.Dir()).Waits
	switch kind {
	case native.Race:
		waits = []string{raceText(r.Said, n.Dir())}
	case native.Crash, native.Failed:
		waits = append(waits, firstLine(errors.New(strings.TrimSpace(r.Text))))
	}
	for _, text := range waits {
		fmt.Fprintf(w, "             %s\n", text)
	}
	if _, entry := n.test(); entry == "" {
		fmt.Fprintf(w, "             replay: cdpor run %s --func %s --engine run --schedule %s\n",
			terminal.Quote(n.Step.Path), name, terminal.Quote(schedule))
	}
}
