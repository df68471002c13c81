package run

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"cdpor/cmd/cdpor/internal/checkpoint"
	"cdpor/cmd/cdpor/internal/claims"
	"cdpor/cmd/cdpor/internal/cli"
	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/execution"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/flags"
	"cdpor/cmd/cdpor/internal/memory"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/page"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/record"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/dpor"
	"cdpor/explore/native"
	"cdpor/explore/replay"
	"cdpor/lang/golang"
	lang "cdpor/lang/golang/native"
	"cdpor/lang/step"
)

// The engine that runs a Go test, in place of the one that reads it.

// engineFlag chooses between them.
type engineFlag struct {
	Engine string `enum:",read,run" default:"" placeholder:"ENGINE" help:"Of a Go test: read explores a model that is read off its text, and executes nothing of it; run executes the test again and again, one goroutine at a time, for a minute unless --timeout or --max-executions is given, and takes any test. Default: read, and run what cannot be read, or takes long to; never run where the environment has CDPOR_NO_RUN."`
}

// mostEvents is the number of events that an execution has at most where --max-depth does not say it.
const mostEvents = 10_000

// mostTime is the time for which a test is explored where neither --timeout nor --max-executions says it.
const mostTime = time.Minute

// runBounded is the context of the search for one test, which is built.
func (c *Command) runBounded(e *environment.Environment) (context.Context, context.CancelFunc) {
	limit := c.Timeout
	if limit == 0 && c.MaxExecutions == 0 {
		limit = mostTime
	}
	return c.Bounded(e, limit)
}

// A testRun explores tests of a package by running them.
type testRun struct {
	*Command
	env     *environment.Environment
	dir     string
	tests   *lang.Test
	alg     *dpor.Algorithm
	instead *dpor.Algorithm // where it gives up too much
	races   bool            // each execution is looked at for data races
	calls   *native.Calls   // of methods that are taken for one step each; nil: of none
	done    func()

	failed error                     // why the tests cannot be built
	known  map[string]*native.Result // what came out of tests that have been run

	progress *progress.Progress
	saves    *checkpoint.Writer // nil: the search is not saved
	from     *native.Saved      // of a search that is gone on with
}

// checkRun refuses what the running engine does not have.
func (c *Command) checkRun() error {
	if os.Getenv(cli.NoRun) != "" {
		return fault.Inputf("--engine run would execute the program, and %s forbids that", cli.NoRun)
	}
	if !flags.IsGo(c.Program) || strings.HasSuffix(c.Program, ".go") {
		return fault.Inputf("--engine run takes the folder of a Go package with tests, or all below one: ./...")
	}
	if err := c.CheckJUnit(); err != nil {
		return err
	}
	for _, n := range c.notRun() {
		if flag := firstGiven(n.flags); flag != "" {
			return fault.Inputf("%s is not for --engine run: %s", flag, n.why)
		}
	}
	if _, err := c.Options(dpor.InterleavingsAlgorithm); err != nil {
		return err
	}
	return cmp.Or(c.simulateFlags.check(c), c.CheckpointFlags.Check())
}

// A notRun has flags that the running engine does not take, and why.
type notRun struct {
	why   string
	flags []givenFlag
}

func (c *Command) notRun() []notRun {
	return []notRun{
		{"a program that is run has no states that are told apart or shown", []givenFlag{{c.Show > 0, "--show"},
			{c.Symmetry, "--symmetry"}, {c.Visited, "--visited"},
			{c.VisitedMemory > 0, "--visited-memory"}}},
		{"what a program that is run may still do is not known", []givenFlag{{c.Coverage, "--coverage"},
			{c.Estimate, "--estimate"}}},
		{"constraints are between steps that are read", []givenFlag{{c.Constraints != "", "--constraints"},
			{c.UseConstraints, "--use-constraints"}}},
		{"what is run has no limits but its own", []givenFlag{{len(c.Bound) > 0, "--bound"}}},
		{"workers of a cluster never execute a program", []givenFlag{{c.Connect != "", "--connect"}}},
		{"what it follows are schedules of the program itself", []givenFlag{{c.Native, "--native"}}},
		{"schedules at random take both ways in turn", []givenFlag{{c.PCT > 0, "--pct"}}},
		{"it is for YAML programs", []givenFlag{{len(c.Param) > 0, "-p"}, {c.Atomicity != "", "--atomicity"}}},
		{"it does not have that", []givenFlag{{c.Watch, "--watch"}}},
	}
}

// canRun reports whether a test that cannot be read is one that can be run.
func (c *Command) canRun() bool {
	if c.Engine != "" || !flags.IsGo(c.Program) || c.checkRun() != nil {
		return false
	}
	names, err := lang.Tests(c.Program, c.Func)
	return err == nil && len(names) == 1
}

