package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"cdpor/explore/internal/joblog"
	"cdpor/lang/step"
)

// A job may be made of tasks in place of a search: pieces of work on a program that do not depend on each other. Each
// has a place in the queue, and a chain with one record that says what came of it (README section 19).

// A Task does one piece of work on the program of a job, and returns what came of it. It has to call sign now and then:
// a task that does not is given to another worker as well.
type Task func(ctx context.Context, p *step.Program, task []byte, sign func()) ([]byte, error)

// ErrNoTask is the error of a Task that this process cannot do, but others may.
var ErrNoTask = errors.New("this worker cannot do the tasks of the job")

// NewTasks is a job of tasks on a program.
func NewTasks(p *step.Program, title string, tasks [][]byte) (*Spec, error) {
	build, err := Build()
	return &Spec{Build: build, Title: title, Program: step.Carry(p), Algorithm: "tasks", Tasks: tasks}, err
}

// taskID is the parcel that stands for a task.
func taskID(number int) joblog.ID { return joblog.ID{Node: number} }

// do does a task of the queue.
func (w *worker) do(ctx context.Context, m jetstream.Msg) error {
	var p joblog.Parcel
	if err := json.Unmarshal(m.Data(), &p); err != nil {
		return fmt.Errorf("a task of job %s: %w", w.job.Name, err)
	}
	if p.ID.Node < 0 || p.ID.Node >= len(w.job.Spec.Tasks) {
		return fmt.Errorf("job %s has no task %d", w.job.Name, p.ID.Node)
	}
	at, err := w.job.begin(ctx, m, &p)
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
	return w.job.again(ctx, m.DoubleAck)
}

const (
	// lookForTasks is how often Gather looks for what has come of tasks.
	lookForTasks = 50 * time.Millisecond
	// queueAgain is how often tasks of which nothing has come are queued again, in case that the server has lost them.
	queueAgain = 5 * time.Second
)

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
			for _, i := range left {
				if err := job.enqueue(ctx, &joblog.Parcel{ID: taskID(i), Begin: -1}); err != nil {
					return "", err
				}
			}
		}
		before := left
		left = left[:0:0]
		for _, i := range before {
			h, err := job.headOf(ctx, token(taskID(i)))
			if err != nil {
				return "", err
			}
			if h.record == nil || h.record.Left != nil {
				left = append(left, i)
				continue
			}
			found, err := job.foundBy(ctx, h.record)
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
