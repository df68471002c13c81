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

	"github.com/nats-io/nats.go"

	"cdpor/explore"
	"cdpor/lang/step"
)

// tasksOf makes a job of numbers.
func tasksOf(t *testing.T, nc *nats.Conn, name string, count int) *Job {
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
	job, err := Create(t.Context(), nc, name, spec, CreateOptions{Wait: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return job
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
	ctx, end := context.WithTimeout(t.Context(), 20*time.Second)
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
				_ = NewCrew(own, WorkOptions{Job: "tasks", Task: task}).Work(life)
				kill()
				own.Close()
			}
		})
	}
	all.Go(func() { // it has no solver, for example
		_ = NewCrew(nc, WorkOptions{}).Work(ctx)
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
	if err := NewCrew(nc, WorkOptions{Job: "poison", Once: true}).Work(t.Context()); !errors.Is(err, ErrNoTask) {
		t.Errorf("a worker that cannot do tasks: %v", err)
	}
	ctx, end := context.WithTimeout(t.Context(), 20*time.Second)
	defer end()
	var all sync.WaitGroup
	all.Go(func() {
		for ctx.Err() == nil {
			own, err := nats.Connect(server.URL())
			if err != nil {
				return
			}
			life, kill := context.WithCancel(ctx)
			_ = NewCrew(own, WorkOptions{Job: "poison", Once: true, Task: func(ctx context.Context, p *step.Program,
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