// executes explores a test by running it, without a word. What comes out is kept; ok is false if nothing does, as the
// context was cancelled.
func (c *searching) executes(ctx context.Context) (verdict explore.Verdict, ok bool) {
	e := environment.New(strings.NewReader(""), io.Discard, io.Discard)
	defer e.Stop()
	e.Context = ctx
	names, err := lang.Tests(c.Program, c.Func)
	if err != nil || len(names) != 1 {
		return "", false
	}
	r, err := c.built(c.Command, e)
	if err != nil {
		return "", false
	}
	bounded, cancel := c.runBounded(e)
	defer cancel()
	res, err := r.search(bounded, names[0])
	if err != nil || ctx.Err() == context.Canceled {
		return "", false
	}
	r.known = map[string]*native.Result{names[0]: res}
	verdict, _ = r.verdict(res)
	return verdict, true
}

// mostReading is how long it is tried to read a test that can be run: half of the time that there is, at most.
const mostReading = 20 * time.Second

// reading loads a test, which counts as one that cannot be read if that takes too long and it can be run.
func reading(ctx context.Context, c *Command, load func(context.Context) (step.Loaded, error)) (step.Loaded, error) {
	if !c.canRun() {
		return load(ctx)
	}
	most := mostReading
	if c.Timeout > 0 {
		most = min(most, c.Timeout/2)
	}
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	src, err := load(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return nil, fault.Inputf("it was not read within %s", most)
	}
	return src, err
}

// runsInstead reports whether a test that cannot be read is to be run: not if its package does not compile, either.
func (c *Command) runsInstead(e *environment.Environment, err error) bool {
	var input fault.Input
	if !errors.As(err, &input) || !c.canRun() {
		return false
	}
	if c.GoFlags.Set == nil && len(lang.CompileErrors(e.Context, c.Program)) > 0 {
		return false
	}
	fmt.Fprintf(e.Stderr, "cdpor: the test is executed (--engine run), for %s\n", whyRun(err))
	return true
}

// whyRun says why a test is not read.
func whyRun(err error) string {
	if err == errShorter {
		return firstLine(err)
	}
	return "it cannot be read: " + firstLine(err)
}

// startRun builds the tests of the package, however long that takes.
func (c *Command) startRun(e *environment.Environment) (r *testRun, err error) {
	ctx := e.Context
	r = &testRun{Command: c, env: e, progress: progress.New(e)}
	switch {
	case c.Algorithm != "auto":
		if r.alg, err = flags.FindAlgorithm(c.Algorithm); err != nil {
			return nil, err
		}
	case c.Preemptions != nil: // sequences that are planned do not heed the bound
		r.alg = dpor.SourceAlgorithm
	default:
		r.alg, r.instead = dpor.SourceAlgorithm, dpor.OptimalAlgorithm
	}
	if !native.Supported(r.alg) {
		return nil, fault.Inputf("--engine run does not have %s: what processes may still do is not known of a "+
			"program that is run, nor are states compared", c.Algorithm)
	}
	if r.dir, err = filepath.Abs(c.Program); err != nil {
		return nil, err
	}
	r.races = !c.NoRaces && lang.DetectsRaces(ctx, r.dir)
	if r.calls, err = native.LoadCalls(r.dir); err != nil {
		return nil, fault.Input{Err: err}
	}
	if r.tests, r.done, err = buildTests(ctx, e.Stderr, r.dir, "", r.races, r.calls); err != nil {
		return nil, err
	}
	return r, nil
}

// buildTests builds the tests of a package with gates, which it notes, and if a function is named one that calls it;
// calls, nil: none, are taken for one step each. done takes them away.
func buildTests(ctx context.Context, note io.Writer, dir, entry string, races bool, calls *native.Calls) (
	test *lang.Test, done func(), err error) {
	tools, err := lang.Installed(ctx, dir)
	if err != nil {
		return nil, nil, fault.Input{Err: err}
	}
	if calls != nil {
		tools.Whole = calls.Types
	}
	scratch, err := os.MkdirTemp("", "cdpor-run-")
	if err != nil {
		return nil, nil, err
	}
	done = func() { os.RemoveAll(scratch) }
	called, near := dir, dir
	if here, err := os.Getwd(); err == nil {
		if rest, err := filepath.Rel(here, dir); err == nil && filepath.IsLocal(rest) {
			if near = rest; rest != "." {
				called = "./" + rest
			}
		}
	}
	fmt.Fprintf(note, "cdpor: the tests of %s are built with gates in the library of %s, and executed\n",
		called, tools.Version)
	if test, err = lang.Build(ctx, tools, dir, scratch, entry, races); err != nil {
		done()
		if ctx.Err() != nil {
			return nil, nil, fault.Unfinished{Err: errors.New("interrupted while the tests were built")}
		}
		if list := lang.CompileErrors(ctx, near); len(list) > 0 {
			err = errors.New(strings.Join(list, "\n"))
		}
		return nil, nil, fault.Input{Err: err}
	}
	return test, done, nil
}

