//go:build !nocluster

package remote

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"

	"cdpor/cmd/cdpor/internal/environment"
	"cdpor/cmd/cdpor/internal/fault"
	"cdpor/cmd/cdpor/internal/output"
	"cdpor/cmd/cdpor/internal/terminal"
	"cdpor/explore"
	"cdpor/explore/cluster"
)

type Jobs struct {
	Job      []string `arg:"" optional:"" help:"These jobs only. Default: all that the user may see."`
	Connect  string   `default:"nats://127.0.0.1:4222" placeholder:"URL" help:"The NATS server. Default: the one that cdpor serve starts on this machine."`
	Cancel   bool     `xor:"what" help:"End the search of the jobs. What was found so far can still be reported."`
	Remove   bool     `xor:"what" help:"Remove the jobs with all that was found."`
	Check    bool     `xor:"what" help:"Try what jobs need of the server: permissions, limits, versions. Says what is missing."`
	Replicas int      `placeholder:"N" help:"With --check: on how many servers of a cluster jobs are to be stored."`
	JSON     bool     `name:"json" help:"Print the list as one JSON object."`
	ServerFlags
}

func (c *Jobs) Help() string {
	return `Lists the jobs of a server: what they search, how far they are, who works on them. It listens for a few seconds.`
}

func (c *Jobs) Run(e *environment.Environment) error {
	heard := &refusals{}
	nc, err := c.connect(e.Context, c.Connect, "cdpor jobs", serverPatience, heard.add)
	if err != nil {
		return err
	}
	defer nc.Close()
	switch {
	case c.Check && len(c.Job) > 0:
		return fault.Inputf("--check is about the server, not about a job")
	case c.Check:
		return c.check(e, nc, heard)
	case (c.Cancel || c.Remove) && len(c.Job) == 0:
		return fault.Inputf("which job? cdpor jobs --connect %s lists them", shownURL(c.Connect))
	case c.Cancel || c.Remove:
		return c.change(e, nc)
	}
	names := c.Job
	if len(names) == 0 {
		if names, err = cluster.Names(e.Context, nc); err != nil {
			return fault.Input{Err: heard.instead(err)}
		}
	}
	list, bad := cluster.Statuses(e.Context, nc, names)
	switch {
	case bad != nil && len(list) == 0:
	case c.JSON:
		err = output.Write(e.Stdout, jobsOutput(list))
	default:
		err = printJobs(e.Stdout, list)
	}
	if err == nil && bad != nil {
		err = fault.Input{Err: heard.instead(bad)}
	}
	return err
}

// change cancels jobs, or removes them.
func (c *Jobs) change(e *environment.Environment, nc *nats.Conn) error {
	for _, name := range c.Job {
		change := cancelJob
		if c.Remove {
			change = cluster.Remove
		}
		if err := change(e.Context, nc, name); err != nil {
			return fault.Input{Err: err}
		}
	}
	return nil
}

func cancelJob(ctx context.Context, nc *nats.Conn, name string) error {
	job, err := cluster.Open(ctx, nc, name)
	if err != nil {
		return err
	}
	return job.End(ctx, explore.StoppedCancelled)
}

// check tries what jobs need, and says what is missing.
func (c *Jobs) check(e *environment.Environment, nc *nats.Conn, heard *refusals) error {
	missing := 0
	for _, s := range cluster.Checkup(e.Context, nc, "check-"+nuid.Next()[16:], c.Replicas, heard.last) {
		if s.Err == nil {
			fmt.Fprintf(e.Stdout, "%s  %s\n", e.Colour(e.Stdout).Good("ok     "), s.What)
			continue
		}
		missing++
		fmt.Fprintf(e.Stdout, "%s  %s: %v\n         %s\n", e.Colour(e.Stdout).Bad("missing"), s.What, s.Err, s.Cure)
	}
	if missing > 0 {
		return fault.ExitInput
	}
	return nil
}

// refusals keep what the server has refused of late.
type refusals struct {
	mu  sync.Mutex
	all []string
}

func (r *refusals) add(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, line)
}

// last returns the latest refusal since the last call, nil if there is none.
func (r *refusals) last() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.all) == 0 {
		return nil
	}
	line := r.all[len(r.all)-1]
	r.all = nil
	return fmt.Errorf("%s", line)
}

