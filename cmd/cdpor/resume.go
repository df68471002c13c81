package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"cdpor/cmd/cdpor/internal/checkpoint"
	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/files"
	"cdpor/cmd/cdpor/internal/limits"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/report"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/constraints"
	"cdpor/explore"
	"cdpor/lang/step"
)

type resumeCommand struct {
	File            string        `arg:"" predictor:"file" help:"A file that cdpor run has written; with --connect, the name of a job."`
	Connect         string        `placeholder:"URL" help:"Come back to a search that cdpor run --connect has left to the workers of the NATS server at URL."`
	GoProgram       string        `name:"go-program" predictor:"file" placeholder:"PATH" help:"With --connect, of a Go program: the package or file that the search is of. It is loaded from nowhere else: where it was, as the job has it, others may have written."`
	MaxExecutions   *int64        `placeholder:"N" help:"Stop after N executions that are complete or cut by the depth limit, those before included; 0: no limit. Default: as for cdpor run."`
	Timeout         time.Duration `placeholder:"TIME" help:"Stop after a time such as 30s or 5m from now."`
	CheckpointEvery time.Duration `placeholder:"TIME" help:"How often to save the search in FILE. Default: as for cdpor run."`
	StopAtFirst     bool          `help:"End the search at the first violation that was not found before."`
	reportFlags
	memoryFlags
	livenessFlags
	workersFlag
	vacuousFlag
	coverageFlag
	publishFlags
	formatFlags
	serverFlags
}

func (c *resumeCommand) Help() string {
	return `The file has the program, its parameters, the constraints, the options of the search and all that was found so far. The
search ends with exactly the numbers, outcomes and schedules that it would have had without interruption; with several
workers, before or now, and where auto goes over to the state graph, with the same outcomes. When it is interrupted
again, it is saved in the same file; if it was saved now and then, it still is.`
}

func (c *resumeCommand) Run(e *environment.Environment) error {
	if err := cmp.Or(c.validate(), c.publishFlags.check(&runCommand{}, false)); err != nil {
		return err
	}
	return c.unexplored(e, "cdpor resume ", c.File, c.resume(e))
}

func (c *resumeCommand) resume(e *environment.Environment) error {
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
	ctx, cancel := c.bounded(e, c.Timeout)
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
	if opt.Workers, err = c.number(); err != nil {
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
		ask, err := source.NewAsker(m, host(p), &source.CacheFlags{})
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
func (c *runCommand) finishResumed(ctx context.Context, e *environment.Environment, r *report.Report,
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
func (c *resumeCommand) validate() error {
	if c.Show < 0 || c.Timeout < 0 || c.CheckpointEvery < 0 || c.MaxExecutions != nil && *c.MaxExecutions < 0 {
		return fault.Inputf("--show, --timeout, --checkpoint-every and --max-executions cannot be negative")
	}
	if c.Connect == "" && (c.serverFlags != (serverFlags{}) || c.GoProgram != "") {
		return fault.Inputf("--go-program, --creds, --tls-ca, --tls-cert, --tls-key and --inbox go with --connect")
	}
	return nil
}

// asRun is the command that would have run the search without interruption.
func (c *resumeCommand) asRun(run *checkpoint.Run, cp *explore.Checkpoint) *runCommand {
	r := &runCommand{reportFlags: c.reportFlags, vacuousFlag: c.vacuousFlag, livenessFlags: c.livenessFlags,
		publishFlags: c.publishFlags}
	r.Algorithm = cp.Algorithm
	r.programFlags = programFlags{Program: run.Program,
		changeFlags: changeFlags{Param: run.Param, Atomicity: run.Atomicity}, text: []byte(run.Text)}
	if run.Go != nil {
		r.goFlags, r.EarlyTimers = goOf(run), run.Go.EarlyTimers
		r.Func = run.Go.Given
	}
	r.MaxExecutions, r.MaxDepth, r.Preemptions, r.Symmetry = cp.MaxExecutions, cp.MaxDepth, cp.Preemptions, cp.Symmetry
	if c.MaxExecutions != nil {
		r.MaxExecutions = *c.MaxExecutions
	}
	return r
}

// goOf are the flags of a Go program whose search was saved.
func goOf(run *checkpoint.Run) goFlags {
	return goFlags{Func: run.Go.Func, Bound: run.Go.Bounds, NoRaces: run.Go.NoRaces}
}

// load makes the program and the constraints of a run again. text gives the files of a Go program.
func (c *resumeCommand) load(ctx context.Context, run *checkpoint.Run, cp *explore.Checkpoint) (m *step.Machine,
	k *source.Source, text func(file string) []byte, err error) {
	change := changeFlags{Param: run.Param, Atomicity: run.Atomicity}
	var src step.Loaded
	if run.Go != nil {
		f := goOf(run)
		src, err = f.loadGo(ctx, run.Program, &change)
	} else {
		src, err = change.loadText(run.Program, []byte(run.Text))
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
	m, err = c.machine(src.Form())
	return m, k, src.Source, err
}