// runTests is cdpor run --engine run.
func (c *Command) runTests(e *environment.Environment) error {
	s := &searching{Command: c, env: e, front: c.frontEnd(), runs: map[string]*testRun{}}
	defer s.unbuild()
	return s.runTests()
}

// unbuild takes away what was built to be run.
func (c *searching) unbuild() {
	for _, r := range c.runs {
		r.done()
	}
}

func (c *searching) runTests() error {
	e := c.env
	if err := c.checkRun(); err != nil {
		return err
	}
	list, refused, err := c.runEntries(e.Context)
	if err != nil {
		return fault.Input{Err: err}
	}
	if len(list)+len(refused) == 0 {
		return fault.Inputf("%s has no test %s", c.Program, c.Func)
	}
	if list, refused, err = touched(e.Context, e, c.Command, list, refused); err != nil {
		return err
	}
	if len(list) != 1 || len(refused) > 0 || c.JUnit != "" {
		return c.tests(list, refused)
	}
	if list[0].Folder != "" {
		c.Program = list[0].Folder
	}
	r, err := c.built(c.Command, e)
	if err != nil {
		return err
	}
	ctx, cancel := c.runBounded(e)
	defer cancel()
	if c.Schedule != nil {
		return r.follow(ctx, list[0].Func, *c.Schedule)
	}
	if err := r.saved(list[0].Func); err != nil {
		return err
	}
	return r.report(ctx, list[0].Func)
}

// runEntries are the tests that the flags mean, and of several packages those that cannot be read.
func (c *Command) runEntries(ctx context.Context) (list []golang.Entry, refused []golang.Refusal, err error) {
	folders := []string{""}
	if strings.HasSuffix(c.Program, "/...") {
		if folders, err = lang.Folders(ctx, c.Program); err != nil {
			return nil, nil, err
		}
	}
	for _, folder := range folders {
		names, err := lang.Tests(cmp.Or(folder, c.Program), c.Func)
		switch {
		case err != nil && folder == "":
			return nil, nil, err
		case err != nil:
			refused = append(refused, golang.Refusal{Folder: folder, Err: []string{err.Error()}})
		}
		for _, name := range names {
			list = append(list, golang.Entry{Folder: folder, Func: name})
		}
	}
	return list, refused, nil
}

// built is what runs the tests of a folder, which are built once.
func (c *searching) built(one *Command, e *environment.Environment) (*testRun, error) {
	r := c.runs[one.Program]
	if r == nil {
		var err error
		switch r, err = one.startRun(e); {
		case err != nil && e.Context.Err() != nil:
			return nil, err
		case err != nil:
			r = &testRun{done: func() {}, failed: err}
		}
		c.runs[one.Program] = r
	}
	r.env, r.progress = e, progress.New(e)
	return r, r.failed
}

// ran runs one of several tests. why it is not read is nil if that was not tried.
func (c *searching) ran(one *Command, why error) (*testResult, error) {
	r, err := c.built(one, c.env)
	if err != nil {
		return nil, err
	}
	ctx, cancel := one.runBounded(c.env)
	defer cancel()
	t, _, err := r.result(ctx, one.Func)
	if err == nil && why != nil {
		t.Reason = firstLine(why)
		text := whyRun(why)
		if what, _, found := strings.Cut(text, " is not supported: "); found { // and its cure
			text = what + " is not supported"
		}
		t.text += "; executed, for " + text
	}
	if err == nil && strings.HasSuffix(c.Program, "/...") {
		t.folder = one.Program
	}
	return t, err
}

func (r *testRun) events() int { return cmp.Or(r.MaxDepth, mostEvents) }

// search explores one test, unless what comes out is known.
func (r *testRun) search(ctx context.Context, name string) (*native.Result, error) {
	if res := r.known[name]; res != nil {
		return res, nil
	}
	p := lang.Start(r.tests, name)
	defer p.Close()
	opt := native.Options{Algorithm: r.alg, Instead: r.instead, Executions: r.MaxExecutions, Events: r.events(),
		Random: randomExecutions, Seed: int32(r.Seed), All: r.KeepGoing, Early: r.EarlyTimers, Calls: r.calls,
		OnlyRandom: r.simulateFlags.alone(), Progress: r.exploring(name)}
	if r.Simulate != nil {
		opt.Random = *r.Simulate
	}
	if r.Preemptions != nil {
		opt.Preempt, opt.Preemptions = true, *r.Preemptions
	}
	opt.Delays = r.Algorithm == "auto" && !opt.Preempt && !opt.OnlyRandom
	workers, _ := r.Number() // checked
	for range workers - 1 {
		helper := lang.Start(r.tests, name)
		defer helper.Close()
		opt.Helpers = append(opt.Helpers, helper)
	}
	opt.From = r.from
	r.offered(&opt)
	res, err := native.Search(ctx, p, opt)
	if err != nil {
		return nil, fault.Input{Err: err}
	}
	r.sayWhereSaved(res)
	if res.Stopped == native.StoppedContext {
		res.Stopped = "half of the time is over"
		if ctx.Err() != nil {
			res.Stopped = environment.WhyStopped(ctx)
		}
	}
	return res, nil
}

