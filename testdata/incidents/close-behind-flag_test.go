package incidents

import (
	"sync"
	"sync/atomic"
	"testing"
)

// Sending on a closed channel panics, so an atomic flag was added that senders look at first. Between the look and the
// send the channel may be closed all the same: the flag makes the panic rarer. In the repair the look and the send are
// under a lock that the close takes, too.

type queue struct {
	jobs   chan int
	closed atomic.Bool
	mu     sync.RWMutex
}

func (q *queue) send(job int) {
	if !q.closed.Load() {
		q.jobs <- job
	}
}

func (q *queue) close() {
	q.closed.Store(true)
	close(q.jobs)
}

func (q *queue) sendLocked(job int) {
	q.mu.RLock()
	defer q.mu.RUnlock()
	q.send(job)
}

func (q *queue) closeLocked() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.close()
}

func TestCloseBehindFlag(t *testing.T) {
	q := &queue{jobs: make(chan int, 1)}
	var all sync.WaitGroup
	all.Go(func() { q.send(1) })
	all.Go(q.close)
	all.Wait()
}

func TestCloseBehindFlagFixed(t *testing.T) {
	q := &queue{jobs: make(chan int, 1)}
	var all sync.WaitGroup
	all.Go(func() { q.sendLocked(1) })
	all.Go(q.closeLocked)
	all.Wait()
}
