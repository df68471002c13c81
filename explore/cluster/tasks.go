package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"cdpor/explore/internal/joblog"
	"cdpor/lang/step"
)

// A job may be made of tasks in place of a search: pieces of work on a program that do not depend on each other. Each
// has a place in the queue, and a chain with one record that says what came of it (cluster/README, "Workers that may
// die").

// A Task does one piece of work on the program of a job, and returns what came of it. It has to call sign now and
// then: a task that does not is given to another worker as well.
type Task func(ctx context.Context, p *step.Program, task []byte, sign func()) ([]byte, error)

// ErrNoTask is the error of a Task that this process cannot do, but others may.
var ErrNoTask = errors.New("this worker cannot do the tasks of the job")

// NewTasks is a job of tasks on a program.
func NewTasks(p *step.Program, title string, tasks [][]byte) (*Spec, error) {
	build, err := Build()
	return &Spec{Build: build, Title: title, Program: step.Carry(p), Algorithm: "tasks", Tasks: tasks}, err
}

// Helper is the name of the job of tasks for another job.
func Helper(job string) string { return job + helperSuffix }

const helperSuffix = "-constraints"

// Distribute makes the job of tasks for a job that is going to be submitted, or takes up one of the same tasks whose
// submitter is not there any more: what has come of them is in its log. One of other tasks under its name, whose
// submitter is not there either, is removed.
func Distribute(ctx context.Context, nc *nats.Conn, name string, spec *Spec, opt CreateOptions) (*Job, error) {
	spec.For = name
	names, err := Names(ctx, nc)
	if err != nil { // who may not list them has no others
		names = nil
	}
	for _, other := range names {
		if !strings.HasSuffix(other, helperSuffix) {
			continue
		}
		job, err := Open(ctx, nc, other)
		if err != nil {
			continue // it was removed just now, or cannot be read
		}
		same := job.Spec.sameTasks(spec)
		if !same && other != Helper(name) {
			continue
		}
		present, err := submitterThere(ctx, job)
		switch {
		case err != nil:
			return nil, err
		case present:
			continue
		}
		why, err := job.Ended(ctx)
		if err != nil {
			return nil, err
		}
		if same && why == "" {
			return job, nil
		}
		if err := job.Remove(ctx); err != nil {
			return nil, err
		}
	}
	return Create(ctx, nc, Helper(name), spec, opt)
}

// sameTasks reports whether two jobs of tasks are the same but for what they are for.
func (s *Spec) sameTasks(o *Spec) bool {
	return len(s.Tasks) > 0 && s.Build == o.Build && bytes.Equal(s.Program, o.Program) &&
		slices.EqualFunc(s.Tasks, o.Tasks, bytes.Equal)
}

// submitterThere reports whether the submitter of a job is heard. It listens for silentFor.
func submitterThere(ctx context.Context, j *Job) (bool, error) {
	came := make(chan bool, 1)
	end, err := heed(j, progressKind, func(p *Progress) {
		if p.Submitter {
			select {
			case came <- true:
			default:
			}
		}
	})
	if err != nil {
		return false, err
	}
	defer end()
	select {
	case <-came:
		return true, nil
	case <-time.After(silentFor):
		return false, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// silentFor: a submitter that is silent for this time is not there.
var silentFor = 3 * tellProgress

// taskID is the parcel that stands for a task.
func taskID(number int) joblog.ID { return joblog.ID{Node: number} }

// do does a task of the queue.
func (w *worker) do(ctx context.Context, m jetstream.Msg) error {
	p, err := w.job.queued(ctx, m)
	if err != nil || p == nil {
		return err
	}
	if p.ID.Node < 0 || p.ID.Node >= len(w.job.Spec.Tasks) || p.ID != taskID(p.ID.Node) {
		w.job.trouble(fmt.Errorf("there is no task %v", p.ID))
		return m.Term()
	}
	at, err := w.job.begin(ctx, m, p)
	if err != nil || at == nil {
		return err
	}
	w.message, w.signed = m, time.Now()
	w.taken.Add(1)
	machine, err := w.job.Spec.Machine()
	if err != nil {
		return err
	}
	r := &joblog.Record{Parcel: p.ID}
	if r.Found, err = w.task(ctx, machine.Program, w.job.Spec.Tasks[p.ID.Node], w.sign); err != nil {
		if nak := m.Nak(); ctx.Err() != nil || nak != nil {
			return nak
		}
		return fmt.Errorf("task %d of job %s: %w", p.ID.Node, w.job.Name, err)
	}
	switch err := w.appendNext(ctx, at, r); {
	case errors.Is(err, errRefused):
		w.refusals.Add(1)
		return w.refused(ctx, m, p.ID)
	case err != nil:
		return err
	}
	return w.job.acknowledge(ctx, m)
}

// lookForTasks is how often Gather looks for what has come of tasks.
const lookForTasks = 50 * time.Millisecond

// queueAgain is how often what nothing has come of is queued again, in case that the server has lost it.
var queueAgain = 5 * time.Second

// Gather waits for what comes of the tasks of a job, calls done with each, and ends the job. stopped says why the job
// has ended before, empty if it has not: then done was not called for all of them.
func Gather(ctx context.Context, job *Job, done func(task int, found []byte) error) (stopped string, err error) {
	left := make([]int, len(job.Spec.Tasks))
	for i := range left {
		left[i] = i
	}
	id, told := nuid.Next(), time.Time{}
	for queued := (time.Time{}); len(left) > 0; pause(ctx, lookForTasks) {
		if time.Since(told) > tellProgress {
			told = time.Now()
			job.tell(progressKind, &Progress{ID: id, Submitter: true, Parcels: len(left),
				Share: 1 - float64(len(left))/float64(len(job.Spec.Tasks))})
		}
		if time.Since(queued) > queueAgain {
			queued = time.Now()
			if err := job.mendConsumer(ctx); err != nil {
				return "", err
			}
			for _, i := range left {
				if err := job.enqueue(ctx, &joblog.Parcel{ID: taskID(i), Begin: -1}, 0); err != nil {
					return "", err
				}
			}
		}
		before := left
		left = left[:0:0]
		for _, i := range before {
			h, err := job.log.headOf(ctx, token(taskID(i)))
			if err != nil {
				return "", err
			}
			if h.record == nil || !h.record.Ends() {
				left = append(left, i)
				continue
			}
			found, err := job.objects.foundBy(ctx, h.record)
			if gone(err) { // who asks for it does without
				job.trouble(err)
				continue
			}
			if err == nil {
				err = done(i, found)
			}
			if err != nil {
				return "", err
			}
		}
		if len(left) > 0 {
			if stopped, err = job.Ended(ctx); err != nil || stopped != "" {
				return stopped, err
			}
		}
	}
	if err := job.End(ctx, Complete); err != nil {
		return "", err
	}
	job.tell(endKind, "")
	return "", nil
}