// exploring tells people how a search goes.
func (r *testRun) exploring(name string) func(*native.Result) {
	begun := r.env.Now()
	return func(res *native.Result) {
		r.progress.Say(func() string {
			text := fmt.Sprintf("%s: %s of %s", res.Algorithm, terminal.ShortPlural(res.Executions, "execution"), name)
			if spent := r.env.Now().Sub(begun).Seconds(); spent > 0 {
				text += fmt.Sprintf(", %s runs/s", terminal.Short(float64(res.Runs)/spent))
			}
			if res.Delayed > 0 {
				text += fmt.Sprintf(", %s with few delays", terminal.Short(float64(res.Delayed)))
			}
			if n := len(res.Findings); n > 0 {
				text += ", " + terminal.Plural(n, "violation")
			}
			return text
		})
	}
}

// result explores one test; its findings are told of.
func (r *testRun) result(ctx context.Context, name string) (t *testResult, res *native.Result, err error) {
	res, err = r.search(ctx, name)
	r.progress.Done()
	if err != nil {
		return nil, nil, err
	}
	ctx, end := outlasting(ctx)
	defer end()
	t = &testResult{Func: name, Path: r.Program, Engine: "run", Executions: cmp.Or(res.Executions, res.Runs),
		Asked: res.Asked, Goroutines: max(0, res.Goroutines-1), Differs: res.Unlike, Stopped: res.Stopped,
		Delays: res.Delays,
		Events: res.Events, Violations: []testViolation{},
		Command: fmt.Sprintf("cdpor run %s --func %s --engine run", terminal.Quote(r.Program), name)}
	for _, f := range res.Findings {
		told, err := r.told(ctx, name, res, f)
		if err != nil {
			return nil, nil, err
		}
		t.Findings = append(t.Findings, told)
		file, at := told.at()
		t.Violations = append(t.Violations, testViolation{Text: told.short(),
			Place: output.Place{File: inFolder(r.Program, file), Line: at.Line}})
		t.found = append(t.found, told.finding(r.Program, name))
	}
	t.Verdict, t.text = r.verdict(res)
	t.Holds = r.holds(t.Verdict, res)
	t.code, _ = verdictCode(t.Verdict).(fault.Code)
	t.without = withoutKnown(res.Stopped == "" && !res.Asked && !res.Beside && res.Cut == 0 && res.Barred == 0)
	switch {
	case len(t.Violations) > 0:
		t.text = t.Violations[0].Text
	case t.Verdict == explore.OK:
		t.text = terminal.Plural(int(res.Executions), "execution") + strings.TrimPrefix(t.text, everyOrder)
	}
	t.know(&r.publishFlags)
	return t, res, nil
}

// outlasting is a context in which the findings of a search can be told of that another one has ended. The second
// interrupt ends cdpor itself.
func outlasting(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), tellingTakes)
}

// tellingTakes is how long findings are made simpler and followed again at most, shorteningTakes how long one is made
// simpler.
const (
	tellingTakes    = time.Minute
	shorteningTakes = 20 * time.Second
)

// report writes what came of one test.
func (r *testRun) report(ctx context.Context, name string) error {
	t, res, err := r.result(ctx, name)
	if err != nil {
		return err
	}
	ctx, end := outlasting(ctx)
	defer end()
	if r.Overlay != "" && len(t.Findings) > 0 {
		if err := r.keep(ctx, name, t.Findings[0]); err != nil {
			return err
		}
	}
	if r.Save != "" && len(t.Findings) > 0 {
		if err := r.save(name, t.Findings[0]); err != nil {
			return err
		}
	}
	if r.HTML != "" {
		if err := r.page(name, t, res).Write(r.HTML); err != nil {
			return err
		}
	}
	if r.JSON {
		err = output.Write(r.env.Stdout, &Results{Cdpor: output.Version, Path: r.Program,
			Verdict: t.Verdict, Summary: string(t.Verdict), Tests: []*testResult{t}})
	} else {
		err = terminal.Folded(r.env.Stdout, func(w io.Writer) error { return r.write(ctx, w, name, t, res) })
	}
	if err != nil {
		return err
	}
	return publishOne(r.env, r.Command, t.found, strings.TrimSuffix(string(t.Verdict)+": "+t.text, ": "), name,
		verdictCode(t.Verdict), t.without)
}

