package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"cdpor/explore"
	"cdpor/explore/internal/joblog"
	"cdpor/explore/internal/slots"
)

// nonceHeader names the header that tells a record of one worker from those of others.
const nonceHeader = "Cdpor-Nonce"

// A recordLog is the log of a job: chains of records in a stream.
type recordLog struct {
	*connection
	*names
	messages jetstream.Stream
	objects  *objectStore // for large records
	visited  bool         // the search notes visited states: a record may depend on any record before it
}

// A head is the last message of a chain.
type head struct {
	sequence uint64 // in the stream, 0: there is none
	nonce    string
	record   *joblog.Record // the last one that can be read; nil: there is none
	damaged  bool           // it is not that of the message
}

// mostTries bounds the tries of a task without a result. The search ends then: the task kills its workers, or makes
// them hang.
const mostTries = 6

// A place is the end of the chain of a task, where it goes on.
type place struct {
	chain  string
	left   *joblog.Task
	number int    // of the next record
	last   uint64 // the sequence of the last one
	nonce  string // of the last one
	digest string // of the task, if there is no record of it
	tries  int    // of the task, without a result

	reconnects uint64 // of the connection when the place was found
}

// headOf reads the last message of a chain.
func (l *recordLog) headOf(ctx context.Context, chain string) (h head, err error) {
	err = l.again(ctx, func(ctx context.Context) error {
		h = head{}
		m, r, err := l.lastOf(ctx, chain)
		damaged := errors.Is(err, errDamaged) || gone(err)
		if damaged {
			r, err = l.lastFit(ctx, chain)
		}
		if err == nil && m != nil {
			h = head{m.Sequence, m.Header.Get(nonceHeader), r, damaged}
		}
		return err
	})
	return h, err
}

// errRefused says that another writer was quicker.
var errRefused = errors.New("another record has this place in the log")

// append appends a record to a chain whose last message has a sequence, 0 for none. The error is errRefused, or says
// why it is not known what has become of the record.
func (l *recordLog) append(ctx context.Context, chain string, last uint64, r *joblog.Record) (sequence uint64,
	err error) {
	return l.appendAs(ctx, &place{chain: chain, last: last}, r, nuid.Next())
}

// appendAs is append with a nonce that no other record has, at a place whose last record is known by its nonce or is
// none of a task.
func (l *recordLog) appendAs(ctx context.Context, at *place, r *joblog.Record, nonce string) (sequence uint64,
	err error) {
	chain, reconnects := at.chain, at.reconnects
	if len(r.Found) > largeFound {
		if r, err = l.objects.storeFound(ctx, r); err != nil {
			return 0, err
		}
	}
	text, err := l.textOf(ctx, chain, r)
	if err != nil {
		return 0, err
	}
	m := &nats.Msg{Subject: l.subject(logKind, chain), Data: text, Header: nats.Header{nonceHeader: []string{nonce}}}
	err = l.again(ctx, func(ctx context.Context) error {
		if n := l.nc.Stats().Reconnects; at.nonce != "" && n != reconnects {
			h, err := l.headOf(ctx, chain)
			switch {
			case err != nil:
				return err
			case h.nonce == nonce: // it was stored before
				sequence = h.sequence
				return nil
			case l.visited || h.sequence != at.last || h.nonce != at.nonce: // the log has lost its end
				return errRefused
			}
			reconnects = n
		}
		ack, err := l.js.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(at.last))
		if err == nil {
			sequence = ack.Sequence
			return nil
		}
		if !wrongSequence(err) {
			return err
		}
		h, err := l.headOf(ctx, chain) // it may be this record, if its acknowledgement was lost
		if err == nil && h.nonce != nonce {
			return errRefused
		}
		sequence = h.sequence
		return err
	})
	return sequence, err
}

