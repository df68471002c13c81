package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
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

// A testResult is what came of one test.
type testResult struct {
	Func       string          `json:"func"`
	Path       string          `json:"path"`
	Verdict    explore.Verdict `json:"verdict,omitempty"`
	Executions int64           `json:"executions"`
	Events     int64           `json:"events"`
	Violations []string        `json:"violations"`
	Error      string          `json:"error,omitempty"` // why it cannot be explored
	Command    string          `json:"command"`         // that tells more

	text string
	code fault.Code
}

// testResults are all of them.
type testResults struct {
	Cdpor   int           `json:"cdpor"`
	Path    string        `json:"path"`
	Verdict string        `json:"verdict"`
	Tests   []*testResult `json:"tests"`
}

// several are the tests that the flags mean, if they mean more than one. The packages stay loaded.
func (c *runCommand) several() ([]golang.Entry, error) {
	set, err := golang.Open(context.Background(), c.Program)
	if err != nil {
		return nil, fault.Input{Err: err}
	}
	c.goFlags.set = set
	list := set.Chosen(c.Func)
	for name := range strings.SplitSeq(c.Func, "|") {
		if strings.Contains(c.Func, "|") && set.Chosen(name) == nil {
			_, err := set.Load(golang.Options{Path: c.Program, Func: name})
			return nil, fault.Input{Err: err}
		}
	}
	return list, nil
}

// aboutOne is a flag that is about a single test; empty if there is none.
func (c *runCommand) aboutOne() string {
	for _, f := range []struct {
		given bool
		flag  string
	}{{c.Schedule != nil, "--schedule"}, {c.Show > 0, "--show"}, {c.Save != "", "--save"}, {c.HTML != "", "--html"},
		{c.Dot != "", "--dot"}, {c.Mermaid != "", "--mermaid"}, {c.Coverage, "--coverage"}, {c.Slice, "--slice"},
		{c.Connect != "", "--connect"}, {c.checkpointFlags.every() > 0, "--checkpoint"},
		{c.Constraints != "", "--constraints"}} {
		if f.given {
			return f.flag
		}
	}
	return ""
}

// tests explores several tests, one after the other.
func (c *runCommand) tests(e *environment.Environment, alg, rival *explore.Algorithm, list []golang.Entry) error {
	if flag := c.aboutOne(); flag != "" {
		var names []string
		for _, t := range list {
			names = append(names, t.Func)
		}
		return fault.Inputf("%s is about one test; choose it with --func: %s", flag, strings.Join(names, ", "))
	}
	all := &testResults{Cdpor: output.Version, Path: c.Program}
	width := 0
	for _, t := range list {
		width = max(width, len(t.Func))
	}
	p := progress.New(e)
	defer p.Done()
	code, folder := fault.ExitOK, ""
	for _, t := range list {
		r := c.test(e, alg, rival, t, p)
		p.Done()
		all.Tests = append(all.Tests, r)
		if r.code == fault.ExitInternal {
			return errors.New(r.Error)
		}
		code = worse(code, r.code)
		if c.JSON {
			continue
		}
		err := terminal.Folded(e.Stdout, func(w io.Writer) error {
			if t.Folder != folder {
				fmt.Fprintf(w, "%s\n", t.Folder)
				folder = t.Folder
			}
			kind := string(r.Verdict)
			if r.Error != "" {
				kind = "refused"
			}
			verdict := fmt.Sprintf("%-10s", kind)
			if r.Error == "" {
				verdict = e.Colour(e.Stdout).Verdict(r.Verdict, verdict)
			}
			_, err := fmt.Fprintf(w, "%-*s  %s  %s\n", width, t.Func, verdict, r.text)
			return err
		})
		if err != nil {
			return err
		}
		if e.Context.Err() != nil {
			break
		}
	}
	return c.summary(e, all, code)
}