// write writes the report on one test.
func (r *testRun) write(ctx context.Context, w io.Writer, name string, t *testResult, res *native.Result) error {
	colour, columns := r.env.Colour(r.env.Stdout), terminal.Columns(r.env.Stdout)
	verdict, why := r.verdict(res)
	fmt.Fprintf(w, "verdict      %s\n", colour.Verdict(verdict, strings.TrimSuffix(string(verdict)+": "+why, ": ")))
	if text := claims.HeldText(t.Holds); text != "" {
		if verdict != explore.OK {
			text = "in what was executed: " + text
		}
		fmt.Fprintf(w, "holds        %s\n", text)
	}
	for i, f := range t.Findings {
		fmt.Fprintln(w)
		f.writeTo(w, colour, columns)
		if t.Violations[i].Known {
			fmt.Fprintln(w, "  known to the file of --baseline")
		}
	}
	if f := res.Early; f != nil && len(res.Findings) == 0 {
		fmt.Fprintln(w, "\nearly        the test fails only where a timer fires although something else can go on")
		early, err := r.told(ctx, name, res, *f)
		if err != nil {
			return err
		}
		early.writeTo(w, colour, columns)
	}
	if verdict == explore.Violated || res.Early != nil {
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "program      %s (%s), executed under control\n", name, r.Program)
	searched := res.Algorithm + ": " + terminal.Plural(int(res.Executions), "execution")
	if res.Executions == 0 {
		searched = "random schedules"
	}
	if res.Delayed > 0 {
		searched += ", " + terminal.Plural(int(res.Delayed), "schedule") + " with few delays"
	}
	looked := r.looked()
	if res.Stopped == native.StoppedFound {
		looked += "; --keep-going goes on"
	}
	fmt.Fprintf(w, "search       %s, %s of the test, %s\n", searched, terminal.Plural(int(res.Runs), "run"), looked)
	if r.calls != nil {
		fmt.Fprintf(w, "assumed      %s\n", r.calls.Assumes())
	}
	if r.Verbose {
		fmt.Fprintf(w, "\n%-20s %9d\n%-20s %9d\n%-20s %9d\n%-20s %9d\n%-20s %9d\n", "executions", res.Executions,
			"blocked", res.Blocked, "events", res.Events, "reversible races", res.Races, "goroutines", res.Goroutines)
	}
	return nil
}

// page is the report as a page.
func (r *testRun) page(name string, t *testResult, res *native.Result) *page.Page {
	verdict, why := r.verdict(res)
	p := &page.Page{Title: name + ": " + string(verdict), Kind: string(verdict), Verdict: string(verdict),
		Program: &step.Program{Name: name, Path: r.Program}, Holds: claims.HeldText(t.Holds),
		Figures: []page.Number{{Name: "executions", Value: cmp.Or(res.Executions, res.Runs)},
			{Name: "goroutines at most", Value: t.Goroutines}},
		Numbers: []page.Number{{Name: "executions to the end", Value: res.Executions},
			{Name: "blocked", Value: res.Blocked}, {Name: "schedules with few delays", Value: res.Delayed},
			{Name: "runs of the test", Value: res.Runs}, {Name: "events", Value: res.Events}}}
	if why != "" {
		p.Verdict += ": " + why
	}
	var executed []page.Executed
	shown := map[string]bool{}
	for i, f := range t.Findings {
		v := page.Violation{Number: i + 1, Kind: explore.ViolationKind(f.Kind), Text: f.Text, Count: 1, Shown: true}
		v.Why, _ = f.places()
		p.Violations = append(p.Violations, v)
		executed = append(executed, page.Executed{Program: f.account.Program, Replay: f.Replay, Steps: f.Steps,
			Text: strings.TrimSuffix(string(f.Kind)+": "+f.Text, ": ")})
		for _, file := range f.account.Program.Files {
			if text := f.source(file.Path); text != nil && !shown[file.Path] {
				shown[file.Path] = true
				p.Files = append(p.Files, page.File{Name: file.Called, Path: file.Path,
					Lines: strings.Split(strings.TrimRight(string(text), "\n"), "\n")})
			}
		}
	}
	p.Data = page.ExecutedData(executed)
	return p
}

// randomExecutions come first: most bugs are seen there.
const randomExecutions = 20

func (r *testRun) looked() string {
	if r.races {
		return "each looked at for data races"
	}
	if r.NoRaces {
		return "without a look at data races"
	}
	return "without a look at data races: the race detector of Go needs cgo and a C compiler"
}

const everyOrder = "every order of operations that synchronise was executed and nothing is wrong"

