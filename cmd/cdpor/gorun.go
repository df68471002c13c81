package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"cdpor/cmd/cdpor/internal/cli"
	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/record"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/dpor"
	"cdpor/explore/native"
	"cdpor/explore/replay"
	lang "cdpor/lang/golang/native"
)

// The engine that runs a Go test, in place of the one that reads it.

// engineFlag chooses between them.
type engineFlag struct {
	Engine string `enum:",read,run" default:"" placeholder:"ENGINE" help:"Of a Go test: read explores a model that is read off its text, and executes nothing of it; run executes the test again and again, one goroutine at a time, and takes any test. Default: read, and run where a single test is meant that cannot be read; never run where the environment has CDPOR_NO_RUN."`
}

// mostEvents is how many events an execution has at most where --max-depth does not say it.
const mostEvents = 10_000

// A testRun explores tests of a package by running them.
type testRun struct {
	*runCommand
	env   *environment.Environment
	dir   string
	tests *lang.Test
	alg   *dpor.Algorithm
	races bool // each execution is looked at for data races
	done  func()
}

// checkRun refuses what the running engine does not have.
func (c *runCommand) checkRun() error {
	if os.Getenv(cli.NoRun) != "" {
		return fault.Inputf("--engine run would execute the program, and %s forbids that", cli.NoRun)
	}
	if !isGo(c.Program) || strings.HasSuffix(c.Program, ".go") || strings.HasSuffix(c.Program, "/...") {
		return fault.Inputf("--engine run takes the folder of a Go package with tests")
	}
	if flag := cmp.Or(firstGiven([]givenFlag{{c.JSON, "--json"}, {c.Slice, "--slice"}, {c.Watch, "--watch"},
		{c.Show > 0, "--show"}, {c.HTML != "", "--html"}, {c.Tree != "", "--tree"},
		{c.Coverage, "--coverage"}, {c.CompareWith != "", "--compare-with"}, {c.Preemptions != nil, "--preemptions"},
		{c.Symmetry, "--symmetry"}, {c.Visited, "--visited"}, {c.Constraints != "", "--constraints"},
		{c.UseConstraints, "--use-constraints"}, {c.Workers != 1, "--workers"}, {len(c.Bound) > 0, "--bound"},
		{c.Connect != "", "--connect"}, {c.Native, "--native"},
		{c.checkpointFlags.every() > 0, "--checkpoint"}})); flag != "" {
		return fault.Inputf("%s is not for --engine run", flag)
	}
	return nil
}

// runsInstead reports whether a test that cannot be read is to be run.
func (c *runCommand) runsInstead(e *environment.Environment, err error) bool {
	var input fault.Input
	if c.Engine != "" || !errors.As(err, &input) || !isGo(c.Program) || c.checkRun() != nil {
		return false
	}
	if names, err := lang.Tests(c.Program, c.Func); err != nil || len(names) != 1 {
		return false
	}
	fmt.Fprintf(e.Stderr, "cdpor: it cannot be read, so it is run (--engine run): %s\n", firstLine(err))
	return true
}

// startRun builds the tests of the package.
func (c *runCommand) startRun(ctx context.Context, e *environment.Environment) (r *testRun, err error) {
	r = &testRun{runCommand: c, env: e}
	switch c.Algorithm {
	case "auto":
		r.alg = dpor.SourceAlgorithm
	default:
		if r.alg, err = explore.Find(c.Algorithm); err != nil {
			return nil, fault.Input{Err: err}
		}
	}
	if !native.Supported(r.alg) {
		return nil, fault.Inputf("--engine run does not have %s: what processes may still do is not known of a "+
			"program that is run, nor are states compared", c.Algorithm)
	}
	if r.dir, err = filepath.Abs(c.Program); err != nil {
		return nil, err
	}
	r.races = !c.NoRaces && lang.DetectsRaces(ctx, r.dir)
	if r.tests, r.done, err = buildTests(ctx, e, r.dir, "", r.races); err != nil {
		return nil, err
	}
	return r, nil
}

// buildTests builds the tests of a package with gates, and if a function is named one that calls it. done takes them
// away.
func buildTests(ctx context.Context, e *environment.Environment, dir, entry string, races bool) (test *lang.Test,
	done func(), err error) {
	tools, err := lang.Installed(ctx, dir)
	if err != nil {
		return nil, nil, fault.Input{Err: err}
	}
	scratch, err := os.MkdirTemp("", "cdpor-run-")
	if err != nil {
		return nil, nil, err
	}
	done = func() { os.RemoveAll(scratch) }
	called := dir
	if here, err := os.Getwd(); err == nil {
		if rest, err := filepath.Rel(here, dir); err == nil && filepath.IsLocal(rest) {
			called = "./" + rest
		}
	}
	fmt.Fprintf(e.Stderr, "cdpor: the tests of %s are built with gates in the library of %s, and executed\n",
		called, tools.Version)
	if test, err = lang.Build(ctx, tools, dir, scratch, entry, races); err != nil {
		done()
		if ctx.Err() != nil {
			return nil, nil, fault.Unfinished{Err: errors.New("there was no time to build the tests")}
		}
		return nil, nil, fault.Input{Err: err}
	}
	return test, done, nil
}

