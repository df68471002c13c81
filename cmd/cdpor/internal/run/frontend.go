package run

import (
	"context"
	"path/filepath"
	"strings"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/flags"
	"cdpor/cmd/cdpor/internal/report"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/explore"
	"cdpor/lang/golang"
	"cdpor/lang/step"
)

// frontEnd is that of the program.
func (c *Command) frontEnd() frontEnd {
	if flags.IsGo(c.Program) {
		return goFrontEnd{}
	}
	return yamlFrontEnd{}
}

type yamlFrontEnd struct{}

// check refuses what is about Go tests.
func (yamlFrontEnd) check(c *Command) error {
	if c.JUnit != "" {
		return fault.Inputf("run --junit is for Go tests; cdpor test --junit is for YAML programs")
	}
	if c.Changed {
		return fault.Inputf("--changed is for Go tests")
	}
	return nil
}

func (yamlFrontEnd) tests(context.Context, *searching) (bool, error) { return false, nil }

func (yamlFrontEnd) untilEnough(ctx context.Context, _ *searching, _ *report.Report, _ *explore.Options) (
	context.Context, context.CancelCauseFunc) {
	return context.WithCancelCause(ctx)
}

func (yamlFrontEnd) widened(_ context.Context, _ *searching, src step.Loaded, m *step.Machine) (
	step.Loaded, *step.Machine, error) {
	return src, m, nil
}

func (yamlFrontEnd) rebound(_ context.Context, _ *searching, src step.Loaded, r *report.Report) (
	step.Loaded, *report.Report, error) {
	return src, r, nil
}

// watched are the program and its constraints.
func (yamlFrontEnd) watched(_ context.Context, c *Command) []string {
	if c.Constraints != "" {
		return []string{c.Program, c.Constraints}
	}
	return []string{c.Program, source.FileBeside(c.Program)}
}

type goFrontEnd struct{}

// check refuses flags for YAML programs, and a file of --junit that cannot be written: better now than after an hour of
// tests.
func (goFrontEnd) check(c *Command) error {
	if len(c.Param) > 0 || c.Atomicity != "" {
		return fault.Inputf("%s is a Go program: -p and --atomicity are for YAML programs", c.Program)
	}
	if c.Overlay != "" && c.Engine != "run" {
		return fault.Inputf("--overlay is about a test that is executed: it goes with --engine run")
	}
	return c.CheckJUnit()
}

func (goFrontEnd) atomicity(*Command, step.Loaded) *report.Atomicity { return nil }

// watched are the files of the packages that were loaded last, without the standard library, or else those of the
// folder.
func (goFrontEnd) watched(ctx context.Context, c *Command) []string {
	if c.GoFlags.Set == nil { // so that it is known from the beginning which files matter
		c.GoFlags.Set, _ = golang.Open(ctx, c.Program)
	}
	var list []string
	if c.GoFlags.Set != nil {
		for _, dir := range c.GoFlags.Set.Folders() {
			list = append(list, dir+"/*.go")
		}
	}
	if dir := strings.TrimSuffix(c.Program, "/..."); list == nil && strings.HasSuffix(dir, ".go") {
		list = []string{filepath.Dir(dir) + "/*.go"}
	} else if list == nil {
		list = []string{dir + "/*.go"}
	}
	if c.Constraints != "" {
		list = append(list, c.Constraints)
	}
	return list
}