// verdict is what the result of a search means, in a word and in a sentence.
func (r *testRun) verdict(res *native.Result) (v explore.Verdict, why string) {
	alone, unlike := "", strings.ReplaceAll(res.Unlike, r.dir+string(filepath.Separator), "")
	if unlike != "" {
		alone = "; each execution had a process of its own"
	}
	if unlike != "" && r.Verbose {
		alone += ": " + unlike
	}
	early, cut := "", ""
	if res.Early != nil {
		early = ", unless a timer fires early"
	}
	if res.Cut > 0 {
		cut = fmt.Sprintf(" within %d events (%s cut, --max-depth)", r.events(),
			terminal.Plural(int(res.Cut), "execution"))
	}
	switch {
	case len(res.Findings) == 1:
		return explore.Violated, ""
	case len(res.Findings) > 1:
		return explore.Violated, fmt.Sprintf("%d violations", len(res.Findings))
	case res.Stopped == native.StoppedDiffers:
		return explore.Incomplete, "searched: the test is not determined by its schedule: " + unlike + "; " +
			"usual causes are files, the network, real time, and what executions leave in variables of packages"
	case res.Stopped != "" && res.Delays > 0:
		return explore.Bounded, fmt.Sprintf("nothing is wrong in any schedule with at most %s%s%s; not all orders "+
			"were executed: %s%s", terminal.Plural(res.Delays, "delay"), cut, early, res.Stopped, alone)
	case res.Stopped != "":
		return explore.Incomplete, fmt.Sprintf("nothing is wrong in %s%s%s; not all orders were executed: %s%s",
			terminal.Plural(int(res.Runs), "execution"), cut, early, res.Stopped, alone)
	case res.Asked:
		return explore.Incomplete, "searched: the test asks which goroutines there are (runtime.NumGoroutine or Stack)"
	case res.Beside:
		return explore.Incomplete, "searched: bubbles of testing/synctest beside others have one clock, so " +
			"not all orders were executed"
	case res.Cut > 0:
		return explore.Bounded, "nothing is wrong" + cut
	case res.Barred > 0:
		return explore.Bounded, fmt.Sprintf("nothing is wrong in what was executed within %s (--preemptions)",
			terminal.Plural(*r.Preemptions, "preemption"))
	}
	why = everyOrder + early
	if !r.races {
		why += ", unless there are data races, which were not looked for"
	}
	if res.Kept != "" {
		_, kept, _ := strings.Cut(res.Kept, "/pkg/mod/")
		return explore.Bounded, why + ", behind executions from which something is kept at " +
			cmp.Or(kept, res.Kept) + alone
	}
	return explore.OK, why + alone
}

// holds lists the checks of the test in which nothing was found.
func (r *testRun) holds(v explore.Verdict, res *native.Result) []claims.JSONClaim {
	var without []string
	if !r.races {
		without = append(without, "races")
	}
	if res.Early != nil { // one of several, perhaps
		without = append(without, "test", "panic")
	}
	if v == explore.Violated || res.Runs == 0 {
		return nil
	}
	return claims.HeldGo(without...)
}

// A told finding is one whose execution has been run again, to say where operations are.
type toldFinding struct {
	Kind     native.Kind   `json:"kind"`
	Text     string        `json:"text"` // who waits, or the first that the test says
	Schedule string        `json:"schedule"`
	Replay   string        `json:"replay"`
	Alone    string        `json:"alone,omitempty"` // the same by go test alone
	Steps    []replay.Step `json:"steps"`

	account *native.Account
	dir     string        // of its files
	folder  string        // the same, as the user calls it
	said    string        // by the test or the runtime
	also    []native.Kind // that are wrong with the same execution
	again   bool          // the schedule has shown it again
}

// told tells of a finding, along a schedule that is made simple.
func (r *testRun) told(ctx context.Context, name string, res *native.Result, f native.Finding) (*toldFinding, error) {
	if !r.NoMinimize && res.Stopped != native.StoppedDiffers {
		p := lang.Start(r.tests, name)
		p.SetCold(res.Afresh)
		limited, cancel := context.WithTimeout(ctx, shorteningTakes)
		f.Schedule = native.Shorten(limited, p, res.Names, f, r.events())
		cancel()
		p.Close()
	}
	again, err := r.again(ctx, name, res.Names, f.Width, f.Schedule)
	if err != nil {
		return nil, err
	}
	return r.tell(name, f.Kind, again, f.Width), nil
}

// tell tells of an execution.
func (r *testRun) tell(name string, kind native.Kind, again *lang.Record, width int) *toldFinding {
	t := &toldFinding{Kind: kind, dir: r.dir, folder: r.Program, said: again.Text,
		account:  native.Tell(again, width, name, r.dir),
		Schedule: native.FormatSchedule(again.Names, width, native.Actions(again)), again: native.Judge(again) == kind}
	t.also = slices.DeleteFunc(native.Wrong(again), func(k native.Kind) bool { return k == kind })
	if t.Steps = t.account.Steps; kind == native.Race && again.Said != "" {
		t.said = again.Said
	}
	t.Replay = fmt.Sprintf("cdpor run %s --func %s --engine run --schedule %s", terminal.Quote(r.Program), name,
		terminal.Quote(t.Schedule))
	switch t.Text = firstSaid(t.said); kind {
	case native.Race:
		t.Text = raceText(t.said, r.dir)
	case native.Crash:
		t.Text = panicText(t.said, r.dir)
		if n := len(t.Steps); n > 0 { // in what it would have waited for
			t.Steps[n-1].Fails, t.Steps[n-1].Then = firstSaid(t.said), ""
		}
	}
	if told := kind == native.Race || kind == native.Crash; told && t.Text != "" && !r.Verbose {
		t.said = ""
	}
	if !t.stuck() && !slices.ContainsFunc(t.also, isStuck) {
		t.account.Waits = nil // no goroutine waits for good
	} else if n := len(t.account.Waits); n > 0 && t.stuck() {
		if t.Text = t.account.Waits[0]; n > 1 {
			t.Text += fmt.Sprintf(", and %d more wait", n-1)
		}
	}
	return t
}

