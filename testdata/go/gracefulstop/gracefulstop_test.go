// Package gracefulstop: the queue is closed on shutdown while a request is still being queued.
package gracefulstop

import (
	"sync"
	"testing"
)

type service struct {
	mu     sync.RWMutex
	closed bool
	queue  chan int
}

func (s *service) submit(v int) bool {
	s.mu.RLock()
	closed := s.closed
	s.mu.RUnlock()
	if closed {
		return false
	}
	s.queue <- v
	return true
}

func (s *service) submitLocked(v int) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return false
	}
	s.queue <- v
	return true
}

func (s *service) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	close(s.queue)
}

func run(t *testing.T, submit func(s *service, v int) bool) {
	s := &service{queue: make(chan int, 1)}
	done := make(chan bool)
	go func() { done <- submit(s, 1) }()
	s.stop()
	ok := <-done
	n := 0
	for range s.queue {
		n++
	}
	if ok != (n == 1) {
		t.Error("a request is lost")
	}
}

func TestBug(t *testing.T) { run(t, (*service).submit) }

func TestFixed(t *testing.T) { run(t, (*service).submitLocked) }
