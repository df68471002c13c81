package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/claims"
	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/findings"
	"cdpor/cmd/cdpor/internal/flags"
	"cdpor/cmd/cdpor/internal/junit"
	"cdpor/cmd/cdpor/internal/limits"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/report"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/lang/golang"
	"cdpor/lang/step"
)

// Several tests of a Go package: each is explored by itself, and has a line in the report.

// A testResult is the result of one test.
type testResult struct {
	Func       string             `json:"func"`
	Path       string             `json:"path"`
	Verdict    explore.Verdict    `json:"verdict,omitempty"`
	Executions int64              `json:"executions"`
	Events     int64              `json:"events"`
	Violations []testViolation    `json:"violations"`
	Early      []string           `json:"early,omitempty"`     // where it fails only if a timer fires early
	Unchecked  string             `json:"unchecked,omitempty"` // why nothing was checked
	Error      string             `json:"error,omitempty"`     // why it cannot be explored
	Command    string             `json:"command"`             // that tells more
	Holds      []claims.JSONClaim `json:"holds,omitempty"`
	Engine     string             `json:"engine,omitempty"` // run: the test was executed
	Reason     string             `json:"reason,omitempty"` // why it was, and not read
	// Of a test that was executed.
	Findings   []*toldFinding `json:"findings,omitempty"`
	Goroutines int            `json:"goroutines,omitempty"` // at most, in one execution, the one of the test included
	Asked      bool           `json:"asked,omitempty"`      // it asks which goroutines there are, which has no gate
	Differs    string         `json:"differs,omitempty"`    // the first difference between executions of one schedule
	Stopped    string         `json:"stopped,omitempty"`    // why the search ended early
	Delays     int            `json:"delays,omitempty"`     // then: all schedules with so many were executed

	found  []*findings.Finding
	text   string
	folder string // of the package, where there are several
	code   fault.Code
	// without is the code if all that was found is known.
	without  fault.Code
	allKnown bool
}

// A testViolation is something that is wrong with a test.
type testViolation struct {
	Text string `json:"text"`
	output.Place
	Known bool `json:"known,omitempty"` // to a baseline
}

// Results has the results of all tests.
type Results struct {
	Cdpor   int             `json:"cdpor"`
	Path    string          `json:"path"`
	Verdict explore.Verdict `json:"verdict"` // the worst; incomplete if a test or a package cannot be explored
	Summary string          `json:"summary"` // how many there are of each
	Tests   []*testResult   `json:"tests"`
	// Refused are the packages that do not load.
	Refused []refusedPackage `json:"refused,omitempty"`
}

// A refusedPackage is a package that does not load, and why.
type refusedPackage struct {
	Path   string   `json:"path"`
	Errors []string `json:"errors"`
}

