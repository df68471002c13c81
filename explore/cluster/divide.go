package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nuid"

	"cdpor/explore"
	"cdpor/explore/internal/slots"
)

// How a search whose states are divided among the workers is coordinated.

// A divider leads the stages of a search.
type divider struct {
	*coordinator
	leader   *slots.Leader
	store    jobStore
	sequence uint64   // of the last stage
	nonce    string   // of its record, if it was read
	added    []string // what has been added to the findings
	status   chan *slots.Status
	shown    []*explore.Violation // with schedules, of those found before the present stage
	showing  chan shown           // more of them are to come; nil: not now
	finding  sync.WaitGroup       // what looks for them
}

// mostShown is the number of violations that are told while the search goes on.
const mostShown = 16

// shown are violations with their schedules, as far as these were found.
type shown struct {
	list []*explore.Violation
	err  error
}

// divide leads the stages until the last one is over, or the search ends early.
func (c *coordinator) divide(ctx context.Context) (stopped string, err error) {
	pace, err := c.pace(ctx)
	if err != nil {
		return "", err
	}
	d := &divider{coordinator: c, leader: slots.NewLeader(pace, nil, time.Now()),
		store: jobStore{c.job, ctx, &atomic.Int64{}}, status: make(chan *slots.Status, 1024)}
	d.leader.Early = func() bool { return c.job.Spec.StopAtFirst }
	end, err := heed(c.job, statusKind, func(s *slots.Status) {
		select {
		case d.status <- s:
		default:
		}
	})
	if err != nil {
		return "", err
	}
	defer end()
	err = guarded(func() (err error) {
		stopped, err = d.run(ctx)
		return err
	})
	if err != nil && ctx.Err() == nil {
		if !damages(err) {
			return "", err
		}
		if stopped, err = explore.StoppedLost, c.job.End(ctx, explore.StoppedLost); err != nil {
			return "", err
		}
		c.job.tell(endKind, "")
	}
	if !c.opt.Submitter {
		return stopped, err
	}
	trace, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveWithin)
	if ctx.Err() == nil { // it has all the time it needs
		trace, cancel = context.WithCancel(ctx)
	}
	defer cancel()
	if other := guarded(func() error { return d.trace(trace) }); ctx.Err() == nil && damages(other) {
		stopped = explore.StoppedLost
	} else {
		err = cmp.Or(err, other)
	}
	return stopped, err
}

// damages reports whether an error says that something stored is not there, or not what it should be.
func damages(err error) bool {
	return gone(err) || errors.Is(err, errDamaged) || errors.Is(err, slots.ErrForm)
}

// pace is how often what is done: it follows from how long a worker of the job may be silent.
func (c *coordinator) pace(ctx context.Context) (p slots.Pace, err error) {
	err = c.job.again(ctx, func(ctx context.Context) error {
		queue, err := c.job.work.Consumer(ctx, consumer)
		if err == nil {
			p.Silence = queue.CachedInfo().Config.AckWait
		}
		return err
	})
	p.Barrier, p.Newcomer, p.Gather, p.Follow = 3*p.Silence, p.Silence/5, p.Silence/20, p.Silence/200
	p.Ask = p.Silence / 50
	return p, err
}

// run leads.
func (d *divider) run(ctx context.Context) (stopped string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		cancel()
		d.finding.Wait()
	}()
	tick := time.NewTicker(min(d.leader.Pace.Ask/10, 5*time.Millisecond))
	defer tick.Stop()
	for looked := (time.Time{}); ; {
		if time.Since(looked) >= tellProgress {
			looked = time.Now()
			if stopped, over, err := d.look(ctx); over || err != nil {
				return stopped, err
			}
			d.tellDivided()
			d.show(ctx)
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-d.present: // it is counted by its status
		case s := <-d.status:
			d.leader.Hear(*s, time.Now())
		case s := <-d.showing:
			if s.err != nil { // it will be said at the end, if it is still so
				continue
			}
			d.showing, d.shown = nil, append(d.shown, s.list...)
			d.tellDivided()
		case <-tick.C:
		}
		ask, p := d.leader.Decide(time.Now())
		if ask != nil {
			d.job.tell(askKind, ask)
		}
		if p != nil {
			if err := d.propose(ctx, p); err != nil {
				return "", err
			}
			looked = time.Time{}
		}
	}
}

