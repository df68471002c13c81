//go:build !nocluster

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	neturl "net/url"
	"os"
	"strings"
	"time"

	"cdpor/cmd/cdpor/internal/checkpoint"
	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/report"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/constraints"
	"cdpor/explore"
	"cdpor/explore/cluster"
	"cdpor/explore/distributed"
	"cdpor/explore/replay"
	"cdpor/explore/schedules"
	"cdpor/lang/step"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"
)

// connect connects to a server, which may be about to start again. say is told when the connection is lost and found
// again, and what the server refuses.
func (f *serverFlags) connect(ctx context.Context, url, name string, patience time.Duration, say func(string)) (
	*nats.Conn, error) {
	if (f.TLSCert == "") != (f.TLSKey == "") {
		return nil, fault.Inputf("--tls-cert and --tls-key go together")
	}
	opts := []nats.Option{nats.Name(name), cluster.NoBuffer, nats.MaxReconnects(-1),
		nats.ReconnectWait(200 * time.Millisecond),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				say(fmt.Sprintf("the connection to the server is lost: %v; trying again", err))
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { say("the connection to the server is back") }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if !errors.Is(err, nats.ErrSlowConsumer) {
				say(fmt.Sprintf("the server: %v", err))
			}
		})}
	if f.Creds != "" {
		opts = append(opts, nats.UserCredentials(f.Creds))
	}
	if f.TLSCA != "" {
		opts = append(opts, nats.RootCAs(f.TLSCA))
	}
	if f.TLSCert != "" {
		opts = append(opts, nats.ClientCert(f.TLSCert, f.TLSKey))
	}
	if f.Inbox != "" {
		opts = append(opts, nats.CustomInboxPrefix(f.Inbox))
	}
	for server := range strings.SplitSeq(withScheme(url), ",") {
		if _, err := neturl.Parse(strings.TrimSpace(withScheme(server))); err != nil { // which may quote a part of it
			return nil, fault.Inputf("%s is no URL of a server: write nats://HOST:PORT, with %%40, %%3A and %%2F "+
				"for @, : and / in a password", shownURL(server))
		}
	}
	for begun, told := time.Now(), false; ; {
		nc, err := nats.Connect(url, opts...)
		patience := patience
		if patience > 0 && !errors.Is(err, nats.ErrNoServers) { // a server answers, or did
			patience *= answeredPatience
		}
		switch {
		case err == nil:
			return nc, nil
		case errors.Is(err, nats.ErrAuthorization) || errors.Is(err, os.ErrNotExist) || ctx.Err() != nil ||
			patience >= 0 && time.Since(begun) > patience:
			return nil, fault.Inputf("%s cannot be connected to: %w. cdpor serve starts a server", shownURL(url), err)
		case patience < 0 && !told:
			say(fmt.Sprintf("%s cannot be connected to: %v; trying again", shownURL(url), err))
			told = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// withScheme is the URL of a server as NATS reads it.
func withScheme(url string) string {
	if strings.Contains(url, "://") {
		return url
	}
	return "nats://" + url
}

// shownURL is the URL of a server for messages, which end in logs: without the password.
func shownURL(url string) string {
	if !strings.Contains(url, "@") {
		return terminal.Quote(url)
	}
	return terminal.Quote(terminal.Redact(withScheme(url)))
}

// answeredPatience is how many times as long a command tries where a server answers, but the connection is lost.
const answeredPatience = 5

// serverPatience is how long a command tries to connect to a server that may be about to start again.
const serverPatience = 2 * time.Second

// check refuses what does not make sense.
func (f *connectFlags) check() error {
	if f.Connect == "" && (f.Job != "" || f.Replicas != 0 || f.serverFlags != (serverFlags{})) {
		return fault.Inputf("--job, --replicas, --creds, --tls-ca, --tls-cert, --tls-key and --inbox go with --connect")
	}
	if f.Replicas < 0 || f.Replicas > 5 {
		return fault.Inputf("--replicas must be between 1 and 5")
	}
	return nil
}

// reach looks whether the server is there, before anything is explored.
func (f *connectFlags) reach(ctx context.Context, p *progress.Progress) error {
	if f.Connect == "" {
		return nil
	}
	nc, err := f.connect(ctx, f.Connect, "cdpor run", serverPatience, func(line string) { p.Line("cdpor: " + line) })
	if err == nil {
		nc.Close()
	}
	return err
}

// checkConnect refuses what does not go with others.
func (c *runCommand) checkConnect(workers int) error {
	if err := c.connectFlags.check(); err != nil || c.Connect == "" {
		return err
	}
	other := firstGiven([]givenFlag{
		{workers > 1, "--workers"}, {c.checkpointFlags.every() > 0, "--checkpoint: the job is its own"},
		{c.Watch, "--watch"}, {c.Schedule != nil, "--schedule"},
		{c.observer() != nil, "a picture of the exploration"},
		{c.Symmetry, "--symmetry: states that are taken for each other may be kept by different workers"}})
	if other != "" {
		return fault.Inputf("--connect does not go with %s", other)
	}
	return nil
}

// A remote explores by the workers of a cluster.
type remote struct {
	*connectFlags
	progress *progress.Progress
	title    string
	back     func() ([]byte, error) // makes the submission for cdpor resume
	used     func() *source.Source  // the constraints that are in use

	goProgram string // that is searched, if it is one of Go

	whole   bool         // a search that is interrupted is of no use
	over    *cluster.Job // whose result has not been reported yet
	nc      *nats.Conn
	left    string // the job that goes on when this process has gone
	workers int    // the most that were there at once

	submitted bool // a job was
}

// run explores as explore.Run does. Auto does so by the workers when the search has grown long.
func (c *remote) run(ctx context.Context, m *step.Machine, a *explore.Algorithm, opt explore.Options) (
	*explore.Result, error) {
	if a.Chooses {
		opt.Elsewhere = func(ctx context.Context, a *explore.Algorithm, opt explore.Options) (
			explore.SearchedElsewhere, string, error) {
			return c.explore(ctx, m, a, opt)
		}
		return explore.Run(ctx, m, a, opt)
	}
	f, stopped, err := c.explore(ctx, m, a, opt)
	if err != nil {
		return nil, err
	}
	res := f.Result(stopped)
	res.Workers = max(1, c.workers)
	return res, nil
}

// explore submits a search as a job, and waits for its result. When it is interrupted, the job goes on.
func (c *remote) explore(ctx context.Context, m *step.Machine, a *explore.Algorithm, opt explore.Options) (
	f *distributed.Findings, stopped string, err error) {
	file := ""
	if opt.Conditions != nil {
		file = string(c.used().Set.Format())
	}
	spec, err := cluster.NewSpec(m, a, opt, file)
	if err != nil {
		return nil, "", fault.Inputf("--connect: %w", err)
	}
	if spec.Back, err = c.back(); err != nil {
		return nil, "", err
	}
	spec.Title = c.title
	c.forget()
	if c.nc, err = c.connect(ctx, c.Connect, "cdpor run", serverPatience, c.say); err != nil {
		return c.nothing(ctx, m, a, opt, err)
	}
	name := cmp.Or(c.Job, nuid.Next()[16:])
	job, err := cluster.Create(ctx, c.nc, name, spec, cluster.CreateOptions{Replicas: c.Replicas})
	if err != nil {
		return c.nothing(ctx, m, a, opt, fault.Input{Err: err})
	}
	c.submitted = true
	c.say(fmt.Sprintf("job %s is submitted; Ctrl-C leaves it to the workers", name))
	return c.coordinate(ctx, job, m, a, opt)
}

// nothing returns empty findings if there was no time left to make a job, and the error otherwise.
func (c *remote) nothing(ctx context.Context, m *step.Machine, a *explore.Algorithm, opt explore.Options, err error) (
	*distributed.Findings, string, error) {
	if ctx.Err() == nil {
		return nil, "", err
	}
	f, err := distributed.NewFindings(context.WithoutCancel(ctx), m, a, opt)
	if environment.WhyStopped(ctx) == explore.StoppedContext {
		return f, explore.StoppedContext, err
	}
	return f, explore.StoppedTime, err
}

// coordinate waits for the result of a job.
func (c *remote) coordinate(ctx context.Context, job *cluster.Job, m *step.Machine, a *explore.Algorithm,
	opt explore.Options) (f *distributed.Findings, stopped string, err error) {
	job.Trouble = func(err error) { c.say(fmt.Sprintf("job %s: %v; trying again", job.Name, err)) }
	told, announced := opt.Progress, 0
	hint := time.AfterFunc(workerPatience, func() {
		c.say("no workers are there yet: cdpor work --connect " + shownURL(c.Connect))
	})
	defer hint.Stop()
	for {
		if f, err = distributed.NewFindings(context.WithoutCancel(ctx), m, a, opt); err != nil {
			return nil, "", err
		}
		stopped, err = cluster.Coordinate(ctx, job, f, cluster.CoordinateOptions{Submitter: true,
			Progress: func(r *explore.Result, p *cluster.Progress) {
				if p.Workers > 0 {
					hint.Stop()
				}
				c.workers = max(c.workers, p.Workers)
				for ; opt.Found != nil && announced < len(r.Violations); announced++ {
					v := *r.Violations[announced]
					if !opt.Found(&v) {
						opt.Found = nil
					}
				}
				if r.Workers = p.Workers; told != nil {
					told(r)
				}
			}})
		if !errors.Is(err, cluster.ErrLogLost) {
			break
		}
		c.say(fmt.Sprintf("job %s: %v; what is left of it counts", job.Name, err))
	}
	switch {
	case err == nil:
		switch c.over = job; stopped {
		case explore.StoppedPoison:
			c.poisoned(ctx, job, m)
		case explore.StoppedLost:
			c.say(fmt.Sprintf("job %s: records of its log are lost, or cannot be read, and what rests on them; "+
				"submit it again", job.Name))
		}
		return f, stopped, nil
	case ctx.Err() == nil:
		return nil, "", err
	case !c.whole && environment.WhyStopped(ctx) == explore.StoppedContext:
		c.left = job.Name
		return f, explore.StoppedContext, nil
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), workerPatience)
	defer cancel()
	c.over = job
	return f, explore.StoppedTime, job.End(end, explore.StoppedTime)
}

// poisoned says which part of the search kills the workers that explore it.
func (c *remote) poisoned(ctx context.Context, job *cluster.Job, m *step.Machine) {
	where := "from the start on"
	switch path, err := job.Poisoned(ctx, m); {
	case err != nil:
		where = err.Error()
	case len(path) > 0:
		where = "after the steps " + schedules.Format(m, path)
	}
	c.say(fmt.Sprintf("job %s: each worker that explores a part of the search dies, hangs or fails: %s", job.Name,
		where))
}

// forget removes a job whose result has been reported, or has no use.
func (c *remote) forget() {
	if c.over != nil {
		ctx, cancel := context.WithTimeout(context.Background(), workerPatience)
		defer cancel()
		if err := c.over.Remove(ctx); err != nil {
			c.say(fmt.Sprintf("job %s cannot be removed: %v", c.over.Name, err))
		}
		c.over = nil
	}
	if c.nc != nil {
		c.nc.Close()
		c.nc = nil
	}
}

// workerPatience is how long a submitter waits for workers before it says that there are none, and for the removal of
// a job.
const workerPatience = 5 * time.Second

// say writes a line.
func (c *remote) say(line string) { c.progress.Line("cdpor: " + terminal.OneLine(line)) }

// leave removes the job at the end if its result has been reported, and says how to come back to it otherwise. err is
// what became of the report.
func (c *remote) leave(e *environment.Environment, err error) {
	if c == nil {
		return
	}
	if verdict := fault.ExitOK; c.over != nil && err != nil && !errors.As(err, &verdict) {
		c.left, c.over = c.over.Name, nil
	}
	if c.forget(); c.left != "" {
		program := ""
		if c.goProgram != "" {
			program = " --go-program " + terminal.Quote(c.goProgram)
		}
		fmt.Fprintf(e.Stderr, "cdpor: job %s stays; come back with: cdpor resume --connect %s%s %s\n", c.left,
			shownURL(c.Connect), program, c.left)
	}
}

// A submission has the data that cdpor resume needs for the report on a job.
type submission struct {
	*checkpoint.Run
	Go          *replay.GoRecord `json:",omitempty"` // of a Go program, whose files have to be there
	EarlyTimers bool             `json:",omitempty"`
}

// remote makes the remote of a run. used are the constraints that the search goes on with.
func (c *searching) remote(r *report.Report, used func() *source.Source) *remote {
	goProgram := ""
	if r.Machine.Program.From != "" {
		goProgram = c.Program
	}
	return &remote{connectFlags: &c.connectFlags, progress: c.progress, used: used, goProgram: goProgram,
		title: c.goFlags.arguments(&c.programFlags),
		back: func() ([]byte, error) {
			s := submission{Run: c.savedRun(used(), r.Machine.Program), EarlyTimers: c.EarlyTimers}
			s.Simulated, s.Run.Go, s.Go = r.Simulated, nil, c.goFlags.record(r.Machine.Program)
			return json.Marshal(s)
		}}
}

// comeBack waits for the result of a job and reports it.
func (c *resumeCommand) comeBack(e *environment.Environment) (err error) {
	other := firstGiven([]givenFlag{
		{c.CheckpointEvery > 0, "--checkpoint-every"}, {c.MaxExecutions != nil, "--max-executions"},
		{c.Workers > 1, "--workers"}, {c.StopAtFirst, "--stop-at-first"}})
	if other != "" {
		return fault.Inputf("%s does not go with --connect: the job is as it was submitted", other)
	}
	ctx, cancel := c.bounded(e, c.Timeout)
	defer cancel()
	p := progress.New(e)
	defer p.Done()
	back := &remote{connectFlags: &connectFlags{Connect: c.Connect, serverFlags: c.serverFlags}, progress: p,
		goProgram: c.GoProgram}
	nc, job, err := c.openJob(ctx, c.Connect, c.File, back.say)
	if err != nil {
		return err
	}
	back.nc = nc
	defer func() { back.leave(e, err) }()
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
	f, stopped, err := back.coordinate(ctx, job, m, alg, opt)
	if err != nil {
		return err
	}
	r.Result, r.Time = f.Result(stopped), e.Now().Sub(start)
	r.Result.Workers, r.Result.Constrained = max(1, back.workers), opt.Conditions != nil
	a.End()
	p.Done()
	return as.finishResumed(ctx, e, r, s.Simulated)
}

// submitted is the command that has submitted a job, and the machine of its program.
func (c *resumeCommand) submitted(ctx context.Context, s *submission) (*runCommand, *step.Machine, error) {
	as := c.asRun(s.Run, &explore.Checkpoint{})
	if s.Go == nil {
		src, err := as.changeFlags.loadText(s.Program, []byte(s.Text))
		if err != nil {
			return nil, nil, err
		}
		m, err := c.machine(src.Program)
		return as, m, err
	}
	if c.GoProgram == "" {
		return nil, nil, fault.Inputf("job %s searches a Go program, which was at %s when it was submitted, as the "+
			"job says: add --go-program with its package or file, which is loaded then",
			c.File, terminal.Quote(s.Program))
	}
	as.Program = c.GoProgram
	as.goFlags, as.EarlyTimers = goFlagsOf(s.Go), s.EarlyTimers
	src, err := as.goFlags.load(ctx, &as.programFlags)
	if err != nil {
		return nil, nil, err
	}
	if constraints.Digest(src.Form()) != s.Go.Digest {
		return nil, nil, fault.Inputf("%s is not the program of the job, or has changed since: to come back to it "+
			"needs the files as they were", c.GoProgram)
	}
	m, err := c.machine(src.Form())
	return as, m, err
}
