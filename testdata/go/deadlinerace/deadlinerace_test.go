// Package deadlinerace: a result that comes together with the deadline is thrown away, though the work was done.
package deadlinerace

import (
	"context"
	"sync"
	"testing"
	"time"
)

type job struct {
	mu   sync.Mutex
	done bool
}

func (j *job) run(finished chan<- struct{}) {
	j.mu.Lock()
	j.done = true
	j.mu.Unlock()
	close(finished)
}

func TestBug(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	j, finished := &job{}, make(chan struct{})
	go j.run(finished)
	failed := false
	select {
	case <-finished:
	case <-ctx.Done():
		failed = true
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if failed && j.done {
		t.Error("the work is done, and said to have failed")
	}
}

func TestFixed(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	j, finished := &job{}, make(chan struct{})
	go j.run(finished)
	select {
	case <-finished:
	case <-ctx.Done():
	}
	j.mu.Lock()
	failed := !j.done
	j.mu.Unlock()
	<-finished
	if failed && ctx.Err() == nil {
		t.Error("it failed before the deadline")
	}
}
