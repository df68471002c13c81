package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"cdpor/explore"
	"cdpor/explore/cluster/internal/pacing"
	"cdpor/explore/distributed"
	"cdpor/explore/internal/joblog"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// CoordinateOptions say how a job is coordinated.
type CoordinateOptions struct {
	// Submitter: this process has submitted the job, or has come back to it. Other coordinators end when they hear it.
	Submitter bool
	// Workers is how many there are at least, as long as they have not been heard.
	Workers int
	// SnapshotEvery is after how many records a snapshot takes their place; 0: 10,000.
	SnapshotEvery int
	mostGaps      int // for tests; 0: mostGaps
	// Progress, if there is one, is called every second.
	Progress func(*explore.Result, *Progress)
}

const (
	// tellProgress is the interval at which a coordinator says how far the search is.
	tellProgress = time.Second
	// presentFor is for how long a process is there that has been heard.
	presentFor = 3 * lookAround
)

// A coordinator folds the log of a job, and hands out what waits.
type coordinator struct {
	job      *Job
	opt      CoordinateOptions
	findings *distributed.Findings
	adder    *adder // of a search that is cut into tasks
	fold     *joblog.Fold
	shares   *shares
	takes    uint64 // the sequence of the last take that has been folded
	last     uint64 // the sequence of the last record that has been folded
	sent     uint64 // the sequence of the last take that this coordinator has appended
	begun    bool   // it has read what was there
	records  int64
	bytes    uint64                  // of the log, when it was last known
	told     time.Time               // when workers were told that tasks are missing
	lately   map[joblog.ID]time.Time // when the last record of each task under way was read
	queued   map[joblog.ID]requeued  // those of them that were queued again
	compact  *compaction
	cleaned  chan error // what became of removing what a snapshot has; nil: nothing is being removed
	gaps     gaps
	damaged  map[uint64]bool // sequences of records by which the fold cannot go on
	broken   map[string]bool // chains that end with what does not count, see mend
	dropped  int             // records that were damaged
	lost     int64           // of those that count, how many have findings that were, up to the snapshot
	present  chan *Presence
	heard    map[string]presence
	queueing sync.WaitGroup // tasks that are being queued
	trouble  chan error     // why one could not be
}

type presence struct {
	cores int
	last  time.Time
}

// ErrLogLost ends a coordinator that knows more than the log of a server that has lost what it had not written to its
// disk. The rest of the log counts: Coordinate with new findings goes on.
var ErrLogLost = errors.New("the server has lost the end of the log")

// errAgain has a coordinator read the log again.
var errAgain = errors.New("the log is to be read again")

// errYield ends a coordinator that leaves the field to another.
var errYield = errors.New("another process coordinates the job")

// Coordinate hands out the tasks of a job until everything has been explored, or the search ends early. What was
// found is in the findings then, and stopped says why the search has ended early, empty if it has not. Several may do
// so at the same time, and one may begin where another has died: what they know is in the log. The error is about the
// server, a log that is none of this search, the context, or it says that the submitter has come back.
func Coordinate(ctx context.Context, job *Job, findings *distributed.Findings, opt CoordinateOptions) (
	stopped string, err error) {
	c := &coordinator{job: job, opt: opt, findings: findings, present: make(chan *Presence, 1024),
		heard: map[string]presence{}, damaged: map[uint64]bool{}, trouble: make(chan error, 1)}
	c.opt.SnapshotEvery, c.opt.mostGaps = cmp.Or(opt.SnapshotEvery, snapshotEvery), cmp.Or(opt.mostGaps, mostGaps)
	defer c.queueing.Wait()
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
	if opt.Submitter {
		if err := job.mendConsumer(ctx); err != nil {
			return "", fmt.Errorf("the queue of job %s: %w", job.Name, err)
		}
	}
	run := c.run
	if job.Spec.divided() {
		run = c.divide
	}
	for {
		if stopped, err = run(ctx); errors.Is(err, errAgain) {
			continue
		} else if !errors.Is(err, errGap) {
			break
		}
		if stopped, err = c.gap(ctx); err != nil || stopped != "" {
			break
		}
	}
	findings.Unread(c.dropped + int(c.lost))
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, errYield) {
		return "", cause
	}
	return stopped, err
}

