package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"cdpor/explore"
	"cdpor/explore/internal/joblog"
)

// CoordinateOptions say how a job is coordinated.
type CoordinateOptions struct {
	// Submitter says that this is who has submitted the job, or has come back to it. Others leave it the field.
	Submitter bool
	// Workers is how many there are at least, as long as they have not been heard.
	Workers int
	// Progress, if there is one, is called every second.
	Progress func(*explore.Result, *Progress)
}

const (
	// wantAgain is how often workers are told that parcels are missing.
	wantAgain = 200 * time.Millisecond
	// tellProgress is how often a coordinator says how far the search is.
	tellProgress = time.Second
	// presentFor is for how long a process is there that has been heard.
	presentFor = 3 * lookAround
)

// A coordinator folds the log of a job, and hands out what waits.
type coordinator struct {
	job      *Job
	opt      CoordinateOptions
	id       string
	findings *explore.ParcelFindings
	fold     *joblog.Fold
	takes    uint64 // the sequence of the last take that has been folded
	sent     uint64 // the sequence of the last one that this coordinator has appended
	ahead    int    // parcels under way
	begun    bool   // it has read what was there
	records  int64
	told     time.Time // when workers were told that parcels are missing
	present  chan *Presence
	heard    map[string]presence
}

type presence struct {
	cores int
	last  time.Time
}

// ErrLogLost ends a coordinator that knows more than the log of a server that has lost what it had not written to its
// disk. What is left of the log is what counts: Coordinate with new findings goes on.
var ErrLogLost = errors.New("the server has lost the end of the log")

// errYield ends a coordinator that leaves the field to another.
var errYield = errors.New("another process coordinates the job")

// Coordinate hands out the parcels of a job until everything has been explored, or the search ends early. What was
// found is in the findings then, and stopped says why the search has ended early, empty if it has not. Several may do
// so at the same time, and one may begin where another has died: what they know is in the log. The error is about the
// server, a log that is none of this search, the context, or it says that the submitter has come back.
func Coordinate(ctx context.Context, job *Job, findings *explore.ParcelFindings, opt CoordinateOptions) (
	stopped string, err error) {
	c := &coordinator{job: job, opt: opt, id: nuid.Next(), findings: findings, ahead: 1,
		present: make(chan *Presence, 1024), heard: map[string]presence{}}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	for _, listen := range []func() (func(), error){
		func() (func(), error) {
			return heed(job, presenceKind, func(p *Presence) {
				select {
				case c.present <- p:
				default:
				}
			})
		},
		func() (func(), error) {
			return heed(job, progressKind, func(p *Progress) {
				if p.Submitter && !opt.Submitter {
					cancel(errYield)
				}
			})
		},
	} {
		end, err := listen()
		if err != nil {
			return "", err
		}
		defer end()
	}
	run := c.run
	if job.Spec.divided() {
		run = c.divide
	}
	stopped, err = run(ctx)
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, errYield) {
		return "", cause
	}
	return stopped, err
}

// run reads the log, and does what follows from it.
func (c *coordinator) run(ctx context.Context) (stopped string, err error) {
	c.fold = c.findings.NewFold()
	records, pending, err := c.follow(ctx)
	if err != nil {
		return "", err
	}
	tick := time.NewTicker(wantAgain)
	defer tick.Stop()
	if pending == 0 {
		err = c.begin(ctx)
	}
	for progress := time.Now(); err == nil; {
		if stopped, over := c.over(); over && pending == 0 {
			err := c.job.End(ctx, cmp.Or(stopped, Complete))
			c.job.tell(endKind, "")
			return stopped, err
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case p := <-c.present:
			c.heard[p.ID] = presence{p.Cores, time.Now()}
		case <-tick.C:
			if pending == 0 {
				c.want()
			}
			if time.Since(progress) >= tellProgress {
				progress = time.Now()
				c.progress()
			}
		case m := <-records:
			if m.err != nil {
				return "", m.err
			}
			if err = c.read(ctx, m); err != nil {
				break
			}
			if pending > 0 { // first what is there, as parcels in it may have ended long ago
				if pending--; pending == 0 {
					err = c.begin(ctx)
				}
			}
			if err == nil && pending == 0 {
				err = c.handOut(ctx)
			}
		}
	}
	return "", err
}

// A logged is a message of the log, or why there are no more.
type logged struct {
	message  jetstream.Msg
	sequence uint64
	err      error
}

