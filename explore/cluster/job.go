package cluster

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"cdpor/explore/internal/joblog"
	"cdpor/lang/step"
)

// A Job is a search on a server, as one process sees it.
type Job struct {
	Name string
	Spec *Spec
	// Trouble, if there is one, is told what is wrong while a server is asked again and again. It may be called by
	// several goroutines at once.
	Trouble func(error)

	*connection
	*names
	log     *recordLog
	objects *objectStore
	work    jetstream.Stream // the queue

	interrupt func(step string) error // for tests
}

// newJob makes a job whose streams are neither made nor opened yet.
func newJob(nc *nats.Conn, name string) (*Job, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	j := &Job{Name: name, names: &names{job: name}}
	j.connection = &connection{nc: nc, js: js, failing: j.trouble}
	j.objects = &objectStore{connection: j.connection, names: j.names}
	j.log = &recordLog{connection: j.connection, names: j.names, objects: j.objects}
	return j, nil
}

func (j *Job) trouble(err error) {
	if j.Trouble != nil {
		j.Trouble(err)
	}
}

const (
	// redelivery: a task goes to another worker after this time without a sign of life.
	redelivery = 10 * time.Second
	// consumer is the durable consumer of the queue, which all workers share.
	consumer = "workers"
	// mostPending is how many tasks may be worked on at the same time, and how many workers may wait for one.
	mostPending = 20_000
)

// jobName matches the names of jobs: they are parts of the names of streams and subjects.
var jobName = regexp.MustCompile(`^[A-Za-z0-9_]+(-[A-Za-z0-9_]+)*$`)

// CreateOptions say how a server keeps a job.
type CreateOptions struct {
	Replicas int           // of everything, on different servers; 0: one
	Wait     time.Duration // a task goes to another worker after this time without a sign of life; 0: 10 s
}

// Create makes a new job, whose name has letters, digits, hyphens and underscores. The error says what the server, or
// its account, does not allow, or that there is a job of this name.
func Create(ctx context.Context, nc *nats.Conn, name string, spec *Spec, opt CreateOptions) (*Job, error) {
	if !jobName.MatchString(name) {
		return nil, fmt.Errorf("a job cannot be called %q: letters, digits, underscores, and hyphens between them",
			name)
	}
	j, err := newJob(nc, name)
	if err != nil {
		return nil, err
	}
	if opt.Wait == 0 {
		opt.Wait = redelivery
	}
	opt.Replicas = max(1, opt.Replicas)
	j.Spec, j.log.visited = spec, spec.Visited
	j.id = rand.Text()                        // clients without access to the job cannot guess it
	ours := map[string]string{identity: j.id} // the streams of another job of this name have another one
	ctx, cancel := context.WithTimeout(ctx, createWithin)
	defer cancel()
	for _, do := range []func(context.Context) error{
		func(ctx context.Context) (err error) {
			j.log.messages, err = j.js.CreateStream(ctx, jetstream.StreamConfig{Name: j.stream("log"),
				Subjects: []string{j.subject(logKind, "*")}, Retention: jetstream.LimitsPolicy,
				Discard: jetstream.DiscardNew, AllowDirect: true, Replicas: opt.Replicas,
				Compression: jetstream.S2Compression, Metadata: ours, RePublish: &jetstream.RePublish{
					Source: j.subject(logKind, "*"), Destination: j.subject(loggedKind, "{{wildcard(1)}}"),
					HeadersOnly: true}})
			return err
		},
		func(ctx context.Context) (err error) {
			j.work, err = j.js.CreateStream(ctx, jetstream.StreamConfig{Name: j.stream("work"),
				Subjects: []string{j.subject(workKind, "*")}, Retention: jetstream.WorkQueuePolicy,
				Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgsPerSubject: 1,
				Replicas: opt.Replicas, Metadata: ours})
			return err
		},
		func(ctx context.Context) error { return j.createConsumer(ctx, opt.Wait) },
		func(ctx context.Context) (err error) {
			j.objects.store, err = j.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: j.bucket(),
				Replicas: opt.Replicas})
			return err
		},
		func(ctx context.Context) error {
			text, err := json.Marshal(spec)
			if err == nil {
				_, err = j.objects.store.PutBytes(ctx, specObject, text)
			}
			return err
		},
		func(ctx context.Context) error {
			if spec.Origins == nil {
				return nil
			}
			_, err := j.log.append(ctx, originChain, 0, &joblog.Record{Origins: spec.Origins})
			return err
		},
	} {
		err := j.again(ctx, do)
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) || errors.Is(err, jetstream.ErrBucketExists) {
			return nil, fmt.Errorf("there is a job %s already", name)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("job %s cannot be made: %w", name, err), j.unmake(ctx))
		}
	}
	_ = nc.Publish(newSubject(name), nil)
	return j, nil
}

