package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/explore"
)

var (
	strict = flag.Bool("strict", false,
		"TestLimits tries every program with every algorithm, and measures what is promised")
	onlyLimits = flag.String("limits", "", "of TestLimits only the limits with this in their name: timeout, "+
		"memory, SIGTERM, workers")
)

// What is promised on an idle machine, and what is allowed where others work on it too.
const (
	promisedTime   = time.Second
	promisedSignal = 2 * time.Second
	promisedMemory = 1.1
	allowedTime    = 20 * time.Second
	allowedMemory  = 1.5
)

// ownMemory is what the process has besides what the limit is about: the program itself and the library of the solver.
const ownMemory = 25 << 20

// A limited run is one of a program with a limit.
type limitedRun struct {
	code   int
	over   time.Duration // after the limit, or the signal
	memory int64
	stderr string
}

// runLimited runs cdpor, and sends a signal unless that is nil, some time after it has begun to listen for one: it then
// opens its configuration, which is a named pipe.
func runLimited(t *testing.T, dir, program, algorithm string, after time.Duration, signal os.Signal, args ...string) (
	r limitedRun) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata/long", program+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, program+".yaml"), text, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("cdpor", append([]string{"run", program + ".yaml", "--algorithm", algorithm, "--max-depth",
		"10000000", "--no-cache"}, args...)...)
	configuration := filepath.Join(dir, "configuration")
	if signal != nil {
		if err := syscall.Mkfifo(configuration, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd.Args = append(cmd.Args, "--config", configuration)
	}
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &stderr
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if signal != nil {
		go func() {
			if f, err := os.OpenFile(configuration, os.O_WRONLY, 0); err == nil {
				f.Close()
				time.Sleep(after)
				_ = cmd.Process.Signal(signal)
			}
		}()
	}
	hung := time.AfterFunc(after+3*allowedTime, func() { _ = cmd.Process.Kill() })
	err = cmd.Wait()
	hung.Stop()
	r.over = time.Since(begun) - after
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	r.code, r.stderr = cmd.ProcessState.ExitCode(), stderr.String()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok && runtime.GOOS != "darwin" { // bytes there
		r.memory = int64(usage.Maxrss) << 10
	}
	return r
}

// TestLimits holds limits of time and memory, and SIGTERM, against programs with long executions, many races, states,
// outcomes, and questions for the solver. Each is tried with one algorithm, which is enough to see that a loop does
// not ask; every one of them with every algorithm, and tables of what it took: go test ./cmd/cdpor -run 'TestLimits$'
// -v -timeout 3h -args -strict
func TestLimits(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes long")
	}
	soon := 400 * time.Millisecond
	if *strict {
		soon = time.Second
	}
	files, err := filepath.Glob("testdata/long/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	kinds := []struct {
		name   string
		after  time.Duration
		signal os.Signal
		args   []string
		memory int64
	}{
		{name: "timeout", after: soon, args: []string{"--timeout", soon.String()}},
		{name: "memory", after: 15 * time.Second, args: []string{"--max-memory", "150MB", "--timeout", "15s"},
			memory: 150 << 20},
		{name: "SIGTERM", after: soon, signal: syscall.SIGTERM},
		{name: "timeout, 2 workers", after: soon, args: []string{"--timeout", soon.String(), "--workers", "2"}},
		{name: "memory, 2 workers", after: 15 * time.Second, args: []string{"--max-memory", "150MB", "--timeout", "15s",
			"--workers", "2"}, memory: 150 << 20},
		{name: "SIGTERM, 2 workers", after: soon, signal: syscall.SIGTERM, args: []string{"--workers", "2"}},
	}
	type column struct {
		name string
		args []string
	}
	var columns []column
	for _, a := range explore.Algorithms() {
		columns = append(columns, column{a.Name, nil})
	}
	for _, a := range explore.Algorithms() {
		if a.Visits && !a.Chooses {
			columns = append(columns, column{a.Name + "+visited", []string{"--visited"}})
		}
	}
	for k, kind := range kinds {
		if kind.signal != nil && runtime.GOOS == "windows" || kind.memory > 0 && !*strict {
			continue // resume.txtar and limits.txtar have that
		}
		if !strings.Contains(kind.name, *onlyLimits) {
			continue
		}
		var table strings.Builder
		fmt.Fprintf(&table, "%s: seconds too long or the most memory, and the exit code\n%-12s", kind.name, "")
		for _, c := range columns {
			fmt.Fprintf(&table, "%20s", c.name)
		}
		for i, path := range files {
			program := strings.TrimSuffix(filepath.Base(path), ".yaml")
			fmt.Fprintf(&table, "\n%-12s", program)
			for j, c := range columns {
				if !*strict && j != (3*i+k)%len(columns) {
					continue
				}
				algorithm, _, _ := strings.Cut(c.name, "+")
				args := slices.Concat(kind.args, c.args)
				if a, err := explore.Find(algorithm); err == nil && a.Alone && slices.Contains(args, "--workers") {
					continue
				}
				r := runLimited(t, t.TempDir(), program, algorithm, kind.after, kind.signal, args...)
				most, memory := allowedTime, allowedMemory
				if *strict {
					if most, memory = promisedTime, promisedMemory; kind.signal != nil {
						most = promisedSignal
					}
				}
				what := fmt.Sprintf("%s, %s, %s", kind.name, program, c.name)
				if r.over > most {
					t.Errorf("%s: took %.2fs too long", what, r.over.Seconds())
				}
				if code := fault.Code(r.code); code != fault.ExitIncomplete && code != fault.ExitViolation &&
					code != fault.ExitOK {
					t.Errorf("%s: exit code %d\n%s", what, r.code, r.stderr)
				}
				cell := fmt.Sprintf("%+.2fs", r.over.Seconds())
				if kind.memory > 0 {
					cell = fmt.Sprintf("%dMB", r.memory>>20)
					if float64(r.memory-ownMemory) > memory*float64(kind.memory) {
						t.Errorf("%s: took %s", what, cell)
					}
				}
				fmt.Fprintf(&table, "%18s/%d", cell, r.code)
			}
		}
		if *strict {
			t.Log(table.String())
		}
	}
}
