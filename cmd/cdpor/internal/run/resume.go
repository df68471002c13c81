package run

import (
	"cmp"
	"context"
	"fmt"

	"cdpor/cmd/cdpor/internal/checkpoint"
	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/flags"
	"cdpor/cmd/cdpor/internal/limits"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/prove"
	"cdpor/cmd/cdpor/internal/remote"
	"cdpor/cmd/cdpor/internal/report"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/constraints"
	"cdpor/explore"
	"cdpor/lang/step"
)

func (c *Resume) Help() string {
	return `The file has the program, its parameters, the constraints, the options of the search and all that was found so far. The
search ends with exactly the numbers, outcomes and schedules that it would have had without interruption; with several
workers, before or now, and where auto goes over to the state graph, with the same outcomes. When it is interrupted
again, it is saved in the same file; if it was saved now and then, it still is.`
}

func (c *Resume) Run(e *environment.Environment) error {
	if err := cmp.Or(c.validate(), c.publishFlags.check(&Command{}, false)); err != nil {
		return err
	}
	return c.unexplored(e, "cdpor resume ", c.File, c.resume(e))
}

func (c *Resume) resume(e *environment.Environment) error {
	if c.Connect != "" {
		return c.comeBack(e)
	}
	run, cp, err := checkpoint.Read(c.File)
	if err != nil {
		return err
	}
	if run.Ran != nil {
		return c.resumeRun(e, run)
	}
	if run.Go == nil && files.Changed(run.Program, run.Text) {
		fmt.Fprintf(e.Stderr, "cdpor: note: %s has changed since; this goes on with the program as it was\n",
			run.Program)
	}
	m, k, text, err := c.load(e.Context, run, cp)
	if err != nil {
		return err
	}
	alg, err := explore.Find(cp.Algorithm)
	if err != nil {
		return fault.Inputf("%s cannot be gone on with: %w", c.File, err)
	}
	ctx, cancel := c.Bounded(e, c.Timeout)
	defer cancel()
	p := progress.New(e)
	defer p.Done()
	p.Earlier = run.Spent
	as := c.asRun(run, cp)
	r, err := as.newReport(e, alg, m)
	if err != nil {
		return err
	}
	r.Source, r.Knowledge = text, k
	opt := explore.Options{MaxExecutions: as.MaxExecutions, Progress: p.Exploring, GiveUp: limits.GivingUp(ctx)}
	if opt.Workers, err = c.Number(); err != nil {
		return err
	}
	if k.Set != nil && cp.Constrained {
		opt.Conditions = k.Set.Compile(m)
	}
	a := progress.NewAnnouncer(p)
	defer a.Release()
	opt.Found, opt.StopAtFirst = a.Found(r, "search"), c.StopAtFirst
	start := e.Now()
	w := &checkpoint.Writer{Progress: p, Run: run, Path: c.File, Every: cmp.Or(c.CheckpointEvery, run.Every),
		Ends: true, Begun: start, Earlier: run.Spent, Last: start}
	opt.Checkpoint = w.Offer
	if alg.Chooses {
		ask, err := source.NewAsker(m, prove.Host(p), &source.CacheFlags{})
		if err != nil {
			return err
		}
		defer ask.Close()
		ask.Answers(m, &opt, func(kept *source.Source) {
			*k, w.Run.Constraints = *kept, checkpoint.SaveConstraints(kept)
		})
	}
	if r.Result, err = explore.Resume(ctx, m, cp, opt); err != nil {
		return fault.Inputf("%s cannot be gone on with: %w (it was written by cdpor %s)", c.File, err, run.Cdpor)
	}
	if alg.Chooses && k.Trust == source.Synthesised && !r.Result.Constrained {
		*k = *source.WithoutAny()
	}
	r.Time = run.Spent + e.Now().Sub(start)
	if r.Checkpoint, r.Lost = w.Saved(r.Result); r.Result.Stopped == explore.StoppedExecutions { // perhaps at once
		r.Checkpoint = c.File
	}
	a.End()
	p.Done()
	return as.finishResumed(ctx, e, r, run.Simulated)
}

// finishResumed reports a search that was gone on with, and what schedules had shown before it.
func (c *Command) finishResumed(ctx context.Context, e *environment.Environment, r *report.Report,
	simulated []string) error {
	if err := r.AddSimulated(simulated); err != nil {
		return err
	}
	if err := c.excuse(ctx, r); err != nil {
		return err
	}
	return c.finish(ctx, e, r)
}

// validate reports flags that cannot be.
func (c *Resume) validate() error {
	if c.Show < 0 || c.Timeout < 0 || c.CheckpointEvery < 0 || c.MaxExecutions != nil && *c.MaxExecutions < 0 {
		return fault.Inputf("--show, --timeout, --checkpoint-every and --max-executions cannot be negative")
	}
	if c.Connect == "" && (c.ServerFlags != (remote.ServerFlags{}) || c.GoProgram != "") {
		return fault.Inputf("--go-program, --creds, --tls-ca, --tls-cert, --tls-key and --inbox go with --connect")
	}
	return nil
}

// asRun is the command that would have run the search without interruption.
func (c *Resume) asRun(run *checkpoint.Run, cp *explore.Checkpoint) *Command {
	r := &Command{ReportFlags: c.ReportFlags, VacuousFlag: c.VacuousFlag, LivenessFlags: c.LivenessFlags,
		publishFlags: c.publishFlags}
	r.Algorithm = cp.Algorithm
	r.ProgramFlags = programOf(run)
	if run.Go != nil {
		r.Func, r.EarlyTimers = run.Go.Given, run.Go.EarlyTimers
	}
	r.MaxExecutions, r.MaxDepth, r.Preemptions, r.Symmetry = cp.MaxExecutions, cp.MaxDepth, cp.Preemptions, cp.Symmetry
	if c.MaxExecutions != nil {
		r.MaxExecutions = *c.MaxExecutions
	}
	return r
}

// programOf has the flags of the program whose search was saved.
func programOf(run *checkpoint.Run) flags.ProgramFlags {
	f := flags.ProgramFlags{Program: run.Program,
		ChangeFlags: flags.ChangeFlags{Param: run.Param, Atomicity: run.Atomicity}, Text: []byte(run.Text)}
	if g := run.Go; g != nil {
		f.GoFlags = flags.GoFlags{Func: g.Func, Bound: g.Bounds, NoRaces: g.NoRaces}
	}
	return f
}

// load makes the program and the constraints of a run again. text gives the files of a Go program.
func (c *Resume) load(ctx context.Context, run *checkpoint.Run, cp *explore.Checkpoint) (m *step.Machine,
	k *source.Source, text func(file string) []byte, err error) {
	f := programOf(run)
	var src step.Loaded
	if run.Go != nil {
		src, err = f.LoadGo(ctx)
	} else {
		src, err = f.LoadText(run.Program, f.Text)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	if run.Go != nil && cp.Program != constraints.Digest(src.Form()) {
		return nil, nil, nil, fault.Inputf("%s has changed since the search was saved, which goes on in no other "+
			"program: run it again", run.Program)
	}
	if k, err = run.Constraints.Source(src.Form()); err != nil {
		return nil, nil, nil, err
	}
	m, err = c.Machine(src.Form())
	return m, k, src.Source, err
}