// run reads the log, and does what follows from it.
func (c *coordinator) run(ctx context.Context) (stopped string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		if cancel(); c.cleaned != nil {
			<-c.cleaned
			c.cleaned = nil
		}
	}()
	if err := c.load(ctx); err != nil {
		return "", err
	}
	c.adder = newAdder(ctx, c.job, c.findings)
	defer func() {
		cancel()
		c.adder.end()
		c.lost += c.adder.lost.Load()
	}()
	records, there, err := c.follow(ctx)
	if err != nil {
		return "", err
	}
	tick := time.NewTicker(pacing.HintAgain)
	defer tick.Stop()
	if c.last >= there {
		err = c.begin(ctx)
	}
	for progress := time.Now(); err == nil; {
		if stopped, over := c.over(); over && c.begun {
			return c.finish(ctx, stopped)
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case err := <-c.trouble:
			return "", err
		case err := <-c.adder.failed:
			return "", err
		case p := <-c.present:
			c.heard[p.ID] = presence{p.Cores, time.Now()}
		case <-tick.C:
			if c.begun {
				c.queueAgain(ctx)
				err = c.handOut(ctx) // workers may have gone
			}
			if time.Since(progress) >= tellProgress {
				progress = time.Now()
				c.progress(ctx)
			}
		case m := <-records:
			if m.err != nil {
				return "", m.err
			}
			if err = c.read(ctx, m); err != nil {
				break
			}
			if !c.begun && c.last >= there { // first what is there, as tasks in it may have ended long ago
				err = c.begin(ctx)
			}
			if err == nil && c.begun {
				err = c.handOut(ctx)
			}
			if err == nil && c.begun && c.compact.counted >= c.opt.SnapshotEvery && c.cleaned == nil &&
				len(c.broken) == 0 {
				if err = c.adder.wait(); err == nil {
					err = c.snapshot(ctx)
				}
			}
		case err = <-c.cleaned:
			c.cleaned = nil
		}
	}
	return "", err
}

// finish ends the job, as something stopped it or since it is complete.
func (c *coordinator) finish(ctx context.Context, stopped string) (string, error) {
	if err := c.adder.wait(); err != nil {
		return "", err
	}
	if c.lost+c.adder.lost.Load() > 0 && stopped == "" {
		stopped = explore.StoppedLost
	}
	err := c.job.End(ctx, cmp.Or(stopped, Complete))
	c.job.tell(endKind, "")
	return stopped, err
}

