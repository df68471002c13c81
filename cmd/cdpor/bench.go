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

	"cdpor/explore"
	"cdpor/testdata"
)

type benchCommand struct {
	Rows      []string      `arg:"" optional:"" complete:"rows" help:"Rows of the table, such as fib-observed. Default: all."`
	Algorithm []string      `default:"source,optimal,constrained" complete:"variants" placeholder:"NAME" help:"What to measure; ratios are to the first. Default: source,optimal,constrained."`
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
with 2 virtual cores. On another machine that ratio compares machines too; "than first" does not.

` + b.String()
}

// A benchRow is a program with parameters for which times of other tools are known.
type benchRow struct {
	program string
	params  string
	traces  int64 // Mazurkiewicz traces
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

// A benchmark is what several runs of an algorithm on a row took.
type benchmark struct {
	row    *benchRow
	name   string
	search jsonSearch
	cpu    []float64 // seconds of each run, sorted
	memory int64     // bytes, the most of all runs; 0: not known on this system
}

func (b *benchmark) complete() bool   { return b.search.Stopped == explore.StoppedComplete }
func (b *benchmark) seconds() float64 { return b.cpu[len(b.cpu)/2] }

func (c *benchCommand) Run(e *environment) error {
	if c.Runs < 1 || c.Timeout <= 0 {
		return inputErrorf("--runs and --timeout must be positive")
	}
	var variants []*variant
	for _, name := range c.Algorithm {
		v, err := findVariant(name)
		if err != nil {
			return err
		}
		if v.algorithm.Stateful && c.Plot != "" {
			return inputErrorf("--plot is about executions, which %s does not have", name)
		}
		variants = append(variants, v)
	}
	rows, err := c.rows()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "cdpor-bench-")
	if err != nil {
		return fileError(err)
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
		for _, v := range variants {
			p.say(func() string { return fmt.Sprintf("%s (%d of %d): %s", row.title(), i+1, len(rows), v.Name) })
			b, err := c.measure(e.ctx, path, row, v)
			if e.ctx.Err() != nil {
				return exitIncomplete
			}
			if err != nil {
				return err
			}
			line = append(line, b)
		}
		t.rows = append(t.rows, line)
	}
	p.done()
	if err := t.print(e.stdout, c.Format); err != nil {
		return err
	}
	if c.Plot != "" {
		if err := writeFile(c.Plot, t.plot()); err != nil {
			return err
		}
		fmt.Fprintf(e.stderr, "cdpor: plot written to %s\n", c.Plot)
	}
	if !t.complete() {
		return exitIncomplete
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
			return nil, inputErrorf("there is no row %q; there are %s", name, strings.Join(benchPrograms(), ", "))
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
		return "", fileError(err)
	}
	return path, nil
}

// measure runs cdpor compare on the program in a process of its own, several times.
func (c *benchCommand) measure(ctx context.Context, path string, row *benchRow, v *variant) (*benchmark, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	b := &benchmark{row: row, name: v.Name}
	for range c.Runs {
		var stdout, stderr bytes.Buffer
		run := exec.CommandContext(ctx, self, "compare", path, "-p", row.params, "--algorithm", v.Name, "--format", "json",
			"--timeout", c.Timeout.String())
		run.Args[0] = "cdpor" // whatever the file is called: in tests it is the test
		run.Cancel = func() error { return run.Process.Signal(os.Interrupt) }
		run.WaitDelay = 5 * time.Second
		run.Stdout, run.Stderr = &stdout, &stderr
		err := run.Run()
		var exit *exec.ExitError
		if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == int(exitIncomplete)) {
			return nil, fmt.Errorf("%s with %s: %w: %s", row.title(), v.Name, err, &stderr)
		}
		var out jsonComparison
		if err := json.Unmarshal(stdout.Bytes(), &out); err != nil || len(out.Runs) != 1 {
			return nil, fmt.Errorf("%s with %s: no result: %w: %s", row.title(), v.Name, err, &stderr)
		}
		b.search = out.Runs[0].Search
		if n := b.search.Executions; v.algorithm.Traces && !v.constraints && b.complete() && n != row.traces {
			return nil, fmt.Errorf("%s with %s: %d executions, and not the %d traces: please report this", row.title(), v.Name, n, row.traces)
		}
		b.cpu = append(b.cpu, (run.ProcessState.UserTime() + run.ProcessState.SystemTime()).Seconds())
		b.memory = max(b.memory, peakMemory(run.ProcessState))
		if !b.complete() {
			break
		}
	}
	slices.Sort(b.cpu)
	return b, nil
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
