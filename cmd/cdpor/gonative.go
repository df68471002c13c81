package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
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
	// nativeExecutions is how many executions are tried for a finding that the schedule does not show.
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
		return fault.Inputf("--native shows an execution for people: without --step and --json")
	case os.Getenv(cli.NoRun) != "":
		return fault.Inputf("--native would execute the program, and %s forbids that", cli.NoRun)
	}
	return nil
}

// nativeResult lets the program follow the schedule of the outcome to show, or else of the first violation that has
// one.
func (c *runCommand) nativeResult(e *environment.Environment, src step.Loaded, r *report.Report) error {
	if !c.Native {
		return nil
	}
	var l *liveness.Lasso
	if c.Show > 0 {
		l = &liveness.Lasso{Stem: r.Simplify(r.Result.Outcomes.At(c.Show - 1).Schedule)}
	}
	for _, g := range r.Groups() {
		if v := g.Shown; l == nil && v.Schedule != nil {
			l = r.LassoOf(v)
		}
	}
	if l == nil {
		fmt.Fprintln(e.Stderr, "cdpor: --native: there is no violation to confirm; --show N --native follows the "+
			"schedule of an outcome")
		return nil
	}
	ctx, cancel := e.Limited(0)
	defer cancel()
	x, err := r.Player.Run(ctx, l, c.liveness())
	if err != nil {
		return execution.ReplayError(err)
	}
	return c.native(e, src, r.Machine, l, x)
}

// native lets the program follow a schedule that has been run as x, and says how it ends. The error is
// fault.ExitIncomplete if that is not as x ends.
func (f *nativeFlags) native(e *environment.Environment, src step.Loaded, m *step.Machine, l *liveness.Lasso,
	x *replay.Execution) error {
	switch {
	case !f.Native:
		return nil
	case len(l.Cycle) > 0:
		return fault.Inputf("--native follows schedules that come to an end; this one goes round for ever")
	}
	n := &nativeRun{Program: src.(*golang.Program), m: m, schedule: l.Actions()}
	n.want, n.text, n.known = nativeEnd(m, x)
	ctx, cancel := e.Limited(nativeLimit)
	defer cancel()
	same := false
	err := terminal.Folded(e.Stdout, func(w io.Writer) (err error) {
		same, err = n.run(ctx, e, w)
		return err
	})
	var input fault.Input
	switch {
	case errors.As(err, &input):
		fmt.Fprintln(e.Stdout, "native       nothing was run:")
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintf(e.Stdout, "             | %s\n", strings.TrimSuffix(line, "\n"))
		}
		return fault.ExitIncomplete
	case ctx.Err() != nil:
		fmt.Fprintf(e.Stdout, "native       there was no time to see how Go ends: %s\n", environment.WhyStopped(ctx))
		return fault.ExitIncomplete
	case err == nil && !same:
		return fault.ExitIncomplete
	}
	return err
}

// nativeEnd is how the program ends if an execution is real, with what a panic says; known is whether the execution has
// come to an end.
func nativeEnd(m *step.Machine, x *replay.Execution) (kind native.Kind, text string, known bool) {
	for _, v := range x.Violations {
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
	return "", "", x.Ending == replay.Ended
}

// A nativeRun is a program that is run along a schedule.
type nativeRun struct {
	*golang.Program
	m        *step.Machine
	schedule []int32
	want     native.Kind
	text     string // what a panic says
	known    bool   // how the schedule ends
}

// test is the name of the test to run, and the function that it calls if the program does not begin with a test.
func (n *nativeRun) test() (name, entry string) {
	name = n.Step.From
	if names, err := lang.Tests(n.Dir(), name); err == nil && slices.Equal(names, []string{name}) {
		return name, ""
	}
	return lang.EntryTest(name), name
}

// run runs the program, and reports whether it ends as it should.
func (n *nativeRun) run(ctx context.Context, e *environment.Environment, w io.Writer) (same bool, err error) {
	name, entry := n.test()
	races := n.want == native.Race
	if races && !lang.DetectsRaces(ctx, n.Dir()) {
		return false, fault.Inputf("the race detector needs cgo and a C compiler")
	}
	test, done, err := buildTests(ctx, e, n.Dir(), entry, races, nil)
	if err != nil {
		return false, err
	}
	defer done()
	p := lang.Start(test, name)
	defer p.Close()
	r, width, err := native.Force(ctx, p, n.m, n.schedule, n.Paths(), mostEvents)
	if err != nil {
		return false, err
	}
	if same = n.agrees(r); same || !n.known || n.want == "" {
		n.say(w, n.way(same), name, r, width)
		return same || !n.known, nil
	}
	res, err := native.Search(ctx, p, native.Options{Algorithm: dpor.SourceAlgorithm, Events: mostEvents, All: true,
		Executions: nativeExecutions, Random: randomExecutions})
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
			n.say(w, "Go ends in the same way, by another schedule", name, r, f.Width)
			return true, nil
		}
	}
	n.say(w, n.way(false), name, r, width)
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

func (n *nativeRun) way(same bool) string {
	switch {
	case !n.known:
		return "behind the schedule Go goes on by itself"
	case same:
		return "Go ends in the same way"
	}
	return "Go ends otherwise"
}

// agrees reports whether an execution ends as exploring says. What the value of a panic is, exploring does not always
// know, and what it calls the test Go calls by its name.
func (n *nativeRun) agrees(r *lang.Record) bool {
	if native.Judge(r) != n.want {
		return false
	}
	before, after, _ := strings.Cut(n.text, " the test ")
	return n.want != native.Crash || strings.HasPrefix(n.text, "a value of type ") ||
		strings.Contains(r.Text, before) && strings.Contains(r.Text, after)
}

// say says how an execution has ended.
func (n *nativeRun) say(w io.Writer, how, name string, r *lang.Record, width int) {
	kind := native.Judge(r)
	fmt.Fprintf(w, "native       %s: %s\n", how, endName(kind))
	for _, text := range native.Tell(r, width, n.Step.From, n.Dir()).Waits {
		fmt.Fprintf(w, "             %s\n", text)
	}
	if kind == native.Crash || kind == native.Failed {
		fmt.Fprintf(w, "             %s\n", firstLine(errors.New(strings.TrimSpace(r.Text))))
	}
	if _, entry := n.test(); entry == "" {
		fmt.Fprintf(w, "             replay: cdpor run %s --func %s --engine run --schedule %s\n",
			terminal.Quote(n.Step.Path), name, terminal.Quote(native.FormatSchedule(r.Names, width, native.Actions(r))))
	}
}
