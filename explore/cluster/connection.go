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
)

const (
	// callWithin is how long a server has for an answer; then the question is asked again.
	callWithin = time.Second
	// largeWithin is how long it has at most for what is large.
	largeWithin = time.Minute
	// fetchAtOnce is how many messages are fetched at once, and fetchBytes about how many bytes.
	fetchAtOnce = 256
	fetchBytes  = 8 << 20
)

// A connection asks a server, again and again if that is needed.
type connection struct {
	nc      *nats.Conn
	js      jetstream.JetStream
	failing func(error) // is told the error of a server that is asked again for long
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

// NoBuffer is an option that connections must have with which a Job is used: what was said while a connection was lost
// is not sent when it is back. The server may have lost what it rests on, so that has to be looked at before.
var NoBuffer = nats.ReconnectBufSize(-1)

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

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// errStreamCreate is the code of the error of a server that could not make a stream, because it is just removing the
// folder of another one, for example.
const errStreamCreate = 10049