// follow reads the log after what has been folded, in a goroutine, until the context is done. there is the last message
// that is there already.
func (c *coordinator) follow(ctx context.Context) (records <-chan logged, there uint64, err error) {
	err = c.job.again(ctx, func(ctx context.Context) error {
		info, err := c.job.log.messages.Info(ctx)
		if err == nil {
			there = info.State.LastSeq
		}
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("the log of job %s: %w", c.job.Name, err)
	}
	list, folded := make(chan logged, 256), c.last
	go func() {
		at := mark{sequence: folded}
		err := c.job.again(ctx, func(context.Context) error { return c.readOn(ctx, &at, list) })
		select {
		case list <- logged{err: fmt.Errorf("the log of job %s: %w", c.job.Name, err)}:
		case <-ctx.Done():
		}
	}()
	return list, there, nil
}

// A mark is a position up to which a log has been read.
type mark struct {
	sequence uint64
	stored   string // when the server has stored the message, empty: none has been read
}

// readOn reads messages after the last one until the context is done, or something is wrong.
func (c *coordinator) readOn(ctx context.Context, at *mark, list chan<- logged) error {
	if err := c.still(ctx, at); err != nil {
		return err
	}
	news := make(chan bool, 1)
	said, err := c.job.nc.Subscribe(c.job.subject(loggedKind, "*"), func(*nats.Msg) {
		select {
		case news <- true:
		default:
		}
	})
	if err != nil {
		return err
	}
	defer func() { _ = said.Unsubscribe() }()
	reconnects, end := c.job.nc.Stats().Reconnects, uint64(0)
	for {
		messages, err := c.job.fetch(ctx, c.job.stream("log"), at.sequence+1, "", fetchAtOnce)
		for _, m := range messages {
			if m.sequence != at.sequence+1 {
				return errGap
			}
			select {
			case list <- m:
				*at = mark{m.sequence, m.message.Header.Get(jetstream.TimeStampHeaer)}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		switch {
		case err != nil:
			return err
		case c.job.nc.Stats().Reconnects != reconnects:
			return nats.ErrDisconnected
		case len(messages) > 0:
			continue
		case end > at.sequence: // it was there before
			return errGap
		}
		select {
		case <-news:
		case <-time.After(pacing.HintAgain): // what was said of a record may be lost
			if end, err = c.lastLogged(ctx); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// lastLogged is the sequence of the last message of the log. It waits for no answer that a server took with it when it
// went away: a search that has a time limit would wait for as long.
func (c *coordinator) lastLogged(ctx context.Context) (uint64, error) {
	call, cancel := context.WithTimeout(ctx, callWithin)
	defer cancel()
	info, err := c.job.log.messages.Info(call)
	if err != nil {
		return 0, err
	}
	return info.State.LastSeq, nil
}

// still looks whether the last message that was read is still the one that was read: a server that was away may have
// lost it, and have another one in its place.
func (c *coordinator) still(ctx context.Context, at *mark) error {
	last, err := c.lastLogged(ctx)
	switch {
	case err != nil:
		return err
	case last < at.sequence:
		return ErrLogLost
	case at.stored == "":
		return nil
	}
	list, err := c.job.fetch(ctx, c.job.stream("log"), at.sequence, "", 1)
	switch {
	case len(list) == 0 && err != nil:
		return err
	case len(list) == 0 || list[0].sequence != at.sequence:
		return errGap
	case list[0].message.Header.Get(jetstream.TimeStampHeaer) != at.stored:
		return ErrLogLost
	}
	return nil
}

// read folds a message of the log. What does not fit is dropped.
func (c *coordinator) read(ctx context.Context, m logged) error {
	chain := strings.TrimPrefix(m.message.Subject, c.job.subject(logKind, ""))
	r, err := c.job.log.recordOf(ctx, chain, m.message.Data)
	if gone(err) { // a snapshot has it
		return errGap
	}
	if err != nil && !errors.Is(err, errDamaged) {
		return fmt.Errorf("a record of job %s: %w", c.job.Name, err)
	}
	c.records++
	c.last = m.sequence
	if chain == takeChain {
		c.takes = m.sequence
	}
	if chain == stageChain {
		return nil
	}
	if err == nil && chain == token(r.Task) {
		left, next := c.fold.Task(r.Task)
		if left != nil && (r.Number != next || r.Tries == 0 && (c.broken[chain] ||
			next == 0 && r.Digest != left.Digest())) {
			err = errDamaged // workers would go on from it
		}
	}
	counts := false
	if err == nil && !c.damaged[m.sequence] {
		panics := guarded(func() error {
			counts, err = c.shares.apply(c.fold, r)
			return nil
		})
		if panics != nil { // what has become of the fold is not known
			c.damaged[m.sequence] = true
			return errAgain
		}
	}
	if err != nil || c.damaged[m.sequence] {
		c.dropped++
		return c.mend(ctx, m, chain)
	}
	delete(c.broken, chain)
	c.compact.read(chain, m, r, counts)
	if !counts {
		return nil
	}
	c.pass(ctx, r)
	if r.Take == nil {
		c.adder.queue <- toAdd{record: r}
	}
	return nil
}

// pass queues what a record that counts has put under way.
func (c *coordinator) pass(ctx context.Context, r *joblog.Record) {
	switch {
	case r.Take != nil:
	case r.Ends():
		delete(c.lately, r.Task)
	default:
		c.lately[r.Task] = time.Now()
	}
	for _, id := range c.fold.Begun() {
		c.lately[id] = time.Now()
		if c.begun {
			c.enqueue(ctx, id)
		}
	}
}

// begin queues all that is under way: a coordinator may have died before it did so.
func (c *coordinator) begin(ctx context.Context) error {
	c.begun = true
	for _, id := range c.fold.UnderWay() {
		c.lately[id] = time.Now()
		c.enqueue(ctx, id)
	}
	return c.handOut(ctx)
}

// enqueue queues a task. It does not wait for the server: with one round trip for each, a coordinator far away could
// not keep many workers busy.
func (c *coordinator) enqueue(ctx context.Context, id joblog.ID) { c.enqueueAs(ctx, id, 0, false) }

// enqueueAs is enqueue by another name: the one that the task would have if it had been given back so often more. One
// that is queued again has its chain put right before.
func (c *coordinator) enqueueAs(ctx context.Context, id joblog.ID, more int, again bool) {
	p, next := c.fold.Task(id)
	if p == nil {
		return
	}
	read := c.last
	c.queueing.Go(func() {
		var err error
		if again && c.opt.Submitter { // others may have no right to
			err = c.job.mendConsumer(ctx)
		}
		if again && err == nil {
			err = c.job.log.mendHead(ctx, read, p, next)
		}
		if err == nil {
			err = c.job.enqueue(ctx, p, more)
		}
		if err != nil && ctx.Err() == nil {
			select {
			case c.trouble <- err:
			default:
			}
		}
	})
}

// queueAgain is the time after which a task without a record is queued again, as the server may have lost it.
var queueAgain = 5 * time.Second

// A requeued says when a task was queued again, and how often.
type requeued struct {
	at    time.Time
	times int
}

// queueAgain queues tasks again that have had no record for long: the queue may have lost them. At first one that
// is still there stays as it is. But a server may count a message that it cannot deliver any more, as its block is
// damaged or it went down meanwhile; so later, each time after twice as long, the task has another name. Or its chain
// may end with what does not count.
func (c *coordinator) queueAgain(ctx context.Context) {
	for id, at := range c.lately {
		if q := c.queued[id]; time.Since(at) > queueAgain && time.Since(q.at) > queueAgain<<min(q.times, 10) {
			c.enqueueAs(ctx, id, q.times, true)
			c.queued[id] = requeued{time.Now(), q.times + 1}
		}
	}
	maps.DeleteFunc(c.queued, func(id joblog.ID, _ requeued) bool { _, there := c.lately[id]; return !there })
}

// over reports whether the search is over, and why if not everything has been explored.
func (c *coordinator) over() (stopped string, over bool) {
	s := c.job.Spec
	switch why := c.fold.Ended(); {
	case why == Complete || why == "" && c.fold.Done():
		return "", true
	case why != "":
		return why, true
	case s.StopAtFirst && c.adder.violated.Load():
		return explore.StoppedFirst, true
	case s.MaxExecutions > 0 && c.adder.executions.Load() >= s.MaxExecutions:
		return explore.StoppedExecutions, true
	}
	return "", false
}

// workersHeard is the number of workers that have been heard.
func (c *coordinator) workersHeard() (n int) {
	for id, p := range c.heard {
		if time.Since(p.last) > presentFor {
			delete(c.heard, id)
			continue
		}
		n += p.cores
	}
	return min(n, mostPending)
}

// workers is how many workers there are to be expected.
func (c *coordinator) workers() (n int) { return max(1, c.workersHeard(), c.opt.Workers) }

// missing is the number of tasks that should be under way in addition.
func (c *coordinator) missing() int { return pacing.Missing(c.workers(), c.fold.Active()) }

// waits reports whether something can be taken.
func (c *coordinator) waits() bool { return c.fold.Waiting() != nil }

// handOut takes what waits while workers may have nothing to do. What another coordinator has taken, or this one twice
// because an acknowledgement was lost, does not count the second time.
func (c *coordinator) handOut(ctx context.Context) error {
	switch pacing.Next(c.sent > c.takes, c.missing(), c.waits) {
	case pacing.Rest:
		return nil
	case pacing.Hint:
		c.want()
		return nil
	}
	var records []*joblog.Record
	for _, take := range c.fold.WaitingAll(min(c.missing(), pacing.MostTakes)) {
		records = append(records, &joblog.Record{Take: &take})
	}
	sequence, err := c.job.log.appendAll(ctx, takeChain, records)
	c.sent = sequence
	return err
}

// want tells the workers that tasks are missing, now and then.
func (c *coordinator) want() {
	missing := c.missing()
	if !pacing.MayHint(c.workers(), missing, time.Since(c.told), c.waits) {
		return
	}
	c.told = time.Now()
	c.job.tell(wantKind, want{missing, c.workers()})
}

// progress says how far the search is.
func (c *coordinator) progress(ctx context.Context) {
	call, cancel := context.WithTimeout(ctx, pacing.HintAgain)
	defer cancel()
	if info, err := c.job.log.messages.Info(call); err == nil {
		c.bytes = info.State.Bytes
	}
	c.adder.mu.Lock()
	defer c.adder.mu.Unlock()
	r := c.findings.Sofar()
	if c.shares != nil {
		r.Share = c.shares.done()
	}
	p := &Progress{Submitter: c.opt.Submitter, Workers: c.workersHeard(), Tasks: c.fold.Active(),
		Records: c.records, Counts: *r, Outcomes: r.Outcomes.Len(), Wrong: len(r.Violations), Share: r.Share,
		Bytes: c.bytes}
	p.Counts.Violations, p.Counts.Pairs = nil, nil
	c.job.tell(progressKind, p)
	if c.opt.Progress != nil {
		c.opt.Progress(r, p)
	}
}

// mend puts a chain right that ends with a record which does not count because it is damaged: the next record says what
// is left of the part. A worker may have been quicker: until then the chain is broken, and no record of a worker counts
// that stands in it, since it rests on what does not count.
func (c *coordinator) mend(ctx context.Context, m logged, chain string) error {
	for _, id := range c.fold.UnderWay() {
		if token(id) != chain {
			continue
		}
		c.broken[chain] = true
		left, next := c.fold.Task(id)
		err := c.job.log.mendAfter(ctx, m.sequence, left, next)
		if err == nil && c.begun { // a worker may have taken it for ended
			c.enqueue(ctx, id)
		}
		return err
	}
	return nil
}
