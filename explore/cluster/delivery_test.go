package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cdpor/explore"
	"cdpor/explore/distributed"
	"cdpor/explore/internal/joblog"
	"cdpor/lang/step"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A searched is a job of a program of testdata, and what a search alone finds.
type searched struct {
	nc  *nats.Conn
	job *Job
	m   *step.Machine
	a   *explore.Algorithm
	one *explore.Result
}

// lastZero makes a job of lastzero with n threads, whose tasks are delivered again after a wait.
func lastZero(t *testing.T, nc *nats.Conn, n string, wait time.Duration) *searched {
	t.Helper()
	path := filepath.Join("..", "..", "testdata", "programs", "lastzero.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return submit(t, nc, load(t, path, string(text), "N", n), wait)
}

func submit(t *testing.T, nc *nats.Conn, m *step.Machine, wait time.Duration) *searched {
	t.Helper()
	s := &searched{nc: nc, m: m}
	var err error
	if s.a, err = explore.Find("source"); err != nil {
		t.Fatal(err)
	}
	if s.one, err = explore.Run(t.Context(), m, s.a, explore.Options{}); err != nil {
		t.Fatal(err)
	}
	spec, err := NewSpec(m, s.a, explore.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	if s.job, err = Create(t.Context(), nc, "job", spec, CreateOptions{Wait: wait}); err != nil {
		t.Fatal(err)
	}
	return s
}

// coordinate coordinates the job until it is over, and returns how it ended.
func (s *searched) coordinate(ctx context.Context) (*explore.Result, error) {
	findings, err := distributed.NewFindings(ctx, s.m, s.a, explore.Options{})
	if err != nil {
		return nil, err
	}
	stopped, err := Coordinate(ctx, s.job, findings, CoordinateOptions{Workers: 1})
	if err != nil {
		return nil, err
	}
	return findings.Result(stopped), nil
}

// fetch takes a task from the queue.
func (s *searched) fetch(t *testing.T) (jetstream.Msg, *joblog.Task) {
	t.Helper()
	queue, err := s.job.work.Consumer(t.Context(), consumer)
	if err != nil {
		t.Fatal(err)
	}
	m, err := queue.Next(jetstream.FetchMaxWait(10 * time.Second))
	if err != nil {
		t.Fatal(err)
	}
	var p joblog.Task
	if err := unmarshal(m, &p); err != nil {
		t.Fatal(err)
	}
	return m, &p
}

// An ending is the result of a search in a goroutine.
type ending struct {
	r   *explore.Result
	err error
}

func (s *searched) inBackground(ctx context.Context) <-chan ending {
	done := make(chan ending, 1)
	go func() {
		r, err := s.coordinate(ctx)
		done <- ending{r, err}
	}()
	return done
}

// TestPoison lets every worker die that takes up a task. The search ends, and says that it is incomplete, and where.
func TestPoison(t *testing.T) {
	server := serve(t, "", t.TempDir())
	defer server.Close()
	s := lastZero(t, connect(t, server), "11", 100*time.Millisecond)
	done := s.inBackground(t.Context())
	// A worker works for a while, and leaves something when it is told to end.
	life, end := context.WithCancel(t.Context())
	process := NewProcess(s.nc, WorkOptions{Job: "job", Slice: 10 * time.Microsecond})
	ended := s.afterRecords(t, 3, end)
	if err := process.Work(life); err != nil {
		t.Fatal(err)
	}
	ended()
	for deliveries := 1; ; deliveries++ {
		m, p := s.fetch(t)
		at, err := s.job.begin(t.Context(), m, p)
		if err != nil {
			t.Fatal(err)
		}
		if at == nil {
			if why, _ := s.job.Ended(t.Context()); why == explore.StoppedPoison {
				break
			}
		}
		if deliveries > 100 {
			t.Fatal("the tasks are delivered for ever")
		}
	}
	got := <-done
	if got.err != nil {
		t.Fatal(got.err)
	}
	if got.r.Stopped != explore.StoppedPoison || got.r.Verdict == explore.OK || got.r.Verdict == explore.Bounded {
		t.Errorf("the search is %s, %s", got.r.Verdict, got.r.Stopped)
	}
	path, err := s.job.Poisoned(t.Context(), s.m.Fresh())
	if err != nil || len(path) == 0 {
		t.Errorf("the task is at %v, %v", path, err)
	}
}

// TestTries lets the first workers of a task die, though not often enough to give it up: nothing is lost.
func TestTries(t *testing.T) {
	server := serve(t, "", t.TempDir())
	defer server.Close()
	s := lastZero(t, connect(t, server), "5", 50*time.Millisecond)
	done := s.inBackground(t.Context())
	for tries := range mostTries - 1 {
		m, p := s.fetch(t)
		at, err := s.job.begin(t.Context(), m, p)
		if err != nil || at == nil || at.tries != tries || at.number != tries {
			t.Fatalf("%+v, %v after %d tries", at, err, tries)
		}
	}
	life, end := context.WithCancel(t.Context())
	defer end()
	go func() { _ = NewProcess(s.nc, WorkOptions{Job: "job", Slice: time.Millisecond}).Work(life) }()
	got := <-done
	if got.err != nil {
		t.Fatal(got.err)
	}
	if want, have := said(s.a, false, s.one), said(s.a, false, got.r); want != have {
		t.Errorf("%s, not %s", have, want)
	}
}

// TestSlow: a worker that others have been taken for dead goes on if they have done nothing, and only then.
func TestSlow(t *testing.T) {
	server := serve(t, "", t.TempDir())
	defer server.Close()
	s := lastZero(t, connect(t, server), "5", 50*time.Millisecond)
	if err := s.job.enqueue(t.Context(), &joblog.Task{ID: joblog.Root, Begin: -1}, 0); err != nil {
		t.Fatal(err)
	}
	var places []*place
	for range 3 {
		m, p := s.fetch(t)
		at, err := s.job.begin(t.Context(), m, p)
		if err != nil {
			t.Fatal(err)
		}
		places = append(places, at)
	}
	record := func() *joblog.Record { return &joblog.Record{Task: joblog.Root, Left: places[0].left} }
	if err := s.job.log.appendNext(t.Context(), places[0], record()); err != nil {
		t.Errorf("the slow one gives way to others who have done nothing: %v", err)
	}
	if at := places[0]; at.number != 3 || at.tries != 0 {
		t.Errorf("it goes on at %+v", at)
	}
	for _, at := range places[1:] {
		if err := s.job.log.appendNext(t.Context(), at, record()); !errors.Is(err, errRefused) {
			t.Errorf("another one goes on from what is not the last record: %v", err)
		}
	}
}

// A signed is a message of the queue that counts signs of life.
type signed struct {
	jetstream.Msg
	count int
}

func (s *signed) InProgress() error {
	s.count++
	return nil
}

// TestLongExecution: a worker gives signs of life in the midst of an execution.
func TestLongExecution(t *testing.T) {
	m := load(t, "long.yaml", longProgram)
	a, err := explore.Find("source")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := NewSpec(m, a, explore.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	message := &signed{}
	w := &worker{job: &Job{Spec: spec}, message: message}
	if w.tasks, err = w.search(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.tasks.TakeUp(&joblog.Task{ID: joblog.Root, Begin: -1}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.tasks.Explore(1); err != nil { // it does not pause in an execution
		t.Fatal(err)
	}
	if message.count < 4 {
		t.Errorf("%d signs of life in 5000 steps", message.count)
	}
}

func unmarshal(m jetstream.Msg, into any) error { return json.Unmarshal(m.Data(), into) }

// longProgram has one execution.
const longProgram = `
cdpor: 1
shared:
  x: int = 0
threads:
  long: |
    for i in 0 .. 5000 {
      x = x + 1
    }
observe: [x]
`