func (j *Job) createConsumer(ctx context.Context, wait time.Duration) error {
	_, err := j.work.CreateConsumer(ctx, jetstream.ConsumerConfig{Durable: consumer,
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: wait, MaxDeliver: -1, MaxAckPending: mostPending,
		MaxWaiting: mostPending})
	return err
}

// mendConsumer makes the consumer of the queue again if the server has lost it. Workers wait for it.
func (j *Job) mendConsumer(ctx context.Context) error {
	return j.again(ctx, func(ctx context.Context) error {
		_, err := j.work.Consumer(ctx, consumer)
		if errors.Is(err, jetstream.ErrConsumerNotFound) {
			err = j.createConsumer(ctx, redelivery)
		}
		return err
	})
}

// unmake removes what there is of a job that could not be made. A log that is not known to be its own may be that of
// another one.
func (j *Job) unmake(ctx context.Context) error {
	if j.log.messages == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callWithin)
	defer cancel()
	return j.Remove(ctx)
}

// createWithin is how long a server has to make a job.
const createWithin = 10 * time.Second

// madeWithin is for how long a part of a job that is not there may be about to be made.
var madeWithin = createWithin

// specObject is the object that has the Spec.
const specObject = "spec"

// ErrNoJob says that a job is not there, or not there any more.
var ErrNoJob = errors.New("there is no such job")

// errPartLost says that a part of a job is not there, or cannot be read.
var errPartLost = errors.New("the server has lost a part of it, or the part is damaged")

// Open is a job that there is.
func Open(ctx context.Context, nc *nats.Conn, name string) (*Job, error) {
	j, err := newJob(nc, name)
	if err != nil {
		return nil, err
	}
	var text []byte
	ctx, cancel := context.WithTimeout(ctx, createWithin)
	defer cancel()
	for _, step := range []func(context.Context) error{
		func(ctx context.Context) (err error) {
			j.log.messages, err = j.js.Stream(ctx, j.stream("log"))
			return err
		},
		func(ctx context.Context) (err error) { j.work, err = j.js.Stream(ctx, j.stream("work")); return err },
		func(ctx context.Context) (err error) {
			j.objects.store, err = j.js.ObjectStore(ctx, j.bucket())
			return err
		},
		func(ctx context.Context) (err error) { text, err = j.objects.read(ctx, specObject); return err },
	} {
		err := j.again(ctx, step)
		if j.log.messages != nil && j.id == "" {
			j.id = j.log.messages.CachedInfo().Config.Metadata[identity]
		}
		if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrBucketNotFound) || gone(err) ||
			offline(err) {
			return nil, j.incomplete(ctx)
		}
		if err != nil {
			return nil, fmt.Errorf("job %s: %w", name, err)
		}
	}
	j.Spec = &Spec{}
	if err := json.Unmarshal(text, j.Spec); err != nil {
		return nil, fmt.Errorf("job %s: %w", name, err)
	}
	j.log.visited = j.Spec.Visited
	return j, nil
}

// offline reports whether an error says that a stream is there, and that the server cannot use it.
func offline(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && slices.Contains(errStreamOffline, api.ErrorCode)
}

// errStreamOffline are the codes of that error, without a reason and with one.
var errStreamOffline = []jetstream.ErrorCode{10118, 10194}

// incomplete says why a part of a job is not there: it is about to be made, or is removed, the log first; or it is
// lost.
func (j *Job) incomplete(ctx context.Context) error {
	none := fmt.Errorf("job %s: %w", j.Name, ErrNoJob)
	if j.log.messages == nil {
		if _, err := j.js.Stream(ctx, j.stream("work")); err == nil || offline(err) {
			return partly{none, fmt.Sprintf("job %s: the server has no log of it, or is just removing it; cdpor jobs "+
				"--remove %[1]s removes what is left", j.Name)}
		}
		return none
	}
	info, err := j.log.messages.Info(ctx)
	switch {
	case err != nil || info.Config.Metadata[identity] != j.id:
		return none
	case info.TimeStamp.Sub(info.Created) <= madeWithin:
		return partly{none, fmt.Sprintf("job %s: a part of it is not there, or cannot be read; it may be about to be "+
			"made: try again in %v", j.Name, madeWithin)}
	}
	return fmt.Errorf("job %s: %w: remove it, cdpor jobs --remove %[1]s, and submit it again", j.Name, errPartLost)
}

