package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"cdpor/explore/internal/joblog"
)

// A Status tells how far a job is.
type Status struct {
	Job       string
	Spec      *Spec
	Ended     string // why the search has ended, empty if it has not
	Bytes     uint64 // of the log
	Records   uint64
	Workers   int       // that were heard
	Busy      int       // of those, that have a task of it
	Hung      int       // of those, that have given no sign of life for long
	Hosts     int       // on which they are
	Nodes     int64     // explored by those that were heard
	Rate      float64   // nodes per second, 0: not known
	Progress  *Progress // of a coordinator, nil: none was heard
	Submitter bool      // the submitter is there
}

// Statuses returns the status of jobs. It listens to all workers and coordinators for a few seconds. The error may be
// about some of the jobs; the list has the others.
func Statuses(ctx context.Context, nc *nats.Conn, names []string) (list []*Status, err error) {
	var mu sync.Mutex
	var bad []error
	for _, name := range names {
		s, job, err := statusOf(ctx, nc, name)
		if errors.Is(err, ErrNoJob) && len(names) > 1 {
			continue // it was removed just now
		}
		if err != nil {
			bad = append(bad, err)
			continue
		}
		if list = append(list, s); s.Ended != "" {
			continue
		}
		end, err := s.listen(job, &mu)
		if err != nil {
			return nil, err
		}
		defer end()
	}
	for _, s := range list {
		if s.Ended == "" {
			pause(ctx, 2*lookAround+lookAround/4)
			break
		}
	}
	mu.Lock()
	defer mu.Unlock()
	return list, cmp.Or(ctx.Err(), errors.Join(bad...))
}

// statusOf asks a server about a job.
func statusOf(ctx context.Context, nc *nats.Conn, name string) (*Status, *Job, error) {
	job, err := Open(ctx, nc, name)
	if err != nil {
		return nil, nil, err
	}
	s := &Status{Job: name, Spec: job.Spec}
	if s.Ended, err = job.Ended(ctx); err != nil {
		return nil, nil, err
	}
	info, err := job.log.messages.Info(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("job %s: %w", name, err)
	}
	s.Bytes, s.Records = info.State.Bytes, info.State.Msgs
	return s, job, nil
}

// listen adds what is heard of a job to its status, under a lock.
func (s *Status) listen(job *Job, mu *sync.Mutex) (end func(), err error) {
	type heardOf struct {
		last  Presence
		nodes int64 // when it was heard first
		at    time.Time
		rate  float64
	}
	heard, hosts := map[string]heardOf{}, map[string]bool{}
	first, err := heed(job, presenceKind, func(p *Presence) {
		mu.Lock()
		defer mu.Unlock()
		old, again := heard[p.ID]
		if !again {
			old.nodes, old.at = p.Nodes, time.Now()
		}
		s.Workers, s.Busy, s.Hung = s.Workers+p.Cores-old.last.Cores, s.Busy+p.Busy-old.last.Busy,
			s.Hung+p.Hung-old.last.Hung
		s.Nodes += p.Nodes - old.last.Nodes
		rate := 0.0
		if took := time.Since(old.at).Seconds(); again && took > 0 {
			rate = max(0, float64(p.Nodes-old.nodes)/took)
		}
		s.Rate += rate - old.rate
		old.last, old.rate = *p, rate
		heard[p.ID] = old
		hosts[p.Host] = true
		s.Hosts = len(hosts)
	})
	if err != nil {
		return nil, err
	}
	second, err := heed(job, progressKind, func(p *Progress) {
		mu.Lock()
		defer mu.Unlock()
		s.Progress, s.Submitter = p, s.Submitter || p.Submitter
	})
	if err != nil {
		first()
		return nil, err
	}
	return func() {
		first()
		second()
	}, nil
}

// A Checked is something that jobs need of a server, and whether it is there.
type Checked struct {
	What string
	Err  error  // nil: it is
	Cure string // what to do
}

