package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cdpor/cmd/cdpor/internal/compare"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/memory"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/testdata"
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
	for _, row := range benchRows {
		fmt.Fprintf(&b, "  %s\n", row.title())
	}
	return `Measures cdpor on the programs of a fixed table. Every run is a process of its own; what counts is its whole CPU time,
user and system, of all threads, start-up and (for algorithms that use constraints) synthesis included; and the most
memory it had at a time. "than peers" is how many times less CPU time that is than the better of two model checkers took
for C versions of the same programs, as recorded: Nidhugg 0.4 (the best of its modes) and GenMC 0.11 --sc, on a machine
with 2 virtual cores. On another machine that ratio compares machines too; "than first" does not. The C versions are interleaved access by access; with --atomicity default a step is what
the program says, which is often more.

` + b.String()
}

// A benchRow is a program with parameters for which times of other tools are known.
type benchRow struct {
	program string
	params  string
	traces  int64 // Mazurkiewicz traces, whether steps are those of the program or single accesses
	// CPU seconds of the peers for a C version with the same steps.
	nidhugg, genmc float64
}

var benchRows = []benchRow{
	{"readers", "N=13", 8192, 1.87, 0.26},
	{"lastzero", "N=10", 3328, 0.62, 0.32},
	{"lastzero", "N=15", 147456, 40.2, 19.7},
	{"indexer", "N=15", 4096, 2.8, 2.1},
	{"locked-buffer", "N=8", 12870, 2.40, 7.57},
	{"fetch-add", "N=8", 40320, 5.1, 3.6},
	{"last-write", "N=7", 5040, 0.74, 0.11},
	{"fib-observed", "N=5", 218243, 14.4, 5.2},
}

// benchPrograms are the programs of the rows, each once.
func benchPrograms() (names []string) {
	for i := range benchRows {
		names = append(names, benchRows[i].program)
	}
	return slices.Compact(names)
}

func (r *benchRow) title() string { return r.program + " " + r.params }
func (r *benchRow) peer() float64 { return min(r.nidhugg, r.genmc) }

// called reports whether a name is that of the row or of its program.
func (r *benchRow) called(name string) bool { return name == r.program || name == r.title() }

// benchAlgorithms are what is measured unless something else is asked for: two that do without constraints, and the default
// of cdpor run.
func benchAlgorithms() []string {
	return append([]string{"source", "optimal"}, compare.Registered("auto", "constrained")[0])
}

// A benchMode is an algorithm, and what it takes for a step.
type benchMode struct {
	*compare.Variant
	atomicity string // default: what the program says; or access
}

// name is that of the algorithm, with the atomicity if that is not the default one.
func (m *benchMode) name() string {
	if m.atomicity == defaultAtomicity {
		return m.Name
	}
	return m.Name + ", " + m.atomicity
}

const defaultAtomicity = "default"

// A benchmark is what several runs of an algorithm on a row took.
type benchmark struct {
	row    *benchRow
	mode   benchMode
	search output.Search
	cpu    []float64 // seconds of each run, sorted
	memory int64     // bytes, the most of all runs; 0: not known on this system
}

func (b *benchmark) complete() bool   { return b.search.Stopped == explore.StoppedComplete }
func (b *benchmark) seconds() float64 { return b.cpu[len(b.cpu)/2] }

func (c *benchCommand) Run(e *environment) error {
	if c.Runs < 1 || c.Timeout <= 0 {
		return fault.Inputf("--runs and --timeout must be positive")
	}
	var modes []benchMode
	for _, atomicity := range c.Atomicity {
		for _, name := range c.Algorithm {
			v, err := compare.FindVariant(name)
			if err != nil {
				return err
			}
			if v.Algorithm.Stateful && c.Plot != "" {
				return fault.Inputf("--plot is about executions, which %s does not have", name)
			}
			modes = append(modes, benchMode{v, atomicity})
		}
	}
	rows, err := c.rows()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "cdpor-bench-")
	if err != nil {
		return fault.FileError(err)
	}
	defer os.RemoveAll(dir)
	t := &benchTable{machine: machine()}
	p := newProgress(e)
	defer p.done()
	for i, row := range rows {
		path, err := row.write(dir)
		if err != nil {
			return err
		}
		var line []*benchmark
		for _, mode := range modes {
			p.say(func() string { return fmt.Sprintf("%s (%d of %d): %s", row.title(), i+1, len(rows), mode.name()) })
			b, err := c.measure(e.ctx, path, row, mode)
			if e.ctx.Err() != nil {
				return fault.ExitIncomplete
			}
			if err != nil {
				return err
			}
			line = append(line, b)
		}
		t.rows = append(t.rows, line)
	}
	p.done()
	if err := t.print(e.stdout, terminal.Columns(e.stdout), c.Format); err != nil {
		return err
	}
	if c.Plot != "" {
		if err := files.Write(c.Plot, t.plot()); err != nil {
			return err
		}
		fmt.Fprintf(e.stderr, "cdpor: plot written to %s\n", c.Plot)
	}
	if !t.complete() {
		return fault.ExitIncomplete
	}
	return nil
}

