package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"cdpor/explore/internal/joblog"
	"cdpor/lang/step"
)

const (
	// callWithin is how long a server has for an answer; then the question is asked again.
	callWithin = time.Second
	// largeWithin is how long it has at most for what is large.
	largeWithin = time.Minute
	// nonceHeader names the header that tells a record of one worker from those of others.
	nonceHeader = "Cdpor-Nonce"
)

// The chains of a log that are none of parcels.
const (
	takeChain   = "takes"   // of coordinators
	endChain    = "end"     // one record at most: why the search has ended
	originChain = "origins" // the last record has all
	foldedChain = "folded"  // the last record names the snapshot that a coordinator begins with
)

// token is a parcel in a subject.
func token(id joblog.ID) string {
	if id == joblog.Root {
		return "root"
	}
	return fmt.Sprintf("%d-%d", id.Node, id.Place)
}

// fetchAtOnce is how many messages are fetched at once, and fetchBytes about how many bytes.
const (
	fetchAtOnce = 256
	fetchBytes  = 8 << 20
)

// A connection asks a server, again and again if that is needed.
type connection struct {
	nc      *nats.Conn
	js      jetstream.JetStream
	failing func(error) // is told the error of a server that is asked again for long
}

// A recordLog is the log of a job: chains of records in a stream.
type recordLog struct {
	*connection
	*names
	messages jetstream.Stream
	objects  *objectStore // for large records
	visited  bool         // the search notes visited states: a record may depend on any record before it
}

// A logged is a message of a stream or, of one that is followed, why there are no more.
type logged struct {
	message  *nats.Msg
	sequence uint64
	err      error
}

// fetch reads messages of a stream in their order: those of a subject, or all if it is empty, from a sequence on, at
// most so many. With an error it returns those before it. No consumer is made: who may make one can have the server
// publish what is stored on any subject.
func (c *connection) fetch(ctx context.Context, stream string, from uint64, subject string, most int) (list []logged,
	err error) {
	request, err := json.Marshal(struct {
		Seq      uint64 `json:"seq"`
		Subject  string `json:"next_by_subj,omitempty"`
		Batch    int    `json:"batch"`
		MaxBytes int    `json:"max_bytes"`
	}{from, subject, most, fetchBytes})
	if err != nil {
		return nil, err
	}
	sub, err := c.nc.SubscribeSync(c.nc.NewInbox())
	if err != nil {
		return nil, err
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := c.nc.PublishRequest("$JS.API.DIRECT.GET."+stream, sub.Subject, request); err != nil {
		return nil, err
	}
	for {
		wait, cancel := context.WithTimeout(ctx, callWithin)
		m, err := sub.NextMsgWithContext(wait)
		cancel()
		if err != nil {
			return list, err
		}
		switch status := m.Header.Get("Status"); status {
		case "":
		case "204", "404": // the end of what was asked for; nothing
			return list, nil
		default:
			return list, fmt.Errorf("stream %s cannot be read: %s %s", stream, status, m.Header.Get("Description"))
		}
		sequence, err := strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64)
		if err != nil {
			return list, fmt.Errorf("stream %s: a message without a sequence", stream)
		}
		m.Subject = m.Header.Get(jetstream.SubjectHeader)
		if list = append(list, logged{message: m, sequence: sequence}); m.Header.Get("Nats-Num-Pending") == "" {
			return list, nil // a server before 2.11 sends one
		}
	}
}

