package run

import (
	"io"
	"os"
	"path/filepath"

	"cdpor/cmd/cdpor/internal/checkpoint"
	"cdpor/cmd/cdpor/internal/cli"
	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/version"
	"cdpor/explore"
	"cdpor/explore/native"
)

// The search of a test that is executed, saved and gone on with.

// saved prepares that the search of a test is saved.
func (r *testRun) saved(name string) error {
	digest, err := r.tests.Digest()
	if err != nil {
		return err
	}
	now := r.env.Now()
	r.saves = &checkpoint.Writer{Progress: r.progress, Path: r.Checkpoint, Every: r.Every(), Ends: r.Every() > 0,
		Base: filepath.Join(r.Program, name), Begun: now, Last: now,
		Run: &checkpoint.Run{Cdpor: version.Text, Program: r.Program, Constraints: &checkpoint.Constraints{
			Trust: source.None}, Go: &checkpoint.Go{Func: name, NoRaces: !r.races, EarlyTimers: r.EarlyTimers,
			Binary: digest}}}
	return nil
}

// offered lets the writer have the search.
func (r *testRun) offered(opt *native.Options) {
	if r.saves == nil {
		return
	}
	opt.Checkpoint = func(stopped string, save func() *native.Saved) {
		r.saves.Offer(stoppedRun[stopped], func() *explore.Checkpoint {
			r.saves.Run.Ran = save()
			return nil
		})
	}
}

// stoppedRun are the reasons of package explore to stop.
var stoppedRun = map[string]string{native.StoppedContext: explore.StoppedContext,
	native.StoppedExecutions: explore.StoppedExecutions}

// sayWhereSaved says where the search is saved, if it is.
func (r *testRun) sayWhereSaved(res *native.Result) {
	if r.saves == nil {
		return
	}
	r.progress.Done()
	stopped := stoppedRun[res.Stopped]
	path, lost := r.saves.Saved(&explore.Result{Stopped: stopped})
	io.WriteString(r.env.Stderr, whereSaved(path, lost, stopped))
}

// resumeRun goes on with the search of a test that is executed.
func (c *Resume) resumeRun(e *environment.Environment, run *checkpoint.Run) error {
	if os.Getenv(cli.NoRun) != "" {
		return fault.Inputf("%s has a search that executes the program, and %s forbids that", c.File, cli.NoRun)
	}
	if flag := firstGiven([]givenFlag{{c.Show > 0, "--show"}, {c.Coverage, "--coverage"},
		{c.StopAtFirst, "--stop-at-first"}}); flag != "" {
		return fault.Inputf("%s is not for a search that executes the test", flag)
	}
	if _, err := c.Number(); err != nil {
		return err
	}
	opt := run.Ran.Options
	r := &Command{ReportFlags: c.ReportFlags, publishFlags: c.publishFlags}
	r.Program, r.Func, r.NoRaces = run.Program, run.Go.Func, run.Go.NoRaces
	r.Algorithm, r.Workers, r.Engine = run.Ran.Algorithm, c.Workers, "run"
	r.Checkpoint, r.CheckpointEvery = c.File, c.CheckpointEvery
	if r.CheckpointEvery == 0 {
		r.CheckpointEvery = run.Every
	}
	r.MaxExecutions, r.MaxDepth, r.KeepGoing, r.EarlyTimers = opt.Executions, opt.Events, opt.All, opt.Early
	if c.MaxExecutions != nil {
		r.MaxExecutions = *c.MaxExecutions
	}
	if opt.Preempt {
		r.Preemptions = &opt.Preemptions
	}
	t, err := r.startRun(e)
	if err != nil {
		return err
	}
	defer t.done()
	r.Timeout, r.MaxMemory = c.Timeout, c.MaxMemory
	ctx, cancel := r.runBounded(e)
	defer cancel()
	if err := t.saved(run.Go.Func); err != nil {
		return err
	}
	if t.saves.Run.Go.Binary != run.Go.Binary {
		return fault.Inputf("%s has changed since the search was saved, which goes on in no other program: run it "+
			"again", run.Program)
	}
	t.saves.Earlier, t.saves.Ends, t.from = run.Spent, true, run.Ran
	return t.report(ctx, run.Go.Func)
}
