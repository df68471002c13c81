package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"cdpor/cmd/cdpor/internal/bench"
	"cdpor/cmd/cdpor/internal/compare"
	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/terminal"
)

type benchCommand struct {
	Rows      []string      `arg:"" optional:"" complete:"rows" help:"Rows of the table, such as fib-observed. Default: all."`
	Algorithm []string      `default:"${bench}" complete:"variants" placeholder:"NAME" help:"What to measure; ratios are to the first. Default: ${bench}."`
	Atomicity []string      `enum:"default,access" default:"default,access" placeholder:"WHAT" help:"What one step is: default, which is what the program says, or access, as in the C versions. Default: default,access."`
	Runs      int           `default:"3" placeholder:"N" help:"How often each is run; the median is shown. Default: 3."`
	Timeout   time.Duration `default:"5m" placeholder:"TIME" help:"End a run after this time. Default: 5m."`
	Format    string        `enum:"text,markdown,csv,json,go" default:"text" placeholder:"NAME" help:"text, markdown, csv, json, or go for benchstat. Default: text."`
	Plot      string        `placeholder:"FILE.svg" help:"Also draw the CPU time of each row, on a logarithmic scale, beside that of the peers."`
}

func (c *benchCommand) Help() string {
	var b strings.Builder
	b.WriteString("Rows:\n")
	for _, row := range bench.Rows {
		fmt.Fprintf(&b, "  %s\n", row.Title())
	}
	return `Measures cdpor on the programs of a fixed table. Every run is a process of its own; what counts is its whole CPU time,
user and system, of all threads, start-up and (for algorithms that use constraints) synthesis included; and the most
memory it had at a time. "than peers" is how many times less CPU time that is than the better of two model checkers took
for C versions of the same programs, as recorded: Nidhugg 0.4 (the best of its modes) and GenMC 0.11 --sc, on a machine
with 2 virtual cores. On another machine that ratio compares machines too; "than first" does not. The C versions are interleaved access by access; with --atomicity default a step is what
the program says, which is often more.

` + b.String()
}

// benchAlgorithms are what is measured unless something else is asked for: two that do without constraints, and the
// default of cdpor run.
func benchAlgorithms() []string {
	return append([]string{"source", "optimal"}, compare.Registered("auto", "constrained")[0])
}

func (c *benchCommand) Run(e *environment.Environment) error {
	if c.Runs < 1 || c.Timeout <= 0 {
		return fault.Inputf("--runs and --timeout must be positive")
	}
	var modes []bench.Mode
	for _, atomicity := range c.Atomicity {
		for _, name := range c.Algorithm {
			v, err := compare.FindVariant(name)
			if err != nil {
				return err
			}
			if v.Algorithm.Stateful && c.Plot != "" {
				return fault.Inputf("--plot is about executions, which %s does not have", name)
			}
			modes = append(modes, bench.Mode{Variant: v, Atomicity: atomicity})
		}
	}
	rows, err := bench.Choose(c.Rows)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "cdpor-bench-")
	if err != nil {
		return fault.FileError(err)
	}
	defer os.RemoveAll(dir)
	t := &bench.Table{Machine: bench.Machine(), Version: version}
	p := progress.New(e)
	defer p.Done()
	for i, row := range rows {
		path, err := row.Write(dir)
		if err != nil {
			return err
		}
		var line []*bench.Benchmark
		for _, mode := range modes {
			p.Say(func() string { return fmt.Sprintf("%s (%d of %d): %s", row.Title(), i+1, len(rows), mode.Label()) })
			b, err := bench.Measure(e.Context, path, row, mode, c.Runs, c.Timeout)
			if e.Context.Err() != nil {
				return fault.ExitIncomplete
			}
			if err != nil {
				return err
			}
			line = append(line, b)
		}
		t.Rows = append(t.Rows, line)
	}
	p.Done()
	if err := t.Print(e.Stdout, terminal.Columns(e.Stdout), c.Format); err != nil {
		return err
	}
	if c.Plot != "" {
		if err := files.Write(c.Plot, bench.Plot(t)); err != nil {
			return err
		}
		fmt.Fprintf(e.Stderr, "cdpor: plot written to %s\n", c.Plot)
	}
	if !t.Complete() {
		return fault.ExitIncomplete
	}
	return nil
}
