//go:build !nocluster

package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	neturl "net/url"
	"os"
	"strings"
	"time"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/progress"
	"cdpor/cmd/cdpor/internal/source"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/cluster"
	"cdpor/explore/distributed"
	"cdpor/explore/schedules"
	"cdpor/lang/step"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"
)

// connect connects to a server, which may be about to start again. say is told when the connection is lost and found
// again, and what the server refuses.
func (f *ServerFlags) connect(ctx context.Context, url, name string, patience time.Duration, say func(string)) (
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

// serverPatience is the time for which a command tries to connect to a server that may be about to start again.
const serverPatience = 2 * time.Second

// Check refuses what does not make sense.
func (f *ConnectFlags) Check() error {
	if f.Connect == "" && (f.Job != "" || f.Replicas != 0 || f.ServerFlags != (ServerFlags{})) {
		return fault.Inputf("--job, --replicas, --creds, --tls-ca, --tls-cert, --tls-key and --inbox go with --connect")
	}
	if f.Replicas < 0 || f.Replicas > 5 {
		return fault.Inputf("--replicas must be between 1 and 5")
	}
	return nil
}

// Reach looks whether the server is there, before anything is explored.
func (f *ConnectFlags) Reach(ctx context.Context, p *progress.Progress) error {
	if f.Connect == "" {
		return nil
	}
	nc, err := f.connect(ctx, f.Connect, "cdpor run", serverPatience, func(line string) { p.Line("cdpor: " + line) })
	if err == nil {
		nc.Close()
	}
	return err
}

// A Search explores by the workers of a cluster.
type Search struct {
	*ConnectFlags
	Progress *progress.Progress
	Title    string
	Back     func() ([]byte, error) // makes the submission for cdpor resume
	Used     func() *source.Source  // the constraints that are in use

	GoProgram string // that is searched, if it is one of Go

	Whole   bool         // a search that is interrupted is of no use
	over    *cluster.Job // whose result has not been reported yet
	NC      *nats.Conn
	left    string // the job that goes on when this process has gone
	Workers int    // the most that were there at once

	Submitted bool // a job was
}

// Run explores as explore.Run does. Auto does so by the workers when the search has grown long.
func (c *Search) Run(ctx context.Context, m *step.Machine, a *explore.Algorithm, opt explore.Options) (
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
	res.Workers = max(1, c.Workers)
	return res, nil
}

// explore submits a search as a job, and waits for its result. When it is interrupted, the job goes on.
func (c *Search) explore(ctx context.Context, m *step.Machine, a *explore.Algorithm, opt explore.Options) (
	f *distributed.Findings, stopped string, err error) {
	file := ""
	if opt.Conditions != nil {
		file = string(c.Used().Set.Format())
	}
	spec, err := cluster.NewSpec(m, a, opt, file)
	if err != nil {
		return nil, "", fault.Inputf("--connect: %w", err)
	}
	if spec.Back, err = c.Back(); err != nil {
		return nil, "", err
	}
	spec.Title = c.Title
	c.Forget()
	if c.NC, err = c.connect(ctx, c.Connect, "cdpor run", serverPatience, c.Say); err != nil {
		return c.nothing(ctx, m, a, opt, err)
	}
	name := cmp.Or(c.Job, nuid.Next()[16:])
	job, err := cluster.Create(ctx, c.NC, name, spec, cluster.CreateOptions{Replicas: c.Replicas})
	if err != nil {
		return c.nothing(ctx, m, a, opt, fault.Input{Err: err})
	}
	c.Submitted = true
	c.Say(fmt.Sprintf("job %s is submitted; Ctrl-C leaves it to the workers", name))
	return c.Coordinate(ctx, job, m, a, opt)
}

// nothing returns empty findings if there was no time left to make a job, and the error otherwise.
func (c *Search) nothing(ctx context.Context, m *step.Machine, a *explore.Algorithm, opt explore.Options, err error) (
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

// Coordinate waits for the result of a job.
func (c *Search) Coordinate(ctx context.Context, job *cluster.Job, m *step.Machine, a *explore.Algorithm,
	opt explore.Options) (f *distributed.Findings, stopped string, err error) {
	job.Trouble = func(err error) { c.Say(fmt.Sprintf("job %s: %v; trying again", job.Name, err)) }
	told, announced := opt.Progress, 0
	hint := time.AfterFunc(workerPatience, func() {
		c.Say("no workers are there yet: cdpor work --connect " + shownURL(c.Connect))
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
				c.Workers = max(c.Workers, p.Workers)
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
		c.Say(fmt.Sprintf("job %s: %v; what is left of it counts", job.Name, err))
	}
	switch {
	case err == nil:
		switch c.over = job; stopped {
		case explore.StoppedPoison:
			c.poisoned(ctx, job, m)
		case explore.StoppedLost:
			c.Say(fmt.Sprintf("job %s: records of its log are lost, or cannot be read, and what rests on them; "+
				"submit it again", job.Name))
		}
		return f, stopped, nil
	case ctx.Err() == nil:
		return nil, "", err
	case !c.Whole && environment.WhyStopped(ctx) == explore.StoppedContext:
		c.left = job.Name
		return f, explore.StoppedContext, nil
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), workerPatience)
	defer cancel()
	c.over = job
	return f, explore.StoppedTime, job.End(end, explore.StoppedTime)
}

// poisoned says which part of the search kills the workers that explore it.
func (c *Search) poisoned(ctx context.Context, job *cluster.Job, m *step.Machine) {
	where := "from the start on"
	switch path, err := job.Poisoned(ctx, m); {
	case err != nil:
		where = err.Error()
	case len(path) > 0:
		where = "after the steps " + schedules.Format(m, path)
	}
	c.Say(fmt.Sprintf("job %s: each worker that explores a part of the search dies, hangs or fails: %s", job.Name,
		where))
}

// Forget removes a job whose result has been reported, or has no use.
func (c *Search) Forget() {
	if c.over != nil {
		ctx, cancel := context.WithTimeout(context.Background(), workerPatience)
		defer cancel()
		if err := c.over.Remove(ctx); err != nil {
			c.Say(fmt.Sprintf("job %s cannot be removed: %v", c.over.Name, err))
		}
		c.over = nil
	}
	if c.NC != nil {
		c.NC.Close()
		c.NC = nil
	}
}

// workerPatience is the time for which a submitter waits for workers before it says that there are none, and for the
// removal of a job.
const workerPatience = 5 * time.Second

// Say writes a line.
func (c *Search) Say(line string) { c.Progress.Line("cdpor: " + terminal.OneLine(line)) }

// Leave removes the job at the end if its result has been reported, and says how to come back to it otherwise. err is
// the error of the report, if any.
func (c *Search) Leave(e *environment.Environment, err error) {
	if c == nil {
		return
	}
	if verdict := fault.ExitOK; c.over != nil && err != nil && !errors.As(err, &verdict) {
		c.left, c.over = c.over.Name, nil
	}
	if c.Forget(); c.left != "" {
		program := ""
		if c.GoProgram != "" {
			program = " --go-program " + terminal.Quote(c.GoProgram)
		}
		fmt.Fprintf(e.Stderr, "cdpor: job %s stays; come back with: cdpor resume --connect %s%s %s\n", c.left,
			shownURL(c.Connect), program, c.left)
	}
}