// summary ends the report of several tests.
func (c *runCommand) summary(e *environment.Environment, all *testResults, code fault.Code) error {
	counts, first := map[string]int{}, ""
	for _, r := range all.Tests {
		kind := string(r.Verdict)
		if r.Error != "" {
			kind = "refused"
		}
		counts[kind]++
		if r.code == fault.ExitViolation && first == "" {
			first = r.Command
		}
	}
	var parts []string
	for _, kind := range []explore.Verdict{explore.Violated, "refused", explore.Bounded, explore.Incomplete,
		explore.Vacuous, explore.OK} {
		if n := counts[string(kind)]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, kind))
		}
	}
	all.Verdict = strings.Join(parts, ", ")
	if c.JSON {
		if err := output.Write(e.Stdout, all); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(e.Stdout, "\nverdict      %s: %s\n", terminal.Plural(len(all.Tests), "test"), all.Verdict)
		if first != "" {
			fmt.Fprintf(e.Stdout, "more         %s\n", first)
		}
	}
	if code == fault.ExitOK {
		return nil
	}
	return code
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
func (c *runCommand) test(e *environment.Environment, alg, rival *explore.Algorithm, t golang.Entry,
	p *progress.Progress) *testResult {
	one := *c
	one.Func, one.Bound, one.JSON = t.Func, maps.Clone(c.Bound), false
	if t.Folder != "" {
		one.Program = t.Folder
	}
	out := &testResult{Func: t.Func, Path: one.Program, Violations: []string{},
		Command: "cdpor run " + one.goFlags.arguments(&one.programFlags)}
	refused := func(err error) *testResult {
		out.Error, out.code = err.Error(), fault.ExitInternal
		if input := (fault.Input{}); errors.As(err, &input) {
			out.code = fault.ExitInput
		}
		first, rest, more := strings.Cut(out.Error, "\n")
		if out.text = first; more {
			out.text += fmt.Sprintf(", and %d more", strings.Count(rest, "\n")+1)
		}
		return out
	}
	src, err := one.entry(t)
	if err != nil {
		return refused(err)
	}
	m, err := one.machine(src.Form())
	if err != nil {
		return refused(err)
	}
	ctx, cancel := one.bounded(e, c.Timeout)
	defer cancel()
	s := &searching{runCommand: &one, env: e, algorithm: alg, rival: rival, progress: p, unsaved: true,
		raised: map[string]int{}}
	r, err := s.search(ctx, src, m)
	if err == nil {
		r, err = s.raise(ctx, src, r)
	}
	if err == nil {
		var end context.CancelFunc
		r.Patience, end = limits.Patience(ctx)
		defer end()
		err = one.judge(ctx, r)
	}
	if err != nil {
		return refused(err)
	}
	out.fill(r)
	return out
}

// entry is the program of a test.
func (c *runCommand) entry(t golang.Entry) (step.Loaded, error) {
	b, err := c.bounds()
	if err != nil {
		return nil, err
	}
	opt := golang.Options{Path: c.Program, Func: t.Func, Bounds: b, NoRaces: c.NoRaces}
	load := c.goFlags.set.Load
	if t.Folder != "" {
		load = c.goFlags.set.Program
	}
	p, err := load(opt)
	if err != nil {
		return nil, fault.Input{Err: err}
	}
	return p, nil
}

// fill takes over what a report says.
func (t *testResult) fill(r *report.Report) {
	res := r.Result
	t.Verdict, t.Executions, t.Events = res.Verdict, res.Executions, res.Events
	t.code, _ = verdictCode(res.Verdict).(fault.Code)
	for _, g := range r.Groups() {
		t.Violations = append(t.Violations, r.GroupText(&g))
	}
	switch {
	case len(t.Violations) > 0:
		t.text = r.ViolationsInShort()
	case res.Verdict == explore.OK:
		t.text = terminal.Plural(int(res.Executions), "execution")
	default:
		t.text = strings.TrimPrefix(r.Verdict(), string(res.Verdict)+" ")
	}
}