// A head is the last message of a chain.
type head struct {
	sequence uint64 // in the stream, 0: there is none
	nonce    string
	record   *joblog.Record // the last one that can be read; nil: there is none
	damaged  bool           // it is not that of the message
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

// NoBuffer is an option that connections must have with which a Job is used: what was said while a connection was lost
// is not sent when it is back. The server may have lost what it rests on, so that has to be looked at before.
var NoBuffer = nats.ReconnectBufSize(-1)

// appendAs is append with a nonce that no other record has, at a place whose last record is known by its nonce or is
// none of a parcel.
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
	of := owner{recordLarge, r.Parcel, r.Number}
	if chain != token(r.Parcel) {
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

// againQueued stands in the subject of a parcel before what tells one time that it is queued from another.
const againQueued = "_"

// enqueue puts a parcel into the queue, unless it is there already. times tells one time that it is queued from another
// (joblog.Fold.Queued): the worker that gave it back may not have taken it out of the queue yet.
func (j *Job) enqueue(ctx context.Context, p *joblog.Parcel, times int) error {
	name := token(p.ID)
	if times > 0 {
		name += againQueued + strconv.Itoa(times)
	}
	text, err := json.Marshal(p)
	if err == nil {
		text, err = j.objects.short(ctx, owner{kind: parcelLarge, id: p.ID}, text)
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

// Ended says why the search has ended early, empty if it has not. Complete stands for one in which everything was
// explored.
func (j *Job) Ended(ctx context.Context) (why string, err error) {
	h, err := j.log.headOf(ctx, endChain)
	if err != nil || h.record == nil {
		return "", err
	}
	return h.record.End, nil
}

// Complete is the reason of an end with nothing left to explore.
const Complete = "complete"

// End ends a search, unless it has ended already. why says why.
func (j *Job) End(ctx context.Context, why string) error { return j.end(ctx, &joblog.Record{End: why}) }

func (j *Job) end(ctx context.Context, r *joblog.Record) error {
	h, err := j.log.headOf(ctx, endChain)
	if err != nil || h.record != nil {
		return err
	}
	_, err = j.log.append(ctx, endChain, h.sequence, r)
	if errors.Is(err, errRefused) {
		return nil
	}
	return err
}

// agree adds what a machine calls the process that it has started last to what all machines agree upon, and returns
// that: see step.Machine.AgreeOrigins.
func (j *Job) agree(ctx context.Context, m *step.Machine, list [][]step.Origin, template int) ([][]step.Origin, error) {
	newest := list[template][len(list[template])-1]
	for {
		h, err := j.log.headOf(ctx, originChain)
		if err != nil {
			return nil, err
		}
		agreed := make([][]step.Origin, len(list))
		if h.record != nil {
			agreed = h.record.Origins
		}
		if len(agreed) != len(list) {
			return nil, fmt.Errorf("the names of what is started: %w", errDamaged)
		}
		full := len(agreed[template]) >= m.Program.Templates[template].Pool.Size
		if full || contains(agreed[template], newest) {
			return agreed, nil
		}
		agreed[template] = append(agreed[template], newest)
		_, err = j.log.append(ctx, originChain, h.sequence, &joblog.Record{Origins: agreed})
		if !errors.Is(err, errRefused) {
			return agreed, err
		}
	}
}

func contains(list []step.Origin, o step.Origin) bool {
	for _, other := range list {
		if other == o {
			return true
		}
	}
	return false
}

// again asks a server until it answers, longer and longer apart, or the context is done.
func (c *connection) again(ctx context.Context, f func(context.Context) error) error {
	return c.askAgain(ctx, callWithin, f)
}

// againLarge is again for what is large: a server that was too slow has more time when it is asked again.
func (c *connection) againLarge(ctx context.Context, f func(context.Context) error) error {
	return c.askAgain(ctx, largeWithin, f)
}

// askAgain is again. A server has the longer for an answer the longer it was asked, up to most.
func (c *connection) askAgain(ctx context.Context, most time.Duration, f func(context.Context) error) error {
	begun, within := time.Now(), callWithin
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, callWithin) {
		call, cancel := context.WithTimeout(ctx, within)
		within = min(2*within, most)
		err := f(call)
		cancel()
		if err == nil || !passes(err) {
			return err
		}
		if ctx.Err() == nil && time.Since(begun) > troubleAfter {
			c.failing(err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		case <-time.After(pause):
		}
	}
}

// troubleAfter is for how long a server is asked again in silence.
const troubleAfter = 5 * time.Second

// passes reports whether an error is one that may be over when the server is asked again.
func passes(err error) bool {
	for _, known := range []error{context.DeadlineExceeded, nats.ErrTimeout, jetstream.ErrNoStreamResponse,
		nats.ErrNoResponders, nats.ErrConnectionReconnecting, nats.ErrReconnectBufExceeded, nats.ErrDisconnected,
		jetstream.ErrServerShutdown,
		jetstream.ErrNoHeartbeat, jetstream.ErrConsumerDeleted, jetstream.ErrConsumerNotFound} {
		if errors.Is(err, known) {
			return true
		}
	}
	var lost *net.OpError
	if errors.As(err, &lost) { // the connection is lost
		return true
	}
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.Code == 503 || api.ErrorCode == errStreamCreate)
}

// errStreamCreate is the code of the error of a server that could not make a stream, because it is just removing the
// folder of another one, for example.
const errStreamCreate = 10049