// isStuck reports whether a goroutine waits for good.
func isStuck(k native.Kind) bool { return k == native.Deadlock || k == native.Leak }

func (t *toldFinding) stuck() bool { return isStuck(t.Kind) }

// firstSaid is the first line of what a test or the runtime says that tells what is wrong.
func firstSaid(text string) string {
	first := ""
	for line := range strings.Lines(text) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "panic: "), strings.HasPrefix(line, "fatal error: "):
			return line
		case first == "" && line != "" && !strings.HasPrefix(line, "--- FAIL") && !strings.HasPrefix(line, "====="):
			first = line
		}
	}
	return first
}

// panicText says what the process has died of, and where.
func panicText(text, dir string) string {
	first := firstSaid(text)
	_, stack, _ := strings.Cut(text, first)
	for line := range strings.Lines(stack) {
		if place := native.PlaceIn(line, dir); place != "" {
			return place + ": " + strings.TrimPrefix(first, "panic: ")
		}
	}
	return strings.TrimPrefix(first, "panic: ")
}

// raceText says where the two accesses of a data race are, as the race detector tells it.
func raceText(text, dir string) string {
	var parts []string
	for _, a := range native.Accesses(text, dir) {
		parts = append(parts, a.What+" at "+a.Place)
	}
	return strings.Join(parts, ", ")
}

// at is the place of a finding: the first line that it names, else that of the last step; one of the package if there
// is one.
func (t *toldFinding) at() (file string, pos step.Pos) {
	_, list := t.places()
	for _, s := range slices.Backward(t.Steps) {
		list = append(list, step.Pos{File: s.File, Line: s.Line, Col: 1})
	}
	if len(list) == 0 {
		return "", pos
	}
	own := slices.IndexFunc(list, func(p step.Pos) bool { return !filepath.IsAbs(p.File) })
	pos = list[max(0, own)]
	return pos.File, pos
}

// inFolder is the path of a file: of other packages' it is known already.
func inFolder(folder, file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(folder, file)
}

// write writes what is wrong, and how it came to that: a column for each goroutine.
func (t *toldFinding) write(e *environment.Environment) error {
	colour, columns := e.Colour(e.Stdout), terminal.Columns(e.Stdout)
	return terminal.Folded(e.Stdout, func(w io.Writer) error {
		t.writeTo(w, colour, columns)
		return nil
	})
}

func (t *toldFinding) writeTo(w io.Writer, colour terminal.Colour, columns int) {
	headline := string(t.Kind)
	if t.said == "" && (!t.stuck() || len(t.account.Waits) == 0) {
		headline = t.short()
	}
	if t.Kind != "" {
		fmt.Fprintf(w, "%s    %s\n", colour.Bad("violation"), headline)
	}
	waits, at := t.places()
	writeWaits := func() {
		for _, text := range waits {
			for i, line := range terminal.Wrap(text, cmp.Or(columns, reportColumns)-15) {
				fmt.Fprintf(w, "%*s%s\n", 13+2*min(i, 1), "", line)
			}
		}
		waits = nil
	}
	if t.stuck() {
		writeWaits()
	}
	for i, line := range strings.Split(strings.TrimSpace(t.said), "\n") {
		if i == mostLines {
			fmt.Fprintf(w, "             ...\n")
			break
		}
		if line != "" {
			fmt.Fprintf(w, "             %s\n", strings.TrimRight(line, " "))
		}
	}
	for _, kind := range t.also {
		fmt.Fprintf(w, "%s    %s\n", colour.Bad("violation"), kind)
	}
	writeWaits()
	execution.PrintLines(w, t.account.Program, colour, columns, t.source, at)
	fmt.Fprintf(w, "  %s, %s\n", terminal.Plural(len(t.Steps), "step"), terminal.Plural(t.account.Switches(), "switch"))
	if len(t.Steps) > 0 {
		execution.PrintTrace(w, colour, columns, t.account.Program, 0, t.Steps, 0, 0)
	}
	if !t.again {
		fmt.Fprintf(w, "  the same schedule does not show it again: the test is not determined by its schedule\n")
	}
	fmt.Fprintf(w, "  replay: %s\n", t.Replay)
	if t.Alone != "" {
		fmt.Fprintf(w, "  in plain Go: %s\n", t.Alone)
	}
}

