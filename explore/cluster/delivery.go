package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"cdpor/explore"
	"cdpor/explore/internal/joblog"
	"cdpor/lang/step"
)

// mendWithin is the time in which a coordinator repairs damaged records, until a task is tried again.
const mendWithin = time.Second

// begin finds the place where a task that was delivered goes on; nil: nowhere. A task that was delivered before and
// is not at its end may have killed its worker. The server counts deliveries but not their results, so the chain of the
// task counts the tries without a result; too many of them end the search.
func (j *Job) begin(ctx context.Context, m jetstream.Msg, p *joblog.Task) (*place, error) {
	meta, err := m.Metadata()
	if err != nil {
		return nil, err
	}
	at := &place{chain: token(p.ID), reconnects: j.nc.Stats().Reconnects}
	for {
		h, err := j.log.headOf(ctx, at.chain)
		if err != nil {
			return nil, err
		}
		at.left, at.number, at.last, at.nonce, at.tries = p, 0, h.sequence, h.nonce, 0
		at.digest = p.Digest()
		if r := h.record; r != nil {
			at.left, at.number, at.tries = r.Left, r.Number+1, r.Tries
		}
		switch {
		case h.damaged && h.record == nil: // who coordinates the search says what is left
			return nil, m.NakWithDelay(mendWithin)
		case at.left == nil:
			return nil, j.acknowledge(ctx, m)
		case meta.NumDelivered < 2 && at.tries == 0:
			return at, nil
		case at.tries+1 >= mostTries:
			if err := j.end(ctx, &joblog.Record{End: explore.StoppedPoison, Path: at.left.Path()}); err != nil {
				return nil, err
			}
			return nil, m.Term()
		}
		at.tries++
		r := &joblog.Record{Task: p.ID, Number: at.number, Tries: at.tries, Left: at.left}
		nonce := nuid.Next()
		if at.last, err = j.log.appendAs(ctx, at, r, nonce); err == nil {
			at.number, at.nonce = at.number+1, nonce
			return at, nil
		} else if !errors.Is(err, errRefused) {
			return nil, err
		}
	}
}

// acknowledgeEnded acknowledges a task that has ended. The error says that it has not.
func (j *Job) acknowledgeEnded(ctx context.Context, m jetstream.Msg) error {
	chain, _, _ := strings.Cut(strings.TrimPrefix(m.Subject(), j.subject(workKind, "")), againQueued)
	h, err := j.log.headOf(ctx, chain)
	if err == nil && (h.record == nil || !h.record.Ends()) {
		err = errors.New("it has not ended")
	}
	if err != nil {
		return err
	}
	return j.acknowledge(ctx, m)
}

// acknowledge takes a task out of the queue. A server that was set back gives no answer about what it does not know.
// If it has the task nevertheless it delivers it again, and the next worker reads in the log that it has ended.
func (j *Job) acknowledge(ctx context.Context, m jetstream.Msg) error {
	begun := time.Now()
	return j.again(ctx, func(ctx context.Context) error {
		err := m.DoubleAck(ctx)
		if err != nil && passes(err) && time.Since(begun) > acknowledgeWithin {
			return nil
		}
		return err
	})
}

// acknowledgeWithin bounds the time in which a server is asked whether a task is out of the queue.
const acknowledgeWithin = 3 * callWithin

// appendNext appends a record of a task, and goes on to the next place. A slow worker need not give way to others
// that have begun where it did: as long as they have done nothing, its record has its place after theirs. A server that
// was away may have lost the records that this one depends on: the one before it, or those that visited states have
// come from.
func (l *recordLog) appendNext(ctx context.Context, at *place, r *joblog.Record) error {
	for {
		if n := l.nc.Stats().Reconnects; n != at.reconnects {
			h, err := l.headOf(ctx, at.chain)
			if err != nil {
				return err
			}
			if at.reconnects = n; l.visited || h.sequence != at.last || h.nonce != at.nonce {
				return errRefused
			}
		}
		nonce := nuid.Next()
		if r.Number = at.number; r.Number == 0 {
			r.Digest = at.digest
		}
		sequence, err := l.appendAs(ctx, at, r, nonce)
		if err == nil {
			at.number, at.last, at.nonce, at.tries = at.number+1, sequence, nonce, 0
			at.left = r.Left
			return nil
		}
		if !errors.Is(err, errRefused) {
			return err
		}
		h, other := l.headOf(ctx, at.chain)
		if other != nil || h.record == nil || h.record.Number-h.record.Tries != at.number-1-at.tries ||
			at.reconnects != l.nc.Stats().Reconnects ||
			h.record.Left == nil || h.record.Left.Digest() != at.left.Digest() {
			return errors.Join(err, other)
		}
		at.number, at.last, at.nonce, at.tries = h.record.Number+1, h.sequence, h.nonce, h.record.Tries
	}
}

// Poisoned returns the schedule to the task that has ended a search as explore.StoppedPoison. A
// machine of the program learns what is started on the way.
func (j *Job) Poisoned(ctx context.Context, m *step.Machine) (schedule []int32, err error) {
	h, err := j.log.headOf(ctx, endChain)
	if err != nil || h.record == nil {
		return nil, err
	}
	names, err := j.log.headOf(ctx, originChain)
	if err == nil && names.record != nil {
		err = guarded(func() error { return m.AdoptOrigins(names.record.Origins) })
	}
	if err == nil && slices.ContainsFunc(h.record.Path, func(a int32) bool {
		return a < 0 || int(a) >= m.NumActions()
	}) {
		err = fmt.Errorf("the place: %w", errDamaged)
	}
	return h.record.Path, err
}

// againQueued stands in the subject of a task before what tells one time that it is queued from another.
const againQueued = "_"

// enqueue puts a task into the queue, unless it is there already. times tells one time that it is queued from another
// (joblog.Fold.Queued): the worker that gave it back may not have taken it out of the queue yet.
func (j *Job) enqueue(ctx context.Context, p *joblog.Task, times int) error {
	name := token(p.ID)
	if times > 0 {
		name += againQueued + strconv.Itoa(times)
	}
	text, err := json.Marshal(p)
	if err == nil {
		text, err = j.objects.short(ctx, owner{kind: taskLarge, id: p.ID}, text)
	}
	if err != nil {
		return err
	}
	return j.again(ctx, func(ctx context.Context) error {
		_, err := j.js.Publish(ctx, j.subject(workKind, name), text)
		var api *jetstream.APIError
		if errors.As(err, &api) && api.Description == "maximum messages per subject exceeded" {
			return nil
		}
		return err
	})
}
