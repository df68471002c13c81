package bench

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"cdpor/cmd/cdpor/internal/compare"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/memory"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/explore"
)

// A Mode is an algorithm, and what it takes for a step.
type Mode struct {
	*compare.Variant
	Atomicity string // default: what the program says; or access
}

// Label is that of the algorithm, with the atomicity if that is not the default one.
func (m *Mode) Label() string {
	if m.Atomicity == defaultAtomicity {
		return m.Name
	}
	return m.Name + ", " + m.Atomicity
}

const defaultAtomicity = "default"

// A Benchmark is what several runs of an algorithm on a row took.
type Benchmark struct {
	row    *Row
	mode   Mode
	search output.Search
	cpu    []float64 // seconds of each run, sorted
	memory int64     // bytes, the most of all runs; 0: not known on this system
}

func (b *Benchmark) complete() bool   { return b.search.Stopped == explore.StoppedComplete }
func (b *Benchmark) seconds() float64 { return b.cpu[len(b.cpu)/2] }

// Measure runs cdpor compare on the program in a process of its own, several times.
func Measure(ctx context.Context, path string, row *Row, mode Mode, runs int, timeout time.Duration) (
	*Benchmark, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := []string{"compare", path, "-p", row.params, "--algorithm", mode.Name, "--format", "json", "--no-cache",
		"--timeout", timeout.String()}
	if mode.Atomicity != defaultAtomicity {
		args = append(args, "--atomicity", mode.Atomicity)
	}
	b := &Benchmark{row: row, mode: mode}
	for range runs {
		run, err := RunProcess(ctx, self, args...)
		if err != nil {
			return nil, fmt.Errorf("%s with %s: %w", row.Title(), mode.Label(), err)
		}
		var out compare.Document
		if err := json.Unmarshal(run.Stdout, &out); err != nil || len(out.Runs) != 1 {
			return nil, fmt.Errorf("%s with %s: no result: %w: %s", row.Title(), mode.Label(), err, run.Stderr)
		}
		b.search = out.Runs[0].Search
		if n := b.search.Executions; mode.Algorithm.Traces && !mode.Constraints && b.complete() && n != row.traces {
			return nil, fmt.Errorf("%s with %s: %d executions, and not the %d traces: please report this", row.Title(),
				mode.Label(), n, row.traces)
		}
		b.cpu = append(b.cpu, run.CPU)
		b.memory = max(b.memory, run.memory)
		if !b.complete() {
			break
		}
	}
	slices.Sort(b.cpu)
	return b, nil
}

// A ProcessRun is a cdpor process that has come to its end.
type ProcessRun struct {
	Stdout, Stderr []byte
	CPU            float64 // seconds, user and system, of all threads
	memory         int64   // bytes, the most that it had; 0: not known on this system
}

// RunProcess runs a cdpor command in a process of its own. It is no error if the search is not complete or finds a
// violation.
func RunProcess(ctx context.Context, file string, args ...string) (*ProcessRun, error) {
	var stdout, stderr bytes.Buffer
	run := exec.CommandContext(ctx, file, args...)
	run.Args[0] = "cdpor" // whatever the file is called: in tests it is the test
	run.Cancel = func() error { return run.Process.Signal(os.Interrupt) }
	run.WaitDelay = 5 * time.Second
	run.Stdout, run.Stderr = &stdout, &stderr
	err := run.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && (exit.ExitCode() == int(fault.ExitIncomplete) ||
		exit.ExitCode() == int(fault.ExitViolation)) {
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, &stderr)
	}
	p := run.ProcessState
	return &ProcessRun{stdout.Bytes(), stderr.Bytes(), (p.UserTime() + p.SystemTime()).Seconds(), memory.PeakOf(p)}, nil
}

// Machine names the machine that was measured on.
func Machine() string {
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