// short is the finding in one line, with the path of the file that it names first.
func (t *toldFinding) short() string {
	text := strings.TrimSuffix(string(t.Kind)+": "+t.Text, ": ")
	at := aPlace.FindStringSubmatchIndex(text)
	if at == nil || filepath.IsAbs(text[at[2]:at[3]]) {
		return text
	}
	file := text[at[2]:at[3]]
	return text[:at[2]] + filepath.Join(t.folder, file) + text[at[3]:at[1]] + step.Within(file, text[at[1]:])
}

// aPlace is a line of a Go file.
var aPlace = regexp.MustCompile(`([\w./-]+\.go):(\d+)`)

// places says who waits, with the only file named once, and which lines of the program a finding is about: where they
// wait, else all that it names.
func (t *toldFinding) places() (waits []string, at []step.Pos) {
	text, about := strings.Join(t.account.Waits, "\n"), aPlace.FindAllStringSubmatch(t.Text+"\n"+t.said, -1)
	if t.stuck() && text != "" {
		about = nil
	}
	about = append(about, regexp.MustCompile(`waits at `+aPlace.String()).FindAllStringSubmatch(text, -1)...)
	for _, m := range about {
		line, _ := strconv.Atoi(m[2])
		pos := step.Pos{File: m[1], Line: line, Col: 1}
		if lines := bytes.Split(t.source(pos.File), []byte("\n")); line > 0 && line <= len(lines) {
			pos.Col += len(lines[line-1]) - len(bytes.TrimLeft(lines[line-1], "\t "))
			at = append(at, pos)
		}
	}
	if text == "" {
		return nil, at
	}
	named := aPlace.FindAllStringSubmatch(text, -1)
	if !slices.ContainsFunc(named, func(m []string) bool { return m[1] != named[0][1] }) {
		before, after, _ := strings.Cut(text, named[0][1])
		text = before + named[0][1] + strings.ReplaceAll(after, named[0][1]+":", ":")
	}
	return strings.Split(text, "\n"), at
}

// source is a file of the package.
func (t *toldFinding) source(file string) []byte {
	text, _ := os.ReadFile(inFolder(t.dir, file)) // else its lines are not shown
	return text
}

// reportColumns is how wide sentences are where the width of the terminal is not known.
const reportColumns = 80

// keep keeps what go test alone follows the schedule of a finding by.
func (r *testRun) keep(ctx context.Context, name string, f *toldFinding) error {
	tools, err := lang.Installed(ctx, r.dir)
	if err != nil {
		return fault.Input{Err: err}
	}
	names, width, schedule, err := native.ParseSchedule(f.Schedule)
	if err != nil {
		return err
	}
	folder, err := filepath.Abs(r.Overlay)
	if err == nil {
		err = os.MkdirAll(folder, 0o755)
	}
	if err != nil {
		return fault.FileErrorOf(r.Overlay, err)
	}
	overlay, err := tools.Overlay(ctx, r.dir, folder, "")
	if err != nil {
		return fault.Input{Err: err}
	}
	file, err := lang.WriteSchedule(folder, name, names, width, r.events(), schedule)
	if err != nil {
		return fault.FileErrorOf(r.Overlay, err)
	}
	race := ""
	if r.races {
		race = " -race"
	}
	f.Alone = fmt.Sprintf("CDPOR_REPLAY=%s go test -C %s%s -vet=off -count=1 -overlay %s .", terminal.Quote(file),
		terminal.Quote(r.dir), race, terminal.Quote(overlay))
	return nil
}

// save writes the replay file of a finding.
func (r *testRun) save(name string, t *toldFinding) error {
	rec := &replay.Record{Version: replay.RecordVersion, Program: r.Program, Verdict: explore.Violated,
		Wrong: []string{string(t.Kind)}, Schedule: t.Schedule, Go: &replay.GoRecord{Func: name, Engine: "run",
			NoRaces: !r.races}}
	for _, s := range t.Steps {
		rec.Steps = append(rec.Steps, s.Step)
	}
	return record.Write(rec, r.Save)
}

// again follows a schedule in a process of its own.
func (r *testRun) again(ctx context.Context, name string, names []int32, width int, schedule []int32) (
	*lang.Record, error) {
	defer memory.FewerCollections()()
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
		return fault.Inputf("schedule: %w; one of a test that is executed is such as h*5,t*3,t.0, with h for what "+
			"runs the tests, t for the test and t.0 for what it starts first; one such as 0,0/0.0 is of "+
			"--engine read", err)
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
	if err := r.tell(name, kind, again, width).write(r.env); err != nil {
		return err
	}
	if kind != "" {
		also := ""
		for _, k := range native.Wrong(again)[1:] {
			also += ", " + string(k)
		}
		fmt.Fprintf(w, "\nverdict      violation: %s%s\n", kind, also)
		return fault.ExitViolation
	}
	fmt.Fprintf(w, "\nverdict      ok: nothing is wrong in this execution\n")
	return nil
}

// mostLines is how much of what a test has said is shown.
const mostLines = 30