// Checkup tries all that jobs need of a server, with a small job of its own, which it removes. refused are the errors
// that the handler of the connection has been told since it was asked last.
func Checkup(ctx context.Context, nc *nats.Conn, name string, replicas int, refused func() error) (list []Checked) {
	var job *Job
	try := func(what, cure string, f func(context.Context) error) bool {
		call, cancel := context.WithTimeout(ctx, 3*time.Second)
		defer cancel()
		err := f(call)
		if why := refused(); err != nil && why != nil {
			err = why // a publication that is not permitted is answered by silence
		}
		if err == nil {
			cure = ""
		}
		list = append(list, Checked{what, err, cure})
		return err == nil
	}
	if !try("JetStream for this account", "start the server with JetStream (-js), and let the account use it",
		func(ctx context.Context) error {
			js, err := jetstream.New(nc)
			if err == nil {
				_, err = js.AccountInfo(ctx)
			}
			return err
		}) {
		return list
	}
	made := try("making a job: two streams, a consumer, an object store",
		"allow $JS.API.STREAM.CREATE, $JS.API.CONSUMER.CREATE and $JS.API.CONSUMER.DURABLE.CREATE of cdpor-* and "+
			"OBJ_cdpor-*; let the account have streams, consumers and room enough",
		func(ctx context.Context) (err error) {
			job, err = Create(ctx, nc, name, &Spec{Title: "a trial"}, CreateOptions{Replicas: replicas})
			return err
		})
	if !made {
		return list
	}
	defer func() {
		try("removing a job", "allow $JS.API.STREAM.DELETE of cdpor-* and OBJ_cdpor-*", job.Remove)
	}()
	r := &joblog.Record{Task: joblog.Root}
	var last uint64
	try("writing to the log", "allow to publish cdpor.*.log.>", func(ctx context.Context) (err error) {
		last, err = job.log.append(ctx, token(joblog.Root), 0, r)
		return err
	})
	try("refusing what comes too late",
		"use a server that checks Nats-Expected-Last-Subject-Sequence (2.10 or later)",
		func(ctx context.Context) error {
			if _, err := job.log.append(ctx, token(joblog.Root), last+1, r); !errors.Is(err, errRefused) {
				return fmt.Errorf("a record with a wrong sequence was taken: %v", err)
			}
			return nil
		})
	try("reading the log", "allow $JS.API.STREAM.INFO.cdpor-*-log, $JS.API.DIRECT.GET.cdpor-*-log and all below that",
		func(ctx context.Context) error { return tryLog(ctx, job) })
	try("the queue", "allow to publish cdpor.*.work.>, $JS.API.CONSUMER.MSG.NEXT.cdpor-*-work.workers and $JS.ACK.>",
		func(ctx context.Context) error { return tryQueue(ctx, job) })
	try("what is large", "allow $O.cdpor-*.>, and the stream OBJ_cdpor-*", func(ctx context.Context) error {
		r, err := job.objects.storeFound(ctx, &joblog.Record{Found: []byte("something")})
		if err == nil {
			_, err = job.objects.foundBy(ctx, r)
		}
		return err
	})
	try("messages between workers", "allow to publish and to subscribe to cdpor.>", func(ctx context.Context) error {
		came := make(chan bool, 1)
		end, err := heed(job, wantKind, func(*want) { came <- true })
		if err != nil {
			return err
		}
		defer end()
		job.tell(wantKind, want{})
		select {
		case <-came:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	return list
}

// tryLog reads a record as workers do, and as coordinators do.
func tryLog(ctx context.Context, j *Job) error {
	if _, err := j.log.headOf(ctx, token(joblog.Root)); err != nil {
		return err
	}
	list, err := j.fetch(ctx, j.stream("log"), 1, "", fetchAtOnce)
	if err == nil && len(list) == 0 {
		err = errors.New("it seems to be empty")
	}
	return err
}

// tryQueue puts a task into the queue, twice, and takes it out again, once.
func tryQueue(ctx context.Context, j *Job) error {
	for range 2 {
		if err := j.enqueue(ctx, &joblog.Task{ID: joblog.Root}, 0); err != nil {
			return err
		}
	}
	queue, err := j.work.Consumer(ctx, consumer)
	if err != nil {
		return err
	}
	m, err := queue.Next(jetstream.FetchContext(ctx))
	if err != nil {
		return err
	}
	if err := m.DoubleAck(ctx); err != nil {
		return err
	}
	info, err := j.work.Info(ctx)
	if err == nil && info.State.Msgs > 0 {
		return errors.New("a task was queued twice")
	}
	return err
}