// rows are those whose program or title is asked for.
func (c *benchCommand) rows() ([]*benchRow, error) {
	var chosen []*benchRow
	for i := range benchRows {
		row := &benchRows[i]
		if len(c.Rows) == 0 || slices.ContainsFunc(c.Rows, row.called) {
			chosen = append(chosen, row)
		}
	}
	for _, name := range c.Rows {
		if !slices.ContainsFunc(chosen, func(r *benchRow) bool { return r.called(name) }) {
			return nil, fault.Inputf("there is no row %q; there are %s", name, strings.Join(benchPrograms(), ", "))
		}
	}
	return chosen, nil
}

// write writes the program to a folder.
func (r *benchRow) write(dir string) (path string, err error) {
	text, err := fs.ReadFile(testdata.Files, "programs/"+r.program+".yaml")
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, r.program+".yaml")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		return "", fault.FileError(err)
	}
	return path, nil
}

// measure runs cdpor compare on the program in a process of its own, several times.
func (c *benchCommand) measure(ctx context.Context, path string, row *benchRow, mode benchMode) (*benchmark, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := []string{"compare", path, "-p", row.params, "--algorithm", mode.Name, "--format", "json", "--no-cache",
		"--timeout", c.Timeout.String()}
	if mode.atomicity != defaultAtomicity {
		args = append(args, "--atomicity", mode.atomicity)
	}
	b := &benchmark{row: row, mode: mode}
	for range c.Runs {
		run, err := runProcess(ctx, self, args...)
		if err != nil {
			return nil, fmt.Errorf("%s with %s: %w", row.title(), mode.name(), err)
		}
		var out compare.Document
		if err := json.Unmarshal(run.stdout, &out); err != nil || len(out.Runs) != 1 {
			return nil, fmt.Errorf("%s with %s: no result: %w: %s", row.title(), mode.name(), err, run.stderr)
		}
		b.search = out.Runs[0].Search
		if n := b.search.Executions; mode.Algorithm.Traces && !mode.Constraints && b.complete() && n != row.traces {
			return nil, fmt.Errorf("%s with %s: %d executions, and not the %d traces: please report this", row.title(), mode.name(), n, row.traces)
		}
		b.cpu = append(b.cpu, run.cpu)
		b.memory = max(b.memory, run.memory)
		if !b.complete() {
			break
		}
	}
	slices.Sort(b.cpu)
	return b, nil
}

// A processRun is a cdpor process that has come to its end.
type processRun struct {
	stdout, stderr []byte
	cpu            float64 // seconds, user and system, of all threads
	memory         int64   // bytes, the most that it had; 0: not known on this system
}

// runProcess runs a cdpor command in a process of its own. It is no error if the search is not complete or finds a
// violation.
func runProcess(ctx context.Context, file string, args ...string) (*processRun, error) {
	var stdout, stderr bytes.Buffer
	run := exec.CommandContext(ctx, file, args...)
	run.Args[0] = "cdpor" // whatever the file is called: in tests it is the test
	run.Cancel = func() error { return run.Process.Signal(os.Interrupt) }
	run.WaitDelay = 5 * time.Second
	run.Stdout, run.Stderr = &stdout, &stderr
	err := run.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && (exit.ExitCode() == int(fault.ExitIncomplete) || exit.ExitCode() == int(fault.ExitViolation)) {
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, &stderr)
	}
	p := run.ProcessState
	return &processRun{stdout.Bytes(), stderr.Bytes(), (p.UserTime() + p.SystemTime()).Seconds(), memory.PeakOf(p)}, nil
}

// machine names the machine that was measured on.
func machine() string {
	model := ""
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	return cmp.Or(model, "unknown processor")
}
