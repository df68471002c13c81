//go:build !nocluster

package run

import (
	"context"
	"encoding/json"

	"cdpor/cmd/cdpor/internal/checkpoint"
	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/flags"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/remote"
	"cdpor/cmd/cdpor/internal/report"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/constraints"
	"cdpor/explore"
	"cdpor/explore/replay"
	"cdpor/lang/step"
)

// checkConnect refuses what does not go with others.
func (c *Command) checkConnect(workers int) error {
	if err := c.ConnectFlags.Check(); err != nil || c.Connect == "" {
		return err
	}
	other := firstGiven([]givenFlag{
		{workers > 1, "--workers"}, {c.CheckpointFlags.Every() > 0, "--checkpoint: the job is its own"},
		{c.Watch, "--watch"}, {c.Schedule != nil, "--schedule"},
		{c.observer() != nil, "a picture of the exploration"},
		{c.Symmetry, "--symmetry: states that are taken for each other may be kept by different workers"}})
	if other != "" {
		return fault.Inputf("--connect does not go with %s", other)
	}
	return nil
}

// A submission has the data that cdpor resume needs for the report on a job.
type submission struct {
	*checkpoint.Run
	Go          *replay.GoRecord `json:",omitempty"` // of a Go program, whose files have to be there
	EarlyTimers bool             `json:",omitempty"`
}

// remote makes the remote of a run. used are the constraints that the search goes on with.
func (c *searching) remote(r *report.Report, used func() *source.Source) *remote.Search {
	goProgram := ""
	if r.Machine.Program.From != "" {
		goProgram = c.Program
	}
	return &remote.Search{ConnectFlags: &c.ConnectFlags, Progress: c.progress, Used: used, GoProgram: goProgram,
		Title: c.Arguments(),
		Back: func() ([]byte, error) {
			s := submission{Run: c.savedRun(used(), r.Machine.Program), EarlyTimers: c.EarlyTimers}
			s.Simulated, s.Run.Go, s.Go = r.Simulated, nil, c.GoFlags.Record(r.Machine.Program)
			return json.Marshal(s)
		}}
}

// comeBack waits for the result of a job and reports it.
func (c *Resume) comeBack(e *environment.Environment) (err error) {
	other := firstGiven([]givenFlag{
		{c.CheckpointEvery > 0, "--checkpoint-every"}, {c.MaxExecutions != nil, "--max-executions"},
		{c.Workers > 1, "--workers"}, {c.StopAtFirst, "--stop-at-first"}})
	if other != "" {
		return fault.Inputf("%s does not go with --connect: the job is as it was submitted", other)
	}
	ctx, cancel := c.Bounded(e, c.Timeout)
	defer cancel()
	p := progress.New(e)
	defer p.Done()
	back := &remote.Search{ConnectFlags: &remote.ConnectFlags{Connect: c.Connect, ServerFlags: c.ServerFlags},
		Progress: p, GoProgram: c.GoProgram}
	nc, job, err := c.OpenJob(ctx, c.Connect, c.File, back.Say)
	if err != nil {
		return err
	}
	back.NC = nc
	defer func() { back.Leave(e, err) }()
	var s submission
	if err := json.Unmarshal(job.Spec.Back, &s); err != nil {
		return fault.Inputf("job %s cannot be come back to: %w", c.File, err)
	}
	if s.Run == nil {
		return fault.Inputf("job %s is of cdpor compare, which waits for it itself", c.File)
	}
	as, m, err := c.submitted(e.Context, &s)
	if err != nil {
		return err
	}
	k, err := s.Constraints.Source(m.Program)
	if err != nil {
		return err
	}
	alg, opt, err := job.Spec.Search(m)
	if err != nil {
		return err
	}
	as.Algorithm, as.MaxExecutions, as.MaxDepth = alg.Name, job.Spec.MaxExecutions, job.Spec.MaxDepth
	as.Preemptions, as.Connect = job.Spec.Preemptions, c.Connect
	r, err := as.newReport(e, alg, m)
	if err != nil {
		return err
	}
	r.Knowledge = k
	a := progress.NewAnnouncer(p)
	defer a.Release()
	opt.Progress, opt.Found = p.Exploring, a.Found(r, "search")
	start := e.Now()
	p.Earlier = max(0, start.Sub(job.Begun()))
	f, stopped, err := back.Coordinate(ctx, job, m, alg, opt)
	if err != nil {
		return err
	}
	r.Result, r.Time = f.Result(stopped), e.Now().Sub(start)
	r.Result.Workers, r.Result.Constrained = max(1, back.Workers), opt.Conditions != nil
	a.End()
	p.Done()
	return as.finishResumed(ctx, e, r, s.Simulated)
}

// submitted is the command that has submitted a job, and the machine of its program.
func (c *Resume) submitted(ctx context.Context, s *submission) (*Command, *step.Machine, error) {
	as := c.asRun(s.Run, &explore.Checkpoint{})
	if s.Go == nil {
		src, err := as.ChangeFlags.LoadText(s.Program, []byte(s.Text))
		if err != nil {
			return nil, nil, err
		}
		m, err := c.Machine(src.Program)
		return as, m, err
	}
	if c.GoProgram == "" {
		return nil, nil, fault.Inputf("job %s searches a Go program, which was at %s when it was submitted, as the "+
			"job says: add --go-program with its package or file, which is loaded then",
			c.File, terminal.Quote(s.Program))
	}
	as.Program = c.GoProgram
	as.GoFlags, as.EarlyTimers = flags.GoFlagsOf(s.Go), s.EarlyTimers
	src, err := as.Load(ctx)
	if err != nil {
		return nil, nil, err
	}
	if constraints.Digest(src.Form()) != s.Go.Digest {
		return nil, nil, fault.Inputf("%s is not the program of the job, or has changed since: to come back to it "+
			"needs the files as they were", c.GoProgram)
	}
	m, err := c.Machine(src.Form())
	return as, m, err
}