// runTests is cdpor run --engine run.
func (c *runCommand) runTests(e *environment.Environment) error {
	if err := c.checkRun(); err != nil {
		return err
	}
	ctx, cancel := c.bounded(e, c.Timeout)
	defer cancel()
	names, err := lang.Tests(c.Program, c.Func)
	if err != nil {
		return fault.Input{Err: err}
	}
	if len(names) == 0 {
		return fault.Inputf("%s has no test %s", c.Program, c.Func)
	}
	if len(names) > 1 && (c.Save != "" || c.Schedule != nil) {
		return fault.Inputf("--save and --schedule are about one test: --func, one of %s", strings.Join(names, ", "))
	}
	r, err := c.startRun(ctx, e)
	if err != nil {
		return err
	}
	defer r.done()
	if c.Schedule != nil {
		return r.follow(ctx, names[0], *c.Schedule)
	}
	worst := error(nil)
	for _, name := range names {
		if err := r.explore(ctx, name, len(names) > 1); err != nil {
			var code fault.Code
			if !errors.As(err, &code) {
				return err
			}
			if worst == nil || code == fault.ExitViolation {
				worst = err
			}
		}
	}
	return worst
}

func (r *testRun) events() int { return cmp.Or(r.MaxDepth, mostEvents) }

// explore explores one test.
func (r *testRun) explore(ctx context.Context, name string, brief bool) error {
	defer fewerCollections()()
	p := lang.Start(r.tests, name)
	defer p.Close()
	res, err := native.Search(ctx, p, native.Options{Algorithm: r.alg, Executions: r.MaxExecutions,
		Events: r.events(), Random: randomExecutions, Seed: int32(r.Seed), All: r.KeepGoing,
		Early: r.EarlyTimers})
	if ctx.Err() != nil && res != nil {
		res.Stopped, err = "time or an interrupt", nil
	}
	if err != nil {
		return fault.Input{Err: err}
	}
	verdict, why := r.verdict(res)
	if brief {
		fmt.Fprintf(r.env.Stdout, "%-24s %-10s %s\n", name, verdict, briefly(res, why))
		return verdictCode(verdict)
	}
	w := r.env.Stdout
	fmt.Fprintf(w, "verdict      %s: %s\n\n", verdict, why)
	for _, f := range res.Findings {
		if err := r.show(ctx, name, res, f); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	if f := res.Early; f != nil && len(res.Findings) == 0 {
		fmt.Fprintln(w, "early        the test fails only where a timer fires although something else can go on")
		if err := r.show(ctx, name, res, *f); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "program      %s (%s), executed under control\n", name, r.Program)
	searched := r.alg.Name + ": " + terminal.Plural(int(res.Executions), "execution")
	if res.Executions == 0 {
		searched = "random schedules"
	}
	fmt.Fprintf(w, "search       %s, %s of the test; %s\n", searched, terminal.Plural(int(res.Runs), "run"), r.looked())
	if r.Verbose {
		fmt.Fprintf(w, "\n%-20s %9d\n%-20s %9d\n%-20s %9d\n%-20s %9d\n%-20s %9d\n", "executions", res.Executions,
			"blocked", res.Blocked, "events", res.Events, "reversible races", res.Races, "goroutines", res.Goroutines)
	}
	return verdictCode(verdict)
}

// randomExecutions come first: most bugs are seen there.
const randomExecutions = 20

func (r *testRun) looked() string {
	if r.races {
		return "each execution is looked at for data races"
	}
	return "data races are not looked for"
}

// briefly is a result in a line.
func briefly(res *native.Result, why string) string {
	if len(res.Findings) > 0 {
		return string(res.Findings[0].Kind)
	}
	return fmt.Sprintf("%d executions; %s", res.Executions, why)
}

// verdict is what the result of a search means, in a word and in a sentence.
func (r *testRun) verdict(res *native.Result) (v explore.Verdict, why string) {
	switch {
	case len(res.Findings) == 1:
		return explore.Violated, "1 violation"
	case len(res.Findings) > 1:
		return explore.Violated, fmt.Sprintf("%d violations", len(res.Findings))
	case res.Unlike != "" && res.Stopped != "":
		return explore.Incomplete, "searched: the test is not determined by its schedule: " + res.Unlike + "; " +
			"usual causes are files, the network, real time, and what executions leave in variables of packages"
	case res.Stopped != "":
		return explore.Incomplete, "nothing is wrong in what was executed; the search ended early: " + res.Stopped
	case res.Cut > 0:
		return explore.Bounded, fmt.Sprintf("nothing is wrong within %d events; %d executions were cut (--max-depth)",
			r.events(), res.Cut)
	}
	why = "every order of operations that synchronise was executed and nothing is wrong"
	if res.Early != nil {
		why += ", unless a timer fires early"
	}
	if !r.races {
		why += ", unless there are data races, which were not looked for"
	}
	if res.Unlike != "" {
		why += "; each execution had a process of its own"
	}
	return explore.OK, why
}

// show shows a finding: its execution is run again, to say where operations are.
func (r *testRun) show(ctx context.Context, name string, res *native.Result, f native.Finding) error {
	schedule := native.FormatSchedule(res.Names, res.Width, f.Schedule)
	again, err := r.again(ctx, name, res.Names, res.Width, f.Schedule)
	if err != nil {
		return err
	}
	w := r.env.Stdout
	account := native.Tell(again, res.Width, name, r.dir)
	tell(w, f.Kind, again, account)
	if native.Judge(again) != f.Kind {
		fmt.Fprintf(w, "  the same schedule does not show it again: the test is not determined by its schedule\n")
	}
	fmt.Fprintf(w, "  replay: cdpor run %s --func %s --engine run --schedule %s\n", terminal.Quote(r.Program), name,
		terminal.Quote(schedule))
	if r.Save == "" {
		return nil
	}
	path := r.Save
	r.Save = "" // the first one
	rec := &replay.Record{Version: replay.RecordVersion, Program: r.Program, Verdict: explore.Violated,
		Wrong: []string{string(f.Kind)}, Schedule: schedule, Go: &replay.GoRecord{Func: name, Engine: "run",
			NoRaces: !r.races}}
	for _, l := range account.Events {
		rec.Steps = append(rec.Steps, l.File+":"+l.Line+" "+l.What)
	}
	return record.Write(rec, path)
}

// again follows a schedule in a process of its own.
func (r *testRun) again(ctx context.Context, name string, names []int32, width int, schedule []int32) (
	*lang.Record, error) {
	defer fewerCollections()()
	p := lang.Start(r.tests, name)
	defer p.Close()
	again, err := native.Replay(ctx, p, names, width, schedule, r.events())
	if err != nil {
		return nil, fault.Input{Err: err}
	}
	return again, nil
}

// follow runs one schedule.
func (r *testRun) follow(ctx context.Context, name, text string) error {
	names, width, schedule, err := native.ParseSchedule(text)
	if err != nil {
		return fault.Inputf("--schedule: %w", err)
	}
	again, err := r.again(ctx, name, names, width, schedule)
	if err != nil {
		return err
	}
	w := r.env.Stdout
	fmt.Fprintf(w, "program      %s (%s), executed under control\n\n", name, r.Program)
	if again.End == lang.Diverged {
		return fault.Inputf("%s does not follow the schedule: event %d is of a goroutine that waits", name,
			len(again.Steps))
	}
	kind := native.Judge(again)
	tell(w, kind, again, native.Tell(again, width, name, r.dir))
	if kind != "" {
		fmt.Fprintf(w, "\nverdict      violation: %s\n", kind)
		return fault.ExitViolation
	}
	fmt.Fprintf(w, "\nverdict      ok: nothing is wrong in this execution\n")
	return nil
}

// tell writes what an execution was.
func tell(w io.Writer, kind native.Kind, r *lang.Record, a *native.Account) {
	if kind != "" {
		fmt.Fprintf(w, "violation    %s\n", kind)
	}
	for _, text := range a.Waits {
		fmt.Fprintf(w, "             %s\n", text)
	}
	said := r.Text
	if kind == native.Race && r.Said != "" {
		said = r.Said
	}
	for i, line := range strings.Split(strings.TrimSpace(said), "\n") {
		if i == mostLines {
			fmt.Fprintf(w, "             ...\n")
			break
		}
		if line != "" {
			fmt.Fprintf(w, "             %s\n", strings.TrimRight(line, " "))
		}
	}
	fmt.Fprintf(w, "  %d events\n", len(r.Steps)-1)
	for _, l := range a.Events {
		fmt.Fprintf(w, "%5d  %-28s %-40s %s\n", l.Number, l.File+":"+l.Line, l.Goroutine, l.What)
	}
}

// mostLines is how much of what a test has said is shown.
const mostLines = 30
