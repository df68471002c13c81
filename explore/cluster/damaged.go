package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nuid"

	"cdpor/explore"
	"cdpor/explore/internal/joblog"
	"cdpor/explore/internal/slots"
)

// What is in a log, in a queue or in a message may be anything: a store loses blocks, and who may write may write what
// is none of the search. What cannot be read, or does not fit, is left out and counted, and the search goes on. What
// others rest on is put right: the coordinator appends to the chain of a part what is left of it. Where that is not
// known any more the search ends as explore.StoppedLost.

// errDamaged says that something cannot be read, or does not fit where it is.
var errDamaged = errors.New("it cannot be read, or does not fit")

// guarded calls a function that deals with what others have written, and makes an error of a panic.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errDamaged, p)
		}
	}()
	return f()
}

// ends are the reasons for which a search of a cluster may end.
var ends = []string{Complete, explore.StoppedExecutions, explore.StoppedTime, explore.StoppedMemory,
	explore.StoppedContext, explore.StoppedFirst, explore.StoppedEnough, explore.StoppedCancelled,
	explore.StoppedPoison, explore.StoppedLost}

// belongs reports whether a record may be in a chain.
func belongs(r *joblog.Record, chain string) bool {
	switch chain {
	case takeChain:
		return r.Take != nil
	case endChain:
		return slices.Contains(ends, r.End)
	case originChain:
		return len(r.Origins) > 0
	case foldedChain:
		return r.Folded != nil
	case stageChain:
		s := &slots.Stage{}
		return r.Stored != "" || json.Unmarshal(r.Found, s) == nil && s.Fits()
	}
	return r.Take == nil && r.End == "" && r.Origins == nil && r.Folded == nil && chain == token(r.Parcel) &&
		r.Number >= 0 && r.Tries >= 0 && r.Tries <= mostTries
}

// lastFit is the last record of a chain that can be read and belongs there; nil: there is none. Those behind it are
// damaged.
func (l *recordLog) lastFit(ctx context.Context, chain string) (last *joblog.Record, err error) {
	for from := uint64(1); ; {
		list, err := l.fetch(ctx, l.stream("log"), from, l.subject(logKind, chain), fetchAtOnce)
		if err != nil || len(list) == 0 {
			return last, err
		}
		for _, m := range list {
			from = m.sequence + 1
			r, err := l.recordOf(ctx, chain, m.message.Data)
			switch {
			case err == nil:
				last = r
			case !errors.Is(err, errDamaged) && !gone(err):
				return nil, err
			}
		}
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
		left, next := c.fold.Parcel(id)
		err := c.job.log.mendAfter(ctx, m.sequence, left, next)
		if err == nil && c.begun { // a worker may have taken it for ended
			c.enqueue(ctx, id)
		}
		return err
	}
	return nil
}

// mendAfter says what is left of a part after the last message of its chain. Somebody may be quicker.
func (l *recordLog) mendAfter(ctx context.Context, last uint64, left *joblog.Parcel, next int) error {
	r := &joblog.Record{Parcel: left.ID, Number: next, Tries: 1, Left: left}
	_, err := l.appendAs(ctx, &place{chain: token(left.ID), last: last}, r, nuid.Next())
	if errors.Is(err, errRefused) {
		return nil
	}
	return err
}

// mendHead puts the chain of a part right if it ends with a message that has been read, and is not the last record of
// the part: the server has lost that, or has a message from before the part began, by a worker that knew more of the
// log than there is now.
func (l *recordLog) mendHead(ctx context.Context, read uint64, left *joblog.Parcel, next int) error {
	h, err := l.headOf(ctx, token(left.ID))
	if err != nil || h.sequence > read || h.sequence == 0 && next == 0 ||
		h.record != nil && !h.damaged && h.record.Number == next-1 {
		return err
	}
	return l.mendAfter(ctx, h.sequence, left, next)
}
