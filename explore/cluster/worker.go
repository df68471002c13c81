package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	"cdpor/explore"
	"cdpor/explore/cluster/internal/pacing"
	"cdpor/explore/internal/executions"
	"cdpor/explore/internal/joblog"

	"github.com/nats-io/nats.go/jetstream"
)

// DefaultSlice is the time for which a worker explores from one record to the next while other workers are idle.
const DefaultSlice = pacing.DefaultSlice

// lastWords is the time for which a worker that is told to end tries to append its last record.
const lastWords = 3 * time.Second

// A worker explores the tasks of a job, one after the other.
type worker struct {
	job    *Job
	slices pacing.Slices

	tasks      *executions.TaskWork // nil: what it knew must not be relied on any more
	reconnects uint64               // of the connection, so far
	unnamed    error                // why a process that was started has no name
	message    jetstream.Msg        // of the task
	signed     time.Time            // when it last gave one
	wanted     atomic.Bool          // it shall give something away
	over       atomic.Bool          // the search has ended
	done       atomic.Int64         // nodes
	busy       atomic.Bool          // it has a task, or slots
	watchdog   watchdog             // what it explores
	patience   atomic.Int64         // after how many ns without a sign of life others get it
	slots      *slotWorker          // nil: the search is cut into tasks
	end        func()
}

// newWorker makes a worker that listens.
func newWorker(job *Job, slice time.Duration) (*worker, error) {
	w := &worker{job: job, slices: pacing.NewSlices(slice)}
	listened, err := heed(job, wantKind, func(m *want) {
		if pacing.Answers(m.Tasks, m.Workers, rand.IntN) {
			w.wanted.Store(true)
		}
	})
	if err != nil {
		return nil, err
	}
	told, err := heed(job, endKind, func(*string) { w.over.Store(true) })
	if err != nil {
		listened()
		return nil, err
	}
	w.end = func() {
		listened()
		told()
		if w.slots != nil {
			w.slots.end()
		}
	}
	if job.Spec.divided() {
		w.slots, err = newSlotWorker(w)
	}
	return w, err
}

// search makes a search that knows nothing.
func (w *worker) search(ctx context.Context) (*executions.TaskWork, error) {
	m, err := w.job.Spec.Machine()
	if err != nil {
		return nil, err
	}
	a, opt, err := w.job.Spec.Search(m)
	if err != nil {
		return nil, err
	}
	w.job.name(ctx, m, &w.unnamed)
	opt.Progress = func(*explore.Result) { w.sign() }
	return executions.NewTaskWork(context.Background(), m, a, opt)
}

// sign gives a sign of life now and then. The search calls it after so many nodes: one that hangs gives none, and loses
// its task; one that needs longer for an execution than others wait does not.
func (w *worker) sign() {
	now := time.Now()
	w.watchdog.sign(now)
	if now.Sub(w.signed) > time.Duration(w.patience.Load())/4 {
		w.signed = now
		_ = w.message.InProgress() // if it is lost, there is another one soon
	}
}

// next works on the next task of the queue, if there is one soon. It reports whether there was.
func (w *worker) next(ctx context.Context, queue jetstream.Consumer, within time.Duration) (worked bool, err error) {
	if w.slots != nil {
		return w.slots.next(ctx, within)
	}
	wait, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	batch, err := queue.Fetch(1, jetstream.FetchContext(wait))
	if err != nil {
		if at, _ := wait.Deadline(); !time.Now().Before(at) || wait.Err() != nil || passes(err) {
			return false, nil // on a busy machine the time may be over before the context knows
		}
		return false, err
	}
	if m, ok := <-batch.Messages(); ok {
		w.patience.Store(int64(queue.CachedInfo().Config.AckWait))
		w.busy.Store(true)
		defer w.busy.Store(false)
		err := guarded(func() error { return w.explore(ctx, m) })
		if errors.Is(err, errDamaged) { // its chain says how often it was tried in vain
			w.tasks = nil
			w.job.trouble(err)
			err = m.NakWithDelay(mendWithin)
		}
		return true, err
	}
	if err := batch.Error(); err != nil && wait.Err() == nil && !passes(err) {
		return false, err
	}
	return false, nil
}

