package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/execution"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/record"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/constraints"
	"cdpor/explore/replay"
	"cdpor/lang/step"
)

type replayCommand struct {
	File    string `arg:"" predictor:"file" help:"A file that cdpor run --save has written."`
	Program string `predictor:"file" placeholder:"FILE" help:"Follow the schedule in this program, not in the one that the file contains, or of a Go program names."`
	Step    bool   `xor:"form" help:"Walk through the schedule: Enter goes on, b goes back, s shows the state, q leaves."`
	JSON    bool   `name:"json" xor:"form" help:"Print the result as one JSON object."`
	livenessFlags
	vacuousFlag
	formatFlags
	nativeFlags
}

func (c *replayCommand) Help() string {
	return `The file has the text of the program, its parameters, the schedule and what was wrong; of a Go program, instead of the
text, where it is and which function it begins with. The exit code is that of this
execution: 1 if something is wrong, 0 if not, 3 if the schedule ends before the program does or an assumption dropped the
execution, and 2 if the program does not follow the schedule, which is reported at its step. So with --program a fix can be tried, or a revision found.

With --native the program is run along the schedule, and the exit code is 3 if it does not end as that does.`
}

func (c *replayCommand) Run(e *environment.Environment) error {
	rec, err := record.Read(c.File)
	if err != nil {
		return err
	}
	if rec.Go != nil && rec.Go.Engine == "run" {
		return c.replayRun(e, rec)
	}
	if c.Program == "" && rec.Go == nil && files.Changed(rec.Program, rec.Text) {
		fmt.Fprintf(e.Stderr, "cdpor: note: %s has changed since; --program %s follows the schedule there\n",
			rec.Program, terminal.Quote(rec.Program))
	}
	src, m, err := recordedMachine(e.Context, rec, c.Program)
	if err != nil {
		return err
	}
	if err := c.checkNative(src, !c.Step && !c.JSON); err != nil {
		return err
	}
	if rec.Go != nil && c.Program == "" && rec.Go.Digest != constraints.Digest(m.Program) {
		fmt.Fprintf(e.Stderr, "cdpor: note: %s has changed since; the schedule is followed in what it is now\n",
			rec.Program)
	}
	l, err := execution.ParseSchedule(m, rec.Schedule)
	if err != nil {
		return err
	}
	p, err := replay.New(m)
	if err != nil {
		return err
	}
	p.Expect = rec.Steps
	ctx, cancel := e.Limited(0)
	defer cancel()
	x, err := p.Run(ctx, l, c.liveness())
	r := execution.New(m.Program, x)
	if r.Source = func(string) []byte { return []byte(rec.Text) }; src != nil {
		r.Source = src.Source
	}
	if c.Step {
		w := &execution.Walk{Env: e, Player: p, Schedule: l.Actions()[:len(r.Steps)], Steps: r.Steps,
			Chart: execution.NewChart(e.Colour(e.Stdout), terminal.Columns(e.Stdout), m.Program, r.Steps)}
		if left := w.Run(); left {
			return nil
		}
	}
	if err := r.Show(e.Stdout, e.Colour(e.Stdout), m.Program, err, c.JSON, c.Step); err != nil {
		return err
	}
	if r.Verdict != rec.Verdict || !slices.Equal(r.Wrong, rec.Wrong) {
		was := string(rec.Verdict)
		for _, text := range rec.Wrong {
			was += "; " + text
		}
		fmt.Fprintf(e.Stderr, "cdpor: this is not what the file says: %s\n", was)
	}
	if err := c.native(e, src, m, l, r.Execution); err != nil {
		return err
	}
	c.allowExecution(r.Execution)
	return verdictCode(r.Verdict)
}

// replayRun follows a schedule that the running engine has found.
func (c *replayCommand) replayRun(e *environment.Environment, rec *replay.Record) error {
	flag := firstGiven([]givenFlag{{c.Step, "--step"}, {c.JSON, "--json"}, {c.Native, "--native"}})
	if flag != "" {
		return fault.Inputf("%s is not for a schedule that was found by running the test", flag)
	}
	r := &runCommand{Schedule: &rec.Schedule}
	r.Program, r.Func, r.NoRaces, r.Workers = cmp.Or(c.Program, rec.Program), rec.Go.Func, rec.Go.NoRaces, 1
	r.Algorithm = "auto"
	return r.runTests(e)
}

// recordedMachine makes the program of a record, or with its parameters another one. src is nil for the text of a
// record.
func recordedMachine(ctx context.Context, r *replay.Record, program string) (src step.Loaded, m *step.Machine,
	err error) {
	change := changeFlags{Param: r.Param, Atomicity: r.Atomicity}
	switch {
	case r.Go != nil:
		f := goFlagsOf(r.Go)
		src, err = f.loadGo(ctx, cmp.Or(program, r.Program), &change)
	case program == "":
		m, err = r.Machine()
		return nil, m, err
	default:
		src, err = change.loadFile(program)
	}
	if err != nil {
		return nil, nil, err
	}
	m, err = step.NewMachine(src.Form())
	return src, m, err
}
