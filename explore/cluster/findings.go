package cluster

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"cdpor/explore/cluster/internal/pacing"
	"cdpor/explore/distributed"
	"cdpor/explore/internal/joblog"
)

// An adder adds what records have found to the findings, in the order of the log. It runs beside the coordinator, since
// workers wait for that: adding a hundred thousand outcomes takes as long as handing out a hundred tasks.
type adder struct {
	job      *Job
	mu       sync.Mutex // of the findings
	findings *distributed.Findings
	queue    chan toAdd
	ended    chan struct{}
	failed   chan error // why something could not be added: what comes after that is dropped

	violated   atomic.Bool
	executions atomic.Int64 // those that were cut included
	lost       atomic.Int64 // records with findings that could not be added
}

// A toAdd is a record that waits, or a question: joined is closed when all before it have been added.
type toAdd struct {
	record *joblog.Record
	joined chan struct{}
}

// newAdder makes one that works until the context is done or it is ended.
func newAdder(ctx context.Context, job *Job, findings *distributed.Findings) *adder {
	j := &adder{job: job, findings: findings, queue: make(chan toAdd, pacing.MostUnjoined),
		ended: make(chan struct{}), failed: make(chan error, 1)}
	j.tell()
	go func() {
		defer close(j.ended)
		var err error
		for next := range j.queue {
			switch {
			case next.joined != nil:
				close(next.joined)
			case err == nil:
				if err = ctx.Err(); err == nil {
					err = j.join(ctx, next.record)
				}
				if err != nil {
					j.failed <- err
				}
			}
		}
	}()
	return j
}

// join adds what a record has found.
func (j *adder) join(ctx context.Context, r *joblog.Record) error {
	found, err := j.job.objects.foundBy(ctx, r)
	if gone(err) {
		return errGap
	}
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if guarded(func() error { return j.findings.Add(found) }) != nil {
		j.lost.Add(1)
	}
	j.tell()
	return nil
}

// tell says what decides whether the search ends early.
func (j *adder) tell() {
	r := j.findings.Sofar()
	j.violated.Store(j.findings.Violated())
	j.executions.Store(r.Executions + r.Cut)
}

// wait waits until all has been added. The error says what could not be.
func (j *adder) wait() error {
	joined := make(chan struct{})
	j.queue <- toAdd{joined: joined}
	<-joined
	select {
	case err := <-j.failed:
		return err
	default:
		return nil
	}
}

// end ends the adder. What waits is dropped if the context is done.
func (j *adder) end() {
	close(j.queue)
	<-j.ended
}

// errGap says that records are missing, because another coordinator has removed them or because a server has lost
// them.
var errGap = errors.New("records of the log are missing")
