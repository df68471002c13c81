// Package closedqueue: closing a queue wakes one of those who wait, and the others wait for good.
package closedqueue

import (
	"sync"
	"testing"
)

type queue struct {
	mu     sync.Mutex
	cond   *sync.Cond
	closed bool
}

func newQueue() *queue {
	q := &queue{}
	q.cond = sync.NewCond(&q.mu)
	return q
}

func (q *queue) take() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.closed {
		q.cond.Wait()
	}
	return false
}

func (q *queue) close(wake func(c *sync.Cond)) {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	wake(q.cond)
}

func run(wake func(c *sync.Cond)) {
	q := newQueue()
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			q.take()
		}()
	}
	q.close(wake)
	wg.Wait()
}

func TestBug(t *testing.T) { run((*sync.Cond).Signal) }

func TestFixed(t *testing.T) { run((*sync.Cond).Broadcast) }
