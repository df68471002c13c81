package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"cdpor/explore"
	"cdpor/explore/internal/joblog"
	"cdpor/lang/step"
)

const (
	// DefaultSlice is how long a worker explores from one record to the next while somebody has nothing to do.
	DefaultSlice = 50 * time.Millisecond
	// slicesAlone is how many times as long the slices are while nobody does.
	slicesAlone = 20
	// looksPerSlice is how often a worker looks around in a slice.
	looksPerSlice = 10
	// firstNodes is how many nodes a worker explores that does not know yet how long they take.
	firstNodes = 256
)

// A worker is one that works on a job.
type worker struct {
	job   *Job
	slice time.Duration

	parcels                        *explore.ParcelWork // nil: what it knew must not be relied on any more
	reconnects                     uint64              // of the connection, so far
	unnamed                        error               // why a process that was started has no name
	nodes                          int64               // that are explored until it looks around
	longest                        time.Duration       // of the present slice
	wanted                         atomic.Bool         // it shall give something away
	over                           atomic.Bool         // the search has ended
	done, taken, records, refusals atomic.Int64        // see Numbers
	busy                           atomic.Bool         // it has a parcel, or slots
	slots                          *slotWorker         // nil: the search is cut into parcels
	end                            func()
}

// newWorker makes a worker that listens.
func newWorker(job *Job, slice time.Duration) (*worker, error) {
	w := &worker{job: job, slice: slice, nodes: firstNodes, longest: slice / looksPerSlice}
	listened, err := heed(job, wantKind, func(m *want) {
		if m.Workers > 0 && rand.IntN(m.Workers) < m.Parcels { // not all at once
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
func (w *worker) search(ctx context.Context) (*explore.ParcelWork, error) {
	m, err := w.job.Spec.Machine()
	if err != nil {
		return nil, err
	}
	a, opt, err := w.job.Spec.Search(m)
	if err != nil {
		return nil, err
	}
	w.unnamed = nil
	m.AgreeOrigins(func(list [][]step.Origin, template int) ([][]step.Origin, error) {
		list, err := w.job.agree(ctx, m, list, template)
		if err != nil {
			w.unnamed = err
		}
		return list, err
	})
	return explore.NewParcelWork(context.Background(), m, a, opt)
}

// next works on the next parcel of the queue, if there is one soon. It reports whether there was.
func (w *worker) next(ctx context.Context, queue jetstream.Consumer, within time.Duration) (worked bool, err error) {
	if w.slots != nil {
		return w.slots.next(ctx, within)
	}
	wait, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	batch, err := queue.Fetch(1, jetstream.FetchContext(wait))
	if err != nil {
		if wait.Err() != nil || passes(err) {
			return false, nil
		}
		return false, err
	}
	for m := range batch.Messages() {
		w.busy.Store(true)
		err := w.explore(ctx, m)
		w.busy.Store(false)
		return true, err
	}
	if err := batch.Error(); err != nil && wait.Err() == nil && !passes(err) {
		return false, err
	}
	return false, nil
}

// explore works on a parcel of the queue until it is at its end, or somebody else is quicker.
func (w *worker) explore(ctx context.Context, m jetstream.Msg) error {
	var p joblog.Parcel
	if err := json.Unmarshal(m.Data(), &p); err != nil {
		return fmt.Errorf("a parcel of job %s: %w", w.job.Name, err)
	}
	at, err := w.job.headOf(ctx, token(p.ID))
	if err != nil {
		return err
	}
	left, number := &p, 0
	if at.record != nil {
		if left, number = at.record.Left, at.record.Number+1; left == nil {
			return m.DoubleAck(ctx)
		}
	}
	if n := w.job.nc.Stats().Reconnects; n != w.reconnects { // what the tables rest on may be lost
		w.parcels, w.reconnects = nil, n
	}
	if w.parcels == nil {
		if w.parcels, err = w.search(ctx); err != nil {
			return err
		}
	}
	err = w.parcels.TakeUp(left)
	if err = errors.Join(w.unnamed, err); err != nil {
		w.parcels = nil
		return fmt.Errorf("parcel %v of job %s: %w", p.ID, w.job.Name, err)
	}
	w.taken.Add(1)
	for last := at.sequence; !w.over.Load(); number++ {
		r, err := w.exploreSlice(ctx, number)
		if err == nil {
			last, err = w.job.append(ctx, token(p.ID), last, r)
			w.records.Add(1)
		}
		switch {
		case errors.Is(err, errRefused):
			w.refusals.Add(1)
			w.parcels = nil // what it did since the last record does not count, nor what rests on it
			return w.refused(ctx, m, p.ID)
		case err != nil:
			w.parcels = nil
			return err
		case r.Left == nil:
			return w.job.again(ctx, m.DoubleAck)
		case ctx.Err() != nil:
			return m.Nak()
		}
		if err := m.InProgress(); err != nil && !passes(err) {
			return err
		}
	}
	return m.Term()
}

// refused is what is to be done when another worker has appended a record to the chain of a parcel.
func (w *worker) refused(ctx context.Context, m jetstream.Msg, id joblog.ID) error {
	at, err := w.job.headOf(ctx, token(id))
	switch {
	case err != nil:
		return err
	case at.record != nil && at.record.Left == nil:
		return m.DoubleAck(ctx)
	}
	return m.Nak() // who was quicker may be dead
}

// exploreSlice explores until it is time for a record: the slice is long enough, somebody else wants something, the
// parcel is at its end, or something wrong was found where that ends the search.
func (w *worker) exploreSlice(ctx context.Context, number int) (*joblog.Record, error) {
	over := false
	for begun := time.Now(); !over; {
		look := time.Now()
		var err error
		over, err = w.parcels.Explore(w.nodes)
		if err = errors.Join(w.unnamed, err); err != nil {
			return nil, err
		}
		took := time.Since(look)
		w.done.Add(w.nodes) // or a few less
		if !over && took > 0 {
			aim := float64(w.slice) / looksPerSlice
			w.nodes = max(1, min(4*w.nodes, int64(float64(w.nodes)*aim/float64(took))))
		}
		spent := time.Since(begun)
		if spent >= w.longest || w.wanted.Load() && w.parcels.Divisible() || w.over.Load() || ctx.Err() != nil ||
			w.job.Spec.StopAtFirst && w.parcels.Violated() {
			break
		}
	}
	split := w.wanted.Swap(false)
	if w.longest = min(2*w.longest, slicesAlone*w.slice); split {
		w.longest = w.slice
	}
	return w.parcels.Record(number, over, split)
}