// several are the tests that the flags mean, and the packages that do not load where all tests are meant; where some
// are meant by name these are only mentioned. The packages stay loaded.
func (c *Command) several(ctx context.Context, e *environment.Environment) (list []golang.Entry,
	refused []golang.Refusal, err error) {
	set, err := golang.Open(ctx, c.Program)
	if err != nil {
		return nil, nil, flags.Unloaded(ctx, c.Program, err)
	}
	c.GoFlags.Set = set
	if list, err = set.Chosen(c.Func); err != nil {
		return nil, nil, fault.Input{Err: err}
	}
	if c.Func == "" {
		targets, err := c.fuzzTargets(ctx)
		return append(list, targets...), set.Refused(), err
	}
	if len(list) == 1 && list[0].Func != c.Func && !strings.ContainsAny(c.Func, `^$|*+?.()[]{}\`) {
		fmt.Fprintf(e.Stderr, "cdpor: note: --func %s is a pattern, as that of go test -run: it means %s\n", c.Func,
			list[0].Func)
	}
	for _, r := range set.Refused() {
		fmt.Fprintf(e.Stderr, "cdpor: note: %s does not load: %s\n", r.Folder, firstLine(r.Err))
	}
	return list, nil, nil
}

// fuzzTargets are the fuzz targets that the flags mean. They are not read, but can be run.
func (c *Command) fuzzTargets(ctx context.Context) (list []golang.Entry, err error) {
	if c.Engine == "read" || strings.HasSuffix(c.Program, ".go") || c.checkRun() != nil {
		return nil, nil
	}
	all, _, err := c.runEntries(ctx) // what cannot be read is refused already
	return slices.DeleteFunc(all, func(e golang.Entry) bool { return !strings.HasPrefix(e.Func, "Fuzz") }), err
}

// firstLine is an error in one line.
func firstLine(err error) string {
	first, rest, more := strings.Cut(err.Error(), "\n")
	if more {
		first += fmt.Sprintf(", and %d more", strings.Count(rest, "\n")+1)
	}
	return first
}

// aboutOne is a flag that is about a single test; empty if there is none.
func (c *Command) aboutOne() string {
	return firstGiven([]givenFlag{
		{c.Schedule != nil, "--schedule"}, {c.Show > 0, "--show"}, {c.Estimate, "--estimate"}, {c.Save != "", "--save"},
		{c.Overlay != "", "--overlay"},
		{c.HTML != "", "--html"}, {c.Coverage, "--coverage"},
		{c.Connect != "", "--connect"}, {c.CheckpointFlags.Every() > 0, "--checkpoint"},
		{c.Constraints != "", "--constraints"}})
}

// tests explores the tests of a package each by itself, if they are several.
func (goFrontEnd) tests(ctx context.Context, s *searching) (done bool, err error) {
	list, refused, err := s.several(ctx, s.env)
	if err == nil {
		list, refused, err = touched(ctx, s.env, s.Command, list, refused)
	}
	if err != nil {
		return false, err
	}
	switch {
	case s.Changed && len(list) == 0:
		return true, s.tests(list, refused)
	case len(list) > 1 || len(refused) > 0 || len(list) == 1 && s.JUnit != "":
		return true, s.tests(list, refused)
	case s.JUnit != "":
		return true, fault.Inputf("--junit is about tests, and %s has none", s.Program)
	}
	if len(list) == 1 {
		s.Func = list[0].Func
		if folder := list[0].Folder; folder != "" && !s.Watch { // whose files are named from here
			s.Program, s.GoFlags.Set = folder, nil
		}
	}
	return false, nil
}

// tests explores several tests, one after the other. Neither a test that cannot be explored nor a package that does not
// load ends that.
func (c *searching) tests(list []golang.Entry, refused []golang.Refusal) error {
	e := c.env
	if flag := c.aboutOne(); flag != "" {
		var names []string
		for _, t := range list {
			names = append(names, t.Func)
		}
		return fault.Inputf("%s is about one test; choose it with --func: %s", flag, strings.Join(names, ", "))
	}
	all := &Results{Cdpor: output.Version, Path: c.Program}
	p := progress.New(e)
	defer p.Done()
	code := fault.ExitOK
	services := junit.New("cdpor run", e.Now)
	for _, t := range list {
		if e.Context.Err() != nil {
			services.Begin(c.Program)
			services.Stopped("interrupted: " + t.Func + " and the tests behind it are missing")
			code = worse(code, fault.ExitIncomplete)
			break
		}
		r := c.test(t, p)
		all.Tests = append(all.Tests, r)
		code = worse(code, r.code)
		services.Begin(r.Path)
		services.Add(r.junitCase())
	}
	p.Done()
	for _, r := range refused {
		all.Refused = append(all.Refused, refusedPackage{r.Folder, r.Err})
		code = worse(code, fault.ExitInput)
		services.Begin(r.Folder)
		services.Add(&junit.Case{Name: "can be loaded", Error: &junit.Message{Message: r.Err[0],
			Text: strings.Join(r.Err, "\n")}})
	}
	if c.JUnit != "" {
		if err := services.Write(c.JUnit); err != nil {
			return err
		}
	}
	return c.summary(e, all, code)
}

// junitCase is the test in the report for CI services. What was not explored to its end is skipped: it has neither
// passed nor failed.
func (t *testResult) junitCase() *junit.Case {
	c := &junit.Case{Name: t.Func, File: t.Path}
	switch kind := t.kind(); {
	case t.Error != "":
		c.Error = &junit.Message{Message: string(kind) + ": " + firstLine(errors.New(t.Error)), Text: t.Error}
	case kind == explore.OK:
		c.Facts = t.text
	case kind != explore.Violated || t.allKnown:
		c.Skipped = &junit.Message{Message: string(kind) + ": " + t.text}
	default:
		c.Failure = &junit.Message{Message: t.Violations[0].Text}
		var text strings.Builder
		for i, f := range t.Findings {
			if file, at := f.at(); i == 0 && file != "" {
				c.File, c.Line = inFolder(t.Path, file), at.Line
			}
			f.writeTo(&text, false, 0)
		}
		for _, v := range t.Violations {
			fmt.Fprintln(&text, v.Text)
		}
		fmt.Fprintf(&text, "more: %s\n", t.Command)
		c.Failure.Text = text.String()
	}
	return c
}

// write writes the results: the verdict, and a line for each test.
func (all *Results) write(w io.Writer, colour terminal.Colour) error {
	fmt.Fprintf(w, "verdict      %s: %s\n", terminal.Plural(len(all.Tests), "test"), all.Summary)
	first := slices.IndexFunc(all.Tests, func(r *testResult) bool { return r.code == fault.ExitViolation })
	if first >= 0 {
		fmt.Fprintf(w, "more         %s\n", all.Tests[first].Command)
	}
	fmt.Fprintln(w)
	width, folder := 0, ""
	for _, r := range all.Tests {
		width = max(width, len(r.Func))
	}
	for _, r := range all.Tests {
		if r.folder != folder {
			fmt.Fprintf(w, "%s\n", r.folder)
			folder = r.folder
		}
		verdict := fmt.Sprintf("%-10s", r.kind())
		if r.Error == "" {
			verdict = colour.Verdict(r.Verdict, verdict)
		}
		fmt.Fprintf(w, "%-*s  %s  %s\n", width, r.Func, verdict, r.text)
	}
	for _, r := range all.Refused {
		if err := terminal.WriteRefusal(w, r.Path, r.Errors); err != nil {
			return err
		}
	}
	return nil
}

// kind is the verdict of a test, or that there is none.
func (t *testResult) kind() explore.Verdict {
	switch {
	case t.Unchecked != "":
		return "unchecked"
	case t.Error == "":
		return t.Verdict
	case t.code == fault.ExitInternal:
		return "failed"
	}
	return "refused"
}

// summary sums up and writes the report of several tests.
func (c *Command) summary(e *environment.Environment, all *Results, code fault.Code) error {
	all.Verdict = all.worst()
	counts := map[explore.Verdict]int{}
	for _, r := range all.Tests {
		counts[r.kind()]++
	}
	var parts []string
	for _, kind := range []explore.Verdict{explore.Violated, "failed", "refused", "unchecked", explore.Bounded,
		explore.Incomplete,
		explore.Vacuous, explore.OK} {
		if n := counts[kind]; n > 0 {
			if kind == explore.Violated {
				parts = append(parts, terminal.Plural(n, string(kind)))
				continue
			}
			parts = append(parts, fmt.Sprintf("%d %s", n, kind))
		}
	}
	if len(all.Tests) == 0 {
		parts = append(parts, "there is nothing to explore")
	}
	if len(all.Refused) > 0 {
		does := "do"
		if len(all.Refused) == 1 {
			does = "does"
		}
		parts = append(parts, fmt.Sprintf("%s %s not load", terminal.Plural(len(all.Refused), "package"), does))
	}
	all.Summary = strings.Join(parts, ", ")
	write := func() error { return output.Write(e.Stdout, all) }
	if !c.JSON {
		write = func() error {
			return terminal.Folded(e.Stdout, func(w io.Writer) error { return all.write(w, e.Colour(e.Stdout)) })
		}
	}
	if err := write(); err != nil {
		return err
	}
	if err := publishAll(e, c, all, code); err != nil || code == fault.ExitOK {
		return err
	}
	return code
}

// worst is the verdict on all tests together.
func (all *Results) worst() explore.Verdict {
	order := []explore.Verdict{explore.OK, explore.Vacuous, explore.Bounded, explore.Incomplete, explore.Violated}
	worst := explore.OK
	if len(all.Refused) > 0 {
		worst = explore.Incomplete
	}
	for _, t := range all.Tests {
		v := t.Verdict
		if t.Error != "" {
			v = explore.Incomplete
		}
		if slices.Index(order, v) > slices.Index(order, worst) {
			worst = v
		}
	}
	return worst
}

// worse is the exit code of several tests: a violation beats a test that cannot be explored, and that a search that did
// not come to its end.
func worse(a, b fault.Code) fault.Code {
	for _, code := range []fault.Code{fault.ExitInternal, fault.ExitViolation, fault.ExitInput, fault.ExitIncomplete} {
		if a == code || b == code {
			return code
		}
	}
	return fault.ExitOK
}

// test explores one test.
func (c *searching) test(t golang.Entry, p *progress.Progress) *testResult {
	one := *c.Command
	one.Func, one.JSON = t.Func, false
	if t.Folder != "" {
		one.Program = t.Folder
	}
	out := &testResult{Func: t.Func, Path: one.Program, folder: t.Folder, Violations: []testViolation{},
		Command: "cdpor run " + one.Arguments()}
	refused := func(err error) *testResult {
		out.text = firstLine(err)
		switch input, unfinished := (fault.Input{}), (fault.Unfinished{}); {
		case errors.As(err, &unfinished):
			out.Verdict, out.code = explore.Incomplete, fault.ExitIncomplete
			return out
		case errors.As(err, &input):
			out.code = fault.ExitInput
		default:
			out.code = fault.ExitInternal
		}
		out.Error = err.Error()
		return out
	}
	ran := func(why error) *testResult {
		t, err := c.ran(&one, why)
		if err != nil {
			return refused(err)
		}
		return t
	}
	unread := func(err error) *testResult {
		if input := (fault.Input{}); errors.As(err, &input) && one.canRun() {
			return ran(err)
		}
		return refused(err)
	}
	if c.Engine == "run" {
		return ran(nil)
	}
	ctx, cancel := one.Bounded(c.env, c.Timeout)
	defer cancel()
	src, err := reading(ctx, &one, func(ctx context.Context) (step.Loaded, error) { return c.entry(ctx, t) })
	if err != nil {
		return unread(err)
	}
	m, err := one.Machine(src.Form())
	if err != nil {
		return refused(err)
	}
	s := &searching{Command: &one, env: c.env, front: c.front, algorithm: c.algorithm,
		progress: p, unsaved: true, runs: c.runs}
	_, r, err := s.searchWithin(ctx, src, m)
	if err != nil {
		return unread(err)
	}
	var end context.CancelFunc
	r.Patience, end = limits.Patience(ctx)
	defer end()
	if err = one.judge(ctx, r); err != nil {
		return refused(err)
	}
	out.fill(r)
	if c.publishFlags.publishes(c.env) {
		if out.found, err = r.Findings(); err != nil {
			return refused(err)
		}
		out.know(&c.publishFlags)
	}
	return out
}

// entry is the program of a test.
func (c *Command) entry(ctx context.Context, t golang.Entry) (step.Loaded, error) {
	b, err := c.Bounds()
	if err != nil {
		return nil, err
	}
	opt := golang.Options{Path: c.Program, Func: t.Func, Bounds: b, NoRaces: c.NoRaces}
	load := c.GoFlags.Set.Load
	if t.Folder != "" {
		load, opt.Path = c.GoFlags.Set.Program, t.Folder
	}
	p, err := load(ctx, opt)
	if err != nil {
		return nil, flags.Unloaded(ctx, t.Func, err)
	}
	return p, nil
}

// fill takes over what a report says.
func (t *testResult) fill(r *report.Report) {
	res := r.Result
	t.Verdict, t.Executions, t.Events = res.Verdict, res.Executions, res.Events
	t.code, _ = verdictCode(res.Verdict).(fault.Code)
	t.without = withoutKnown(res.Stopped == explore.StoppedComplete)
	for _, g := range r.Groups() {
		t.Violations = append(t.Violations, testViolation{Text: g.Text(), Place: r.Place(g.Shown)})
	}
	t.Early, t.Unchecked, t.Holds = r.Early(), r.Unended(), claims.HeldJSON(r.Machine.Program, res.Held)
	switch {
	case t.Unchecked != "":
		t.text = t.Unchecked
	case len(t.Violations) > 0:
		t.text = r.ViolationsInShort()
	case res.Verdict == explore.OK:
		t.text = terminal.Plural(int(res.Executions), "execution") + strings.TrimPrefix(r.Verdict(), report.AllRight)
	default:
		t.text = strings.TrimLeft(strings.TrimPrefix(r.Verdict(), string(res.Verdict)), ": ")
	}
}