// explore works on a task of the queue until it is at its end, or another worker is quicker.
func (w *worker) explore(ctx context.Context, m jetstream.Msg) error {
	p, err := w.job.queued(ctx, m)
	if err != nil || p == nil {
		return err
	}
	at, err := w.job.begin(ctx, m, p)
	if err != nil || at == nil {
		return err
	}
	if n := w.job.nc.Stats().Reconnects; n != w.reconnects { // what the tables rest on may be lost
		w.tasks, w.reconnects = nil, n
	}
	if w.tasks == nil {
		if w.tasks, err = w.search(ctx); err != nil {
			return err
		}
	}
	w.message, w.signed = m, time.Now()
	if err = w.failed(w.tasks.TakeUp(at.left)); err != nil {
		w.tasks = nil
		return err
	}
	if at.tries > 0 { // a little may come of it
		w.slices.Again(at.tries)
	}
	for !w.over.Load() {
		w.watchdog.begin(at.left)
		r, err := w.exploreSlice(ctx, at)
		w.watchdog.begin(nil)
		if err == nil {
			err = w.appendNext(ctx, at, r)
		}
		switch {
		case errors.Is(err, errRefused):
			w.tasks = nil // what it did since the last record does not count, nor what rests on it
			return w.refused(ctx, m, p.ID)
		case err != nil:
			w.tasks = nil
			return err
		case r.Ends():
			return w.job.acknowledge(ctx, m)
		case ctx.Err() != nil:
			return m.Nak()
		}
		if err := m.InProgress(); err != nil && !passes(err) {
			return err
		}
	}
	return m.Term()
}

// queued is the task of a message of the queue. One that is none is taken out of the queue: if there is a task, it
// is queued again.
func (j *Job) queued(ctx context.Context, m jetstream.Msg) (*joblog.Task, error) {
	p := &joblog.Task{}
	text, err := j.objects.whole(ctx, m.Data())
	if gone(err) && j.acknowledgeEnded(ctx, m) == nil { // otherwise the server has lost it
		return nil, nil
	}
	if err != nil && !gone(err) {
		return nil, fmt.Errorf("a task of job %s: %w", j.Name, err)
	}
	if err == nil {
		err = json.Unmarshal(text, p)
	}
	if chain, _, _ := strings.Cut(strings.TrimPrefix(m.Subject(), j.subject(workKind, "")), againQueued); err == nil &&
		token(p.ID) == chain {
		return p, nil
	}
	j.trouble(fmt.Errorf("a task of the queue: %w", errDamaged))
	return nil, m.Term()
}

// appendNext appends a record. A worker that is told to end does so, too, if the server answers soon.
func (w *worker) appendNext(ctx context.Context, at *place, r *joblog.Record) error {
	if ctx.Err() != nil {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
		defer cancel()
		ctx = last
	}
	return w.job.log.appendNext(ctx, at, r)
}

// refused gives a task up: another worker has appended a record to its chain.
func (w *worker) refused(ctx context.Context, m jetstream.Msg, id joblog.ID) error {
	at, err := w.job.log.headOf(ctx, token(id))
	switch {
	case err != nil:
		return err
	case at.record != nil && at.record.Ends():
		return w.job.acknowledge(ctx, m)
	}
	return m.Nak() // the quicker worker may be dead
}

// exploreSlice explores until it is time for a record: the slice is long enough, another worker is idle, the
// task is at its end, or something wrong was found where that ends the search.
func (w *worker) exploreSlice(ctx context.Context, at *place) (*joblog.Record, error) {
	over := false
	for begun := time.Now(); !over; {
		look := time.Now()
		var err error
		nodes := w.slices.Nodes()
		over, err = w.tasks.Explore(nodes)
		if err = w.failed(err); err != nil {
			return nil, err
		}
		w.done.Add(nodes) // or a few less
		if !over {
			w.slices.Looked(time.Since(look))
		}
		if w.slices.Over(time.Since(begun)) || w.over.Load() || ctx.Err() != nil ||
			w.job.Spec.StopAtFirst && w.tasks.Violated() {
			break
		}
		if w.wanted.Load() && w.slices.MayGive(time.Since(begun)) && w.tasks.Divisible() {
			break
		}
	}
	split, begun := w.wanted.Swap(false), time.Now()
	r, err := w.tasks.Record(at.number, over, split)
	w.slices.Recorded(split, time.Since(begun))
	return r, w.failed(err)
}

// failed is the error of a search. One that is not of the server is of what the search was given.
func (w *worker) failed(err error) error {
	switch {
	case w.unnamed != nil:
		return errors.Join(w.unnamed, err)
	case err == nil:
		return nil
	}
	return fmt.Errorf("a part of the search: %w: %w", errDamaged, err)
}