// look reads which stage is under way, and reports whether the search is over, and why.
func (d *divider) look(ctx context.Context) (stopped string, over bool, err error) {
	s, h, err := d.job.log.stage(ctx, d.nonce)
	if err != nil {
		return "", false, err
	}
	if h.sequence < d.sequence {
		return "", false, ErrLogLost
	}
	if now := d.leader.Stage(); s != nil && (now == nil || now.ID != s.ID) {
		if err := d.adopt(s, h.sequence); err != nil {
			return "", false, err
		}
	}
	d.sequence, d.nonce = h.sequence, h.nonce
	s = d.leader.Stage()
	why, err := d.job.Ended(ctx)
	if err != nil {
		return "", false, err
	}
	limit := d.job.Spec.MaxExecutions
	switch {
	case why == Complete:
		return "", true, nil
	case why != "":
		return why, true, nil
	case s != nil && s.Over():
	case d.job.Spec.StopAtFirst && d.findings.Violated():
		stopped = explore.StoppedFirst
	case limit > 0 && d.findings.Sofar().Executions >= limit:
		stopped = explore.StoppedExecutions
	default:
		return "", false, nil
	}
	err = d.job.End(ctx, cmp.Or(stopped, Complete))
	d.job.tell(endKind, "")
	return stopped, true, err
}

// adopt goes to a stage of the log, and adds what was found before it.
func (d *divider) adopt(s *slots.Stage, sequence uint64) error {
	if len(s.Found) < len(d.added) || !slices.Equal(s.Found[:len(d.added)], d.added) {
		return ErrLogLost
	}
	for _, name := range s.Found[len(d.added):] {
		found, err := d.store.Get(name)
		if err != nil {
			return err
		}
		if err := d.findings.Add(found); err != nil {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
		d.records++
	}
	d.added, d.sequence, d.nonce = s.Found, sequence, ""
	d.leader.Adopt(s, time.Now())
	return nil
}

// show looks for the schedules of violations that were found before the present stage, so that the submitter hears of
// them. That may take long: all that is stored may have to be read.
func (d *divider) show(ctx context.Context) {
	s := d.leader.Stage()
	if d.opt.Progress == nil || d.showing != nil || s == nil || s.Over() {
		return
	}
	list := d.findings.Violations(len(d.shown), mostShown-len(d.shown))
	if len(list) == 0 {
		return
	}
	done, store := make(chan shown, 1), d.store
	d.showing, store.ctx = done, ctx
	d.finding.Go(func() { done <- shown{list, d.findings.TraceViolations(list, s, store)} })
}

// propose appends the next stage to the log, unless another coordinator was quicker.
func (d *divider) propose(ctx context.Context, p *slots.Proposal) (err error) {
	id, next := nuid.Next(), d.leader.Stage()
	switch {
	case next == nil:
		next = slots.First(id, p.Workers)
	case p.Parts == nil:
		next = next.Again(id, p.Workers)
	default:
		if next, err = next.Next(id, d.store, p.Parts, p.Workers); err != nil && !passes(err) && ctx.Err() == nil {
			return fmt.Errorf("what was stored at a barrier: %w: %w", errDamaged, err)
		} else if err != nil {
			return err
		}
	}
	sequence, err := d.job.log.appendStage(ctx, d.sequence, next)
	if errors.Is(err, errRefused) {
		return nil // it is read
	}
	if err != nil {
		return err
	}
	return d.adopt(next, sequence)
}

// tellDivided says how far the search is.
func (d *divider) tellDivided() {
	r := *d.findings.Sofar()
	wrong := len(r.Violations)
	there, states, events := d.leader.Workers(time.Now())
	r.States, r.Nodes, r.Events = r.States+states, r.Nodes+states, r.Events+events
	r.Violations, r.Pairs = nil, nil // the others have no schedules yet
	p := &Progress{Submitter: d.opt.Submitter, Workers: there, Records: d.records, Counts: r,
		Outcomes: r.Outcomes.Len(), Wrong: wrong}
	r.Violations = d.shown
	if s := d.leader.Stage(); s != nil {
		p.Tasks = s.Workers()
	}
	d.job.tell(progressKind, p)
	if d.opt.Progress != nil {
		d.opt.Progress(&r, p)
	}
}

// trace finds the schedules of what was found. Without them nothing was found.
func (d *divider) trace(ctx context.Context) error {
	s := d.leader.Stage()
	if s == nil {
		return nil
	}
	d.store.ctx = ctx
	return d.findings.Trace(s, d.store)
}
