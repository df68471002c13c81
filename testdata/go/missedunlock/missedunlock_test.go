// Package missedunlock: a path returns with the lock held.
package missedunlock

import (
	"errors"
	"sync"
	"testing"
)

var errFull = errors.New("full")

type queue struct {
	mu sync.Mutex
	n  int
}

func (q *queue) put() error {
	q.mu.Lock()
	if q.n == 1 {
		return errFull
	}
	q.n++
	q.mu.Unlock()
	return nil
}

func (q *queue) putFixed() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.n == 1 {
		return errFull
	}
	q.n++
	return nil
}

func TestBug(t *testing.T) {
	q := &queue{}
	for i := 0; i < 3; i++ {
		q.put()
	}
}

func TestFixed(t *testing.T) {
	q := &queue{}
	full := 0
	for i := 0; i < 3; i++ {
		if err := q.putFixed(); err == errFull {
			full++
		}
	}
	if full != 2 {
		t.Fatal("wrong")
	}
}