// follow reads the log from its beginning, in a goroutine, until the context is done. pending are the messages that are
// there already.
func (c *coordinator) follow(ctx context.Context) (records <-chan logged, pending uint64, err error) {
	err = c.job.again(ctx, func(ctx context.Context) error {
		info, err := c.job.log.Info(ctx)
		if err == nil {
			pending = info.State.Msgs
		}
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("the log of job %s: %w", c.job.Name, err)
	}
	list := make(chan logged, 256)
	go func() {
		last := uint64(0)
		err := c.job.again(ctx, func(context.Context) error { return c.readOn(ctx, &last, list) })
		select {
		case list <- logged{err: fmt.Errorf("the log of job %s: %w", c.job.Name, err)}:
		case <-ctx.Done():
		}
	}()
	return list, pending, nil
}

// readOn reads messages after the last one until the context is done, or something is wrong.
func (c *coordinator) readOn(ctx context.Context, last *uint64, list chan<- logged) error {
	info, err := c.job.log.Info(ctx)
	if err != nil {
		return err
	}
	if info.State.LastSeq < *last {
		return ErrLogLost
	}
	log, err := c.job.js.OrderedConsumer(ctx, c.job.stream("log"), jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: *last + 1})
	if err != nil {
		return err
	}
	messages, err := log.Messages()
	if err != nil {
		return err
	}
	defer messages.Stop()
	stop := context.AfterFunc(ctx, messages.Stop)
	defer stop()
	for {
		m, err := messages.Next()
		if err != nil {
			return err
		}
		meta, err := m.Metadata()
		if err != nil {
			return err
		}
		select {
		case list <- logged{message: m, sequence: meta.Sequence.Stream}:
			*last = meta.Sequence.Stream
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// read folds a message of the log.
func (c *coordinator) read(ctx context.Context, m logged) error {
	var r joblog.Record
	if err := json.Unmarshal(m.message.Data(), &r); err != nil {
		return fmt.Errorf("a record of job %s: %w", c.job.Name, err)
	}
	if r.Take != nil {
		c.takes = m.sequence
	}
	c.records++
	counts, err := c.fold.Apply(&r)
	switch {
	case err != nil || !counts:
		return err
	case r.Take != nil:
		if c.ahead++; c.begun {
			return c.enqueue(ctx, c.fold.Newest())
		}
		return nil
	case r.Left == nil:
		c.ahead--
	}
	found, err := c.job.foundBy(ctx, &r)
	if err != nil {
		return err
	}
	return c.findings.Add(found)
}

// begin queues all that is under way: a coordinator may have died before it did so.
func (c *coordinator) begin(ctx context.Context) error {
	c.begun = true
	for _, id := range c.fold.UnderWay() {
		if err := c.enqueue(ctx, id); err != nil {
			return err
		}
	}
	return c.handOut(ctx)
}

func (c *coordinator) enqueue(ctx context.Context, id joblog.ID) error {
	p, _ := c.fold.Parcel(id)
	if p == nil {
		return nil
	}
	return c.job.enqueue(ctx, p)
}

// over reports whether the search is over, and why if not everything has been explored.
func (c *coordinator) over() (stopped string, over bool) {
	s := c.job.Spec
	switch why := c.fold.Ended(); {
	case why == Complete || why == "" && c.fold.Done():
		return "", true
	case why != "":
		return why, true
	case s.StopAtFirst && c.findings.Violated():
		return explore.StoppedFirst, true
	}
	r := c.findings.Sofar()
	if s.MaxExecutions > 0 && r.Executions+r.Cut >= s.MaxExecutions {
		return explore.StoppedExecutions, true
	}
	return "", false
}

// workersHeard is how many workers have been heard.
func (c *coordinator) workersHeard() (n int) {
	for id, p := range c.heard {
		if time.Since(p.last) > presentFor {
			delete(c.heard, id)
			continue
		}
		n += p.cores
	}
	return n
}

// workers is how many workers there are to be expected.
func (c *coordinator) workers() (n int) { return max(1, c.workersHeard(), c.opt.Workers) }

// missing is how many parcels more should be under way: everybody has one, and finds another one.
func (c *coordinator) missing() int { return 2*c.workers() - c.ahead }

// handOut takes what waits while workers may have nothing to do.
func (c *coordinator) handOut(ctx context.Context) error {
	if c.sent > c.takes {
		return nil // it counts when it has been read
	}
	missing := c.missing()
	if missing <= 0 {
		return nil
	}
	take := c.fold.Waiting()
	if take == nil {
		c.want()
		return nil
	}
	sequence, err := c.job.append(ctx, takeChain, c.takes, &joblog.Record{Take: take})
	if errors.Is(err, errRefused) {
		return nil // another coordinator was quicker, and will be read
	}
	c.sent = sequence
	return err
}

// want tells the workers that parcels are missing, now and then.
func (c *coordinator) want() {
	missing := c.missing()
	if missing <= 0 || c.fold.Waiting() != nil || time.Since(c.told) < wantAgain/2 {
		return
	}
	c.told = time.Now()
	c.job.tell(wantKind, want{missing, c.workers()})
}

// progress says how far the search is.
func (c *coordinator) progress() {
	r := c.findings.Sofar()
	p := &Progress{ID: c.id, Submitter: c.opt.Submitter, Workers: c.workersHeard(), Parcels: c.ahead,
		Records: c.records, Counts: *r, Outcomes: r.Outcomes.Len(), Wrong: len(r.Violations), Share: r.Share}
	p.Counts.Violations, p.Counts.Pairs = nil, nil
	c.job.tell(progressKind, p)
	if c.opt.Progress != nil {
		c.opt.Progress(r, p)
	}
}
