package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/flags"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/report"
	"cdpor/cmd/cdpor/internal/run"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/replay"
	"cdpor/lang/step"

	"github.com/google/go-cmp/cmp"
)

// traced is a program with its tracer.
func traced(t *testing.T, path string, params map[string]string) *subject {
	t.Helper()
	s := load(t, path, params)
	var err error
	if s.t, err = replay.New(s.m); err != nil {
		t.Fatal(err)
	}
	return s
}

// aReport is a report of a search of a program.
func aReport(t *testing.T, path string, params map[string]string) (*report.Report, *bytes.Buffer) {
	t.Helper()
	s := traced(t, path, params)
	a, err := explore.Find("source")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	r := &report.Report{Machine: s.m, Player: s.t, Out: &out, Options: report.Options{Program: path, Arguments: path},
		Algorithm: a, Patience: context.Background(), Knowledge: &source.Source{}}
	if r.Result, err = explore.Run(context.Background(), s.m, a, explore.Options{}); err != nil {
		t.Fatal(err)
	}
	return r, &out
}

// patient is an environment in which nothing is shown for an hour.
func patient(out io.Writer) *environment.Environment {
	return &environment.Environment{Stdout: out, Stderr: out, Now: time.Now, HoldBack: time.Hour,
		Context: context.Background()}
}

const buffer = "../../testdata/programs/check-then-act.yaml"

// TestAnnouncer: what is found in the first moment is shown when that is over, later things at once, equal ones once,
// and nothing when the report comes.
func TestAnnouncer(t *testing.T) {
	r, out := aReport(t, buffer, map[string]string{"CONSUMERS": "3"})
	if len(r.Result.Violations) != 3 {
		t.Fatalf("%d violations", len(r.Result.Violations))
	}
	a := progress.NewAnnouncer(progress.New(patient(out)))
	found := a.Found(r, "search")
	if !found(r.Result.Violations[0]) || !found(r.Result.Violations[1]) || out.Len() > 0 {
		t.Errorf("shown in the first moment: %s", out)
	}
	a.Release()
	want := "cdpor: violation: " + r.ViolationText(r.Result.Violations[0]) + "\n  found by the search, in " +
		terminal.Plural(len(r.Result.Violations[0].Schedule), "step") + "\n  replay: " +
		r.ReplayLine(r.Result.Violations[0].Schedule) + "\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
	out.Reset()
	found(r.Result.Violations[2])
	other := &explore.Violation{Kind: explore.DeadlockFound, Words: r.Machine.Initial(),
		Schedule: slices.Repeat([]int32{0, 1}, 2000)}
	if found(other); strings.Count(out.String(), "violation:") != 1 ||
		!strings.Contains(out.String(), "in 4000 steps; the report at the end has") {
		t.Errorf("shown at once: %s", out)
	}
	out.Reset()
	a.End()
	another := *other
	another.Kind = explore.FinalBroken
	another.Property = &step.Property{Text: "x"}
	if found(&another); out.Len() > 0 {
		t.Errorf("shown with the report: %s", out)
	}
}

// TestAnnouncerEnough: an announcer does not go on for ever.
func TestAnnouncerEnough(t *testing.T) {
	r, out := aReport(t, buffer, nil)
	a := progress.NewAnnouncer(progress.New(patient(out)))
	a.Release()
	found, calls := a.Found(r, "search"), 0
	for more := true; more; calls++ {
		more = found(&explore.Violation{Kind: explore.OutcomeExtra, Words: []int64{int64(calls), 0},
			Schedule: []int32{0}})
	}
	if calls != progress.MaxAnnounced || strings.Count(out.String(), "violation:") != calls ||
		!strings.HasSuffix(out.String(), "further violations are in the report at the end\n") {
		t.Errorf("%d calls: %s", calls, out)
	}
}

// TestShownWhileSearching: with all algorithms and several workers, violations are shown before the report is.
func TestShownWhileSearching(t *testing.T) {
	for _, alg := range explore.Algorithms() {
		for _, workers := range []int{1, 2} {
			if alg.Alone && workers > 1 {
				continue
			}
			for _, simulate := range []int{0, -1} {
				var out, err bytes.Buffer
				e := &environment.Environment{Stdout: writerFunc(func(p []byte) (int, error) {
					if !strings.Contains(err.String(), "cdpor: violation: "+buffer+":21:17: consumer[") {
						return 0, fmt.Errorf("the report begins, and nothing has been shown: %q", err.String())
					}
					return out.Write(p)
				}), Stderr: &err, Now: time.Now, Context: context.Background()}
				c := &run.Command{AlgorithmFlags: flags.AlgorithmFlags{Algorithm: alg.Name}}
				c.Program, c.Workers, c.NoConstraints = buffer, workers, true
				by := "simulation"
				if simulate == 0 {
					c.Simulate, by = &simulate, "search"
				}
				if code := c.Run(e); code != error(fault.ExitViolation) {
					t.Errorf("%s with %d workers: %v", alg.Name, workers, code)
				}
				if n := strings.Count(err.String(), "cdpor: violation"); n != 1 ||
					!strings.Contains(err.String(), "found by the "+by) {
					t.Errorf("%s with %d workers: shown %d times: %s", alg.Name, workers, n, &err)
				}
			}
		}
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestSimulationChangesNothing: a whole search reports the same with schedules before it and without.
func TestSimulationChangesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	programs, err := filepath.Glob("../../testdata/programs/*.yaml")
	if err != nil || len(programs) == 0 {
		t.Fatal("no programs", err)
	}
	actors, _ := filepath.Glob("../../testdata/actors/*.yaml")
	compared, found := 0, 0
	for _, path := range append(programs, actors...) {
		run := func(more ...string) map[string]any {
			var stdout, stderr bytes.Buffer
			args := append([]string{"run", "--json", "--no-constraints", "--max-executions", "300", path}, more...)
			if code := runMain(args, nil, &stdout, &stderr); code > fault.ExitIncomplete {
				t.Fatalf("%s: exit code %d\n%s", path, code, &stderr)
			}
			var v map[string]any
			if err := json.Unmarshal(stdout.Bytes(), &v); err != nil {
				t.Fatal(err)
			}
			delete(v, "seconds")
			return v
		}
		without, with := run("--simulate", "0"), run()
		if without["stopped"] == explore.StoppedComplete {
			if compared++; without["verdict"] == "violation" {
				found++
			}
			if diff := cmp.Diff(without, with); diff != "" {
				t.Errorf("%s: without schedules before the search and with them:\n%s", path, diff)
			}
		} else if diff := cmp.Diff(without["search"], with["search"]); diff != "" {
			t.Errorf("%s: the search is another one:\n%s", path, diff)
		}
	}
	if t.Logf("%d programs, %d of them wrong", compared, found); compared < 80 || found < 15 {
		t.Errorf("only %d programs, %d of them wrong", compared, found)
	}
}