// What is there partly is no job, or no job yet.
type partly struct {
	error // that there is none
	says  string
}

func (p partly) Error() string { return p.says }
func (p partly) Unwrap() error { return p.error }

// Begun is when the job was submitted, by the clock of the server.
func (j *Job) Begun() time.Time { return j.log.messages.CachedInfo().Created }

// Names lists the jobs of a server that this account sees.
func Names(ctx context.Context, nc *nats.Conn) (names []string, err error) {
	there, err := identities(ctx, nc)
	return slices.Sorted(maps.Keys(there)), err
}

// identity names the metadata of streams that have the id of their job.
const identity = "cdpor"

// identities are the ids of the jobs of a server that this account sees, by their names.
func identities(ctx context.Context, nc *nats.Conn) (map[string]string, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	there := map[string]string{}
	list := js.ListStreams(ctx, jetstream.WithStreamListSubject("cdpor.*.log.>"))
	for stream := range list.Info() {
		name, ours := strings.CutPrefix(strings.TrimSuffix(stream.Config.Name, "-log"), "cdpor-")
		if ours && strings.HasSuffix(stream.Config.Name, "-log") {
			there[name] = stream.Config.Metadata[identity]
		}
	}
	return there, list.Err()
}

// identityOf is the id of one job.
func identityOf(ctx context.Context, nc *nats.Conn, name string) (string, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return "", err
	}
	log, err := js.Stream(ctx, (&names{job: name}).stream("log"))
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return "", fmt.Errorf("job %s: %w", name, ErrNoJob)
	}
	if err != nil {
		return "", err
	}
	return log.CachedInfo().Config.Metadata[identity], nil
}

// Remove removes a job with all that was found.
func (j *Job) Remove(ctx context.Context) error {
	var all error
	for _, err := range []error{j.js.DeleteStream(ctx, j.stream("log")), j.js.DeleteStream(ctx, j.stream("work")),
		j.js.DeleteObjectStore(ctx, j.bucket())} {
		if !errors.Is(err, jetstream.ErrStreamNotFound) && !errors.Is(err, jetstream.ErrBucketNotFound) {
			all = errors.Join(all, err)
		}
	}
	return all
}

// Remove removes a job. The server may have lost a part of it.
func Remove(ctx context.Context, nc *nats.Conn, name string) error {
	j, err := newJob(nc, name)
	if err != nil {
		return err
	}
	for _, kind := range []string{"log", "work"} {
		if _, err = j.js.Stream(ctx, j.stream(kind)); err == nil {
			return j.Remove(ctx)
		}
	}
	if _, err := j.js.ObjectStore(ctx, j.bucket()); err == nil {
		return j.Remove(ctx)
	}
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		err = ErrNoJob
	}
	return fmt.Errorf("job %s: %w", name, err)
}

// snapshotEvery is after how many records that count a coordinator stores what they mean, and removes them.
const snapshotEvery = 10_000

// Ended says why the search has ended early, empty if it has not. Complete stands for one in which everything was
// explored.
func (j *Job) Ended(ctx context.Context) (why string, err error) {
	h, err := j.log.headOf(ctx, endChain)
	if err != nil || h.record == nil {
		return "", err
	}
	return h.record.End, nil
}

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

// name has a machine agree with all others on what is started; why it could not is in failed.
func (j *Job) name(ctx context.Context, m *step.Machine, failed *error) {
	*failed = nil
	m.AgreeOrigins(func(list [][]step.Origin, template int) ([][]step.Origin, error) {
		list, err := j.agree(ctx, m, list, template)
		if err != nil {
			*failed = err
		}
		return list, err
	})
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
		if full || slices.Contains(agreed[template], newest) {
			return agreed, nil
		}
		agreed[template] = append(agreed[template], newest)
		_, err = j.log.append(ctx, originChain, h.sequence, &joblog.Record{Origins: agreed})
		if !errors.Is(err, errRefused) {
			return agreed, err
		}
	}
}