// instead returns the latest refusal, else err: a refusal says more than that no answer came.
func (r *refusals) instead(err error) error {
	if why := r.last(); why != nil {
		return why
	}
	return err
}

// printJobs lists jobs for people.
func printJobs(to io.Writer, list []*cluster.Status) error {
	if len(list) == 0 {
		fmt.Fprintln(to, "no jobs")
		return nil
	}
	w := tabwriter.NewWriter(to, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "job\tprogram\talgorithm\tstate\tdone\tworkers\texecutions\tnodes/s\tlog")
	for _, s := range list {
		workers, executions, rate, done := "none", "", "", ""
		if s.Workers > 0 {
			workers = fmt.Sprintf("%d of %d", s.Busy, s.Workers)
			if s.Hung > 0 {
				workers += fmt.Sprintf(", %d hung", s.Hung)
			}
		}
		if s.Progress != nil {
			executions = fmt.Sprint(s.Progress.Counts.Executions)
			if s.Progress.Share > 0 {
				done = fmt.Sprintf("%.0f%%", 100*s.Progress.Share)
			}
		}
		if s.Rate > 0 {
			rate = terminal.Short(s.Rate)
		}
		cells := []string{s.Job, s.Spec.Title, s.Spec.Algorithm, state(s), done, workers, executions, rate,
			terminal.Short(float64(s.Bytes)) + "B"}
		for i, cell := range cells { // another user may have written it
			cells[i] = terminal.OneLine(cell)
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	return w.Flush()
}

// state is how far a job is, in a word or two.
func state(s *cluster.Status) string {
	switch {
	case s.Ended != "":
		return s.Ended
	case s.Workers == 0:
		return "waits for workers"
	case s.Progress == nil:
		return "waits for a coordinator"
	}
	return "running"
}

// A jobOutput is a job for machines.
type jobOutput struct {
	Job        string  `json:"job"`
	Program    string  `json:"program"`
	Algorithm  string  `json:"algorithm"`
	State      string  `json:"state"`
	Share      float64 `json:"share"` // that is done, as a rough estimate; 0: not known
	Workers    int     `json:"workers"`
	Busy       int     `json:"busy"` // workers that have a task of the job
	Hung       int     `json:"hung"` // of those, that have given no sign of life for long
	Hosts      int     `json:"hosts"`
	Submitter  bool    `json:"submitter"` // who has submitted it is there
	Executions int64   `json:"executions"`
	Nodes      int64   `json:"nodes"`
	Violations int     `json:"violations"`
	Tasks      int     `json:"tasks"` // under way
	Rate       float64 `json:"rate"`  // nodes per second
	Records    uint64  `json:"records"`
	Bytes      uint64  `json:"bytes"` // of the log
}

type jobList struct {
	Cdpor int         `json:"cdpor"`
	Jobs  []jobOutput `json:"jobs"`
}

func jobsOutput(list []*cluster.Status) jobList {
	out := jobList{Cdpor: output.Version, Jobs: []jobOutput{}}
	for _, s := range list {
		j := jobOutput{Job: s.Job, Program: s.Spec.Title, Algorithm: s.Spec.Algorithm, State: state(s),
			Workers: s.Workers, Busy: s.Busy, Hung: s.Hung,
			Hosts: s.Hosts, Submitter: s.Submitter, Rate: s.Rate, Records: s.Records, Bytes: s.Bytes}
		if p := s.Progress; p != nil {
			j.Executions, j.Nodes, j.Violations, j.Tasks = p.Counts.Executions, p.Counts.Nodes, p.Wrong, p.Tasks
			j.Share = p.Share
		}
		out.Jobs = append(out.Jobs, j)
	}
	return out
}

// OpenJob connects to the server of a job, and opens it.
func (f *ServerFlags) OpenJob(ctx context.Context, url, name string, say func(string)) (
	*nats.Conn, *cluster.Job, error) {
	nc, err := f.connect(ctx, url, "cdpor run", serverPatience, say)
	if err != nil {
		return nil, nil, err
	}
	job, err := cluster.Open(ctx, nc, name)
	if err != nil {
		nc.Close()
		return nil, nil, fault.Input{Err: err}
	}
	return nc, job, nil
}
