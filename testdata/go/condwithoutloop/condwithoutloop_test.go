// Package condwithoutloop: one item wakes both consumers, and the second one takes from an empty queue.
package condwithoutloop

import (
	"sync"
	"testing"
)

type queue struct {
	mu    sync.Mutex
	cond  *sync.Cond
	items []int
}

func newQueue() *queue {
	q := &queue{}
	q.cond = sync.NewCond(&q.mu)
	return q
}

func (q *queue) put(v int) {
	q.mu.Lock()
	q.items = append(q.items, v)
	q.mu.Unlock()
	q.cond.Broadcast()
}

func (q *queue) take(t *testing.T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		q.cond.Wait()
	}
	if len(q.items) == 0 {
		t.Error("nothing to take")
		return
	}
	q.items = q.items[1:]
}

func (q *queue) takeInLoop(t *testing.T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 {
		q.cond.Wait()
	}
	q.items = q.items[1:]
}

func run(t *testing.T, take func(q *queue, t *testing.T)) {
	q := newQueue()
	done := make(chan struct{}, 2)
	for range 2 {
		go func() {
			take(q, t)
			done <- struct{}{}
		}()
	}
	q.put(1)
	q.put(2)
	<-done
	<-done
}

func TestBug(t *testing.T) { run(t, (*queue).take) }

func TestFixed(t *testing.T) { run(t, (*queue).takeInLoop) }
