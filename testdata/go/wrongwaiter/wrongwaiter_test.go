// Package wrongwaiter: those who wait for room and those who wait for an item share a condition variable, and Signal
// wakes one of the wrong kind.
package wrongwaiter

import (
	"sync"
	"testing"
)

type slot struct {
	mu   sync.Mutex
	cond *sync.Cond
	full bool
	wake func(c *sync.Cond)
}

func (s *slot) put() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.full {
		s.cond.Wait()
	}
	s.full = true
	s.wake(s.cond)
}

func (s *slot) take() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.full {
		s.cond.Wait()
	}
	s.full = false
	s.wake(s.cond)
}

func run(wake func(c *sync.Cond)) {
	s := &slot{wake: wake}
	s.cond = sync.NewCond(&s.mu)
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(2)
		go func() { defer wg.Done(); s.put() }()
		go func() { defer wg.Done(); s.take() }()
	}
	wg.Wait()
}

func TestBug(t *testing.T) { run((*sync.Cond).Signal) }

func TestFixed(t *testing.T) { run((*sync.Cond).Broadcast) }
