// Package genericqueue: the length of a queue is asked without its lock.
package genericqueue

import (
	"sync"
	"testing"
)

type queue[T any] struct {
	mu    sync.Mutex
	items []T
}

func (q *queue[T]) push(v T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, v)
}

func (q *queue[T]) empty() bool { return len(q.items) == 0 }

func (q *queue[T]) pop() (v T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return v, false
	}
	v, q.items = q.items[0], q.items[1:]
	return v, true
}

func TestBug(t *testing.T) {
	q := &queue[string]{}
	done := make(chan struct{})
	go func() {
		q.push("a")
		close(done)
	}()
	if q.empty() {
		if _, ok := q.pop(); ok {
			t.Error("empty, and yet not")
		}
	}
	<-done
}

func TestFixed(t *testing.T) {
	q := &queue[string]{}
	done := make(chan struct{})
	go func() {
		q.push("a")
		close(done)
	}()
	v, ok := q.pop()
	if ok != (v == "a") {
		t.Error("a wrong value")
	}
	<-done
}
