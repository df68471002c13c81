package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/lang/step"
	"cdpor/synth"
)

// programs lists what is to be worked on, and refuses what only one program can have.
func (c *synthCommand) programs() ([]string, error) {
	inGo := len(c.Programs) == 1 && isGo(c.Programs[0])
	switch {
	case inGo && (c.goFlags.given() || strings.HasSuffix(c.Programs[0], ".go")):
		return c.Programs, nil
	case c.goFlags.given():
		return nil, fault.Inputf("--func, --bound and --no-races are for one Go program")
	}
	list, err := files.Programs(c.Programs)
	if err != nil && inGo { // no programs in YAML
		return c.Programs, nil
	}
	if err != nil || len(list) == 1 {
		return list, err
	}
	switch {
	case slices.Contains(list, files.StandardInput):
		return nil, fault.Inputf("standard input is worked on alone")
	case c.Explain != "" || c.JSON || c.Output == "-":
		return nil, fault.Inputf("--explain, --json and -o - are for one program; here are %d", len(list))
	}
	for i, path := range list {
		whole, err := filepath.Abs(path)
		if err != nil {
			return nil, fault.FileError(err)
		}
		if i == 0 {
			c.under = filepath.Dir(whole)
		}
		for !below(c.under, whole) {
			c.under = filepath.Dir(c.under)
		}
	}
	return list, nil
}

// target is where the constraints of a program are written: beside it, or in the same place of another folder.
func (c *synthCommand) target(prog *step.Program) string {
	to := source.Beside(prog)
	if c.Output == "" {
		return to
	}
	if whole, err := filepath.Abs(to); err == nil && c.under != "" {
		if rest, err := filepath.Rel(c.under, whole); err == nil {
			return filepath.Join(c.Output, rest)
		}
	}
	if info, err := os.Stat(c.Output); err == nil && info.IsDir() {
		return filepath.Join(c.Output, filepath.Base(to))
	}
	return c.Output
}

// write writes a constraint file. Where the user has not chosen its name, a link is replaced and not followed: it may
// come from a repository, and lead to any file of the user.
func (c *synthCommand) write(path string, text []byte) error {
	if path == c.Output {
		return files.Write(path, text)
	}
	return files.Replace(path, text)
}

// below reports whether a path is that of something in a folder, or below.
func below(folder, path string) bool {
	rest, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rest)
}

// several works on programs one after the other. A program that cannot be used does not keep it from the others.
func (c *synthCommand) several(ctx context.Context, e *environment.Environment, paths []string, opt synth.Options,
	p *progress.Progress) error {
	line := func(format string, args ...any) error {
		return terminal.Folded(e.Stdout, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, format, args...)
			return err
		})
	}
	begin := e.Now()
	all, written, queries, failed := output.PairCounts{}, 0, 0, error(nil)
	for _, path := range paths {
		src, err := c.loadFile(path)
		if err != nil {
			if e.Fail(err) != fault.ExitInput {
				return fault.ExitInternal
			}
			failed = fault.ExitInput
			continue
		}
		start := e.Now()
		set, report, err := synth.Synthesize(ctx, src.Program, opt)
		p.Done()
		if err != nil {
			if ctx.Err() == nil {
				return err
			}
			fmt.Fprintf(e.Stderr, "cdpor: %s: %d of %s written\n", environment.WhyStopped(ctx), written,
				terminal.Plural(len(paths), "program"))
			return fault.ExitIncomplete
		}
		to := c.target(src.Program)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return fault.FileError(err)
		}
		if err := c.rewrite(ctx, e, set, to, opt); err != nil {
			if e.Fail(err) != fault.ExitInput {
				return err
			}
			failed = fault.ExitInput
			continue
		}
		if err := line("%s: %s; %s\n", path, output.CountsOf(set),
			source.Milliseconds(e.Now().Sub(start))); err != nil {
			return err
		}
		all.Add(output.CountsOf(set))
		written, queries = written+1, queries+report.Queries
	}
	if err := line("%s: %s; %d solver queries; %s\n", terminal.Plural(written, "program"), all, queries,
		source.Milliseconds(e.Now().Sub(begin))); err != nil {
		return err
	}
	return failed
}
