package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cdpor/explore"
	"cdpor/explore/distributed"
	"cdpor/lang/step"

	"github.com/nats-io/nats.go"
)

// tasksOf makes a job of numbers.
func tasksOf(t *testing.T, nc *nats.Conn, name string, count int) *Job {
	t.Helper()
	t.Helper()
	job, err := Create(t.Context(), nc, name, numbers(t, count), CreateOptions{Wait: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return job
}

// numbers is the Spec of tasks that are numbers.
func numbers(t *testing.T, count int) *Spec {
	t.Helper()
	m := load(t, "two.yaml", "cdpor: 1\nshared: {x: int = 0}\nthreads: {a: x = 1, b: x = 2}\nobserve: [x]\n")
	var list [][]byte
	for i := range count {
		list = append(list, []byte(strconv.Itoa(i)))
	}
	spec, err := NewTasks(m.Program, "squares", list)
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// square does a task.
func square(_ context.Context, p *step.Program, task []byte, sign func()) ([]byte, error) {
	n, err := strconv.Atoi(string(task))
	if len(p.Procs) != 2 {
		return nil, errors.New("another program")
	}
	sign()
	return []byte(strconv.Itoa(n * n)), err
}

// TestTasks does tasks by workers that die, and others that cannot do them: what comes of each comes once.
func TestTasks(t *testing.T) {
	server := serve(t, "", t.TempDir())
	defer server.Close()
	nc := connect(t, server)
	job := tasksOf(t, nc, "tasks", 60)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var all sync.WaitGroup
	var begun, killed atomic.Int64
	for i := range 3 {
		draws := rand.New(rand.NewSource(int64(i)))
		all.Go(func() {
			for ctx.Err() == nil {
				own, err := nats.Connect(server.URL())
				if err != nil {
					return
				}
				life, kill := context.WithCancel(ctx)
				dies := draws.Intn(6)
				task := func(ctx context.Context, p *step.Program, task []byte, sign func()) ([]byte, error) {
					begun.Add(1)
					if dies--; dies == 0 { // without a word
						killed.Add(1)
						own.Close()
						kill()
					}
					return square(ctx, p, task, sign)
				}
				_ = NewProcess(own, WorkOptions{Job: "tasks", Task: task}).Work(life)
				kill()
				own.Close()
			}
		})
	}
	all.Go(func() { // it has no solver, for example
		_ = NewProcess(nc, WorkOptions{}).Work(ctx)
	})
	found := map[int]string{}
	stopped, err := Gather(ctx, job, func(task int, text []byte) error {
		if _, twice := found[task]; twice {
			return fmt.Errorf("task %d was done twice", task)
		}
		found[task] = string(text)
		return nil
	})
	end()
	all.Wait()
	if err != nil || stopped != "" {
		t.Fatal(err, stopped)
	}
	for i := range 60 {
		if found[i] != strconv.Itoa(i*i) {
			t.Errorf("of task %d comes %q", i, found[i])
		}
	}
	t.Logf("%d tasks begun, %d workers killed", begun.Load(), killed.Load())
	if killed.Load() == 0 || begun.Load() < 60 {
		t.Error("that says little")
	}
	if why, err := job.Ended(t.Context()); err != nil || why != Complete {
		t.Errorf("the job has ended: %q, %v", why, err)
	}
}

// TestTaskPoison: a task that nobody survives ends the job; a worker that cannot do tasks says so.
func TestTaskPoison(t *testing.T) {
	server := serve(t, "", t.TempDir())
	defer server.Close()
	nc := connect(t, server)
	job := tasksOf(t, nc, "poison", 3)
	if err := NewProcess(nc, WorkOptions{Job: "poison", Once: true}).Work(t.Context()); !errors.Is(err, ErrNoTask) {
		t.Errorf("a worker that cannot do tasks: %v", err)
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var all sync.WaitGroup
	all.Go(func() {
		for ctx.Err() == nil {
			own, err := nats.Connect(server.URL())
			if err != nil {
				return
			}
			life, kill := context.WithCancel(ctx)
			_ = NewProcess(own, WorkOptions{Job: "poison", Once: true, Task: func(ctx context.Context, p *step.Program,
				task []byte, sign func()) ([]byte, error) {
				if string(task) == "1" {
					own.Close()
				}
				return square(ctx, p, task, sign)
			}}).Work(life)
			kill()
			own.Close()
		}
	})
	found := map[int]bool{}
	stopped, err := Gather(ctx, job, func(task int, _ []byte) error {
		found[task] = true
		return nil
	})
	end()
	all.Wait()
	if err != nil || stopped != explore.StoppedPoison || found[1] {
		t.Errorf("%v, %q, %v", err, stopped, found)
	}
}

// TestTasksTakenUp: who submits the same tasks as somebody who has died goes on with what has come of them, and other
// ones take the place of those; who is there is left alone.
func TestTasksTakenUp(t *testing.T) {
	t.Parallel() // it mostly waits
	defer func(d time.Duration) { silentFor = d }(silentFor)
	silentFor = tellProgress + tellProgress/2
	server := serve(t, "", t.TempDir())
	defer server.Close()
	nc := connect(t, server)
	distribute := func(name string, count int) (*Job, error) {
		return Distribute(t.Context(), nc, name, numbers(t, count), CreateOptions{Wait: 200 * time.Millisecond})
	}
	first, err := distribute("first", 30)
	if err != nil {
		t.Fatal(err)
	}
	var done, early atomic.Int64
	ctx, end := context.WithCancel(t.Context())
	defer end()
	life, die := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() {
		_ = NewProcess(nc, WorkOptions{Task: func(ctx context.Context, p *step.Program, task []byte, sign func()) (
			[]byte, error) {
			if done.Add(1) > 10 && life.Err() == nil {
				<-life.Done() // so that something is left
			}
			return square(ctx, p, task, sign)
		}}).Work(ctx)
	})
	if _, err := Gather(life, first, func(int, []byte) error {
		if early.Add(1) == 10 {
			die()
		}
		return nil
	}); !errors.Is(err, context.Canceled) {
		t.Fatalf("who has died goes on: %v", err)
	}
	second, err := distribute("second", 30)
	if err != nil || second.Name != first.Name || second.Spec.For != "first" {
		t.Fatalf("the tasks are not taken up: %+v, %v", second, err)
	}
	found := map[int]bool{}
	if stopped, err := Gather(ctx, second, func(task int, _ []byte) error {
		found[task] = true
		return nil
	}); err != nil || stopped != "" || len(found) != 30 {
		t.Errorf("of 30 tasks %d are done: %v, %q", len(found), err, stopped)
	}
	if done.Load() != 30 {
		t.Errorf("30 tasks have been done %d times", done.Load())
	}
	other, err := distribute("first", 3) // those of first are over, and others
	if err != nil || other.Name != first.Name || other.id == first.id || len(other.Spec.Tasks) != 3 {
		t.Fatalf("the tasks of somebody who has died are still there: %+v, %v", other, err)
	}
	here, leave := context.WithCancel(ctx)
	all.Go(func() {
		for here.Err() == nil {
			other.tell(progressKind, &Progress{Submitter: true})
			pause(here, 20*time.Millisecond)
		}
	})
	if job, err := distribute("first", 3); err == nil {
		t.Errorf("the tasks of somebody who is there are taken: %+v", job)
	}
	third, err := distribute("third", 3)
	if err != nil || third.Name != Helper("third") {
		t.Errorf("the same tasks for somebody else: %+v, %v", third, err)
	}
	leave()
	end()
	all.Wait()
}

// TestHelper: workers of one job do the tasks for it first, and leave when the job itself is over.
func TestHelper(t *testing.T) {
	t.Parallel() // it mostly waits
	server := serve(t, "", t.TempDir())
	defer server.Close()
	nc := connect(t, server)
	helper, err := Distribute(t.Context(), nc, "mine", numbers(t, 3), CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	left := make(chan error, 1)
	go func() {
		left <- NewProcess(nc, WorkOptions{Job: "mine", Once: true, Task: square}).Work(t.Context())
	}()
	stopped, err := Gather(t.Context(), helper, func(int, []byte) error { return nil })
	if err != nil || stopped != "" {
		t.Fatal(stopped, err)
	}
	if err := helper.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	m := load(t, "two.yaml", "cdpor: 1\nshared: {x: int = 0}\nthreads: {a: x = 1, b: x = 2}\nobserve: [x]\n")
	a, err := explore.Find("source")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := NewSpec(m, a, explore.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	pause(t.Context(), lookAround+lookAround/4) // neither is there when they look
	job, err := Create(t.Context(), nc, "mine", spec, CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	findings, err := distributed.NewFindings(t.Context(), m, a, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Coordinate(t.Context(), job, findings, CoordinateOptions{Submitter: true}); err != nil {
		t.Fatal(err)
	}
	if r := findings.Result(""); r.Executions != 2 {
		t.Errorf("%d executions", r.Executions)
	}
	if err := <-left; err != nil { // they leave, as the job is over
		t.Error(err)
	}
}