// textOf returns the message for a record. A large record is stored elsewhere.
func (l *recordLog) textOf(ctx context.Context, chain string, r *joblog.Record) ([]byte, error) {
	of := owner{recordLarge, r.Task, r.Number}
	if chain != token(r.Task) {
		of.kind = otherLarge
	}
	text, err := r.Marshal()
	if err != nil {
		return nil, err
	}
	return l.objects.short(ctx, of, text)
}

// appendAll appends records to a chain, whatever its last message is, and waits once for all of them. Some may be
// appended twice. The sequence is that of the last one.
func (l *recordLog) appendAll(ctx context.Context, chain string, records []*joblog.Record) (sequence uint64,
	err error) {
	left := make([]*nats.Msg, 0, len(records))
	for _, r := range records {
		text, err := json.Marshal(r)
		if err != nil {
			return 0, err
		}
		left = append(left, &nats.Msg{Subject: l.subject(logKind, chain), Data: text})
	}
	err = l.again(ctx, func(ctx context.Context) error {
		var sent []jetstream.PubAckFuture
		for _, m := range left {
			ack, err := l.js.PublishMsgAsync(m)
			if err != nil {
				return err
			}
			sent = append(sent, ack)
		}
		left = left[:0]
		var lost error
		for _, ack := range sent {
			select {
			case at := <-ack.Ok():
				sequence = max(sequence, at.Sequence)
			case err := <-ack.Err():
				left, lost = append(left, ack.Msg()), err
			case <-ctx.Done():
				left, lost = append(left, ack.Msg()), ctx.Err()
			}
		}
		return lost
	})
	return sequence, err
}

func wrongSequence(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// Complete is the reason of an end with nothing left to explore.
const Complete = "complete"

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
	return r.Take == nil && r.End == "" && r.Origins == nil && r.Folded == nil && chain == token(r.Task) &&
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

// mendAfter says what is left of a part after the last message of its chain. Another process may be quicker.
func (l *recordLog) mendAfter(ctx context.Context, last uint64, left *joblog.Task, next int) error {
	r := &joblog.Record{Task: left.ID, Number: next, Tries: 1, Left: left}
	_, err := l.appendAs(ctx, &place{chain: token(left.ID), last: last}, r, nuid.Next())
	if errors.Is(err, errRefused) {
		return nil
	}
	return err
}

// mendHead puts the chain of a part right if it ends with a message that has been read, and is not the last record of
// the part: the server has lost that, or has a message from before the part began, by a worker that knew more of the
// log than there is now.
func (l *recordLog) mendHead(ctx context.Context, read uint64, left *joblog.Task, next int) error {
	h, err := l.headOf(ctx, token(left.ID))
	if err != nil || h.sequence > read || h.sequence == 0 && next == 0 ||
		h.record != nil && !h.damaged && h.record.Number == next-1 {
		return err
	}
	return l.mendAfter(ctx, h.sequence, left, next)
}

// recordOf is the record of a chain for which a message was published.
func (l *recordLog) recordOf(ctx context.Context, chain string, data []byte) (*joblog.Record, error) {
	text, err := l.objects.whole(ctx, data)
	if err != nil {
		return nil, err
	}
	r := &joblog.Record{}
	if err := r.Unmarshal(text); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if !belongs(r, chain) {
		return nil, fmt.Errorf("%w: a record that is none of %s", errDamaged, chain)
	}
	return r, nil
}

// lastOf reads the last message of a chain, nil if there is none, and its record. What it stands for may have been
// removed because it is not the last one any more.
func (l *recordLog) lastOf(ctx context.Context, chain string) (m *jetstream.RawStreamMsg, r *joblog.Record,
	err error) {
	for tries := 0; ; tries++ {
		m, err = l.messages.GetLastMsgForSubject(ctx, l.subject("log", chain))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil, nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
		if r, err = l.recordOf(ctx, chain, m.Data); !gone(err) || tries > 4 {
			return m, r, err
		}
		pause(ctx, time.Duration(tries)*50*time.Millisecond)
	}
}
