// Package readlockwrites: a counter is changed under a read lock.
package readlockwrites

import (
	"sync"
	"testing"
)

type stats struct {
	mu   sync.RWMutex
	hits map[string]int
}

func (s *stats) hit(name string) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.hits[name]++
}

func (s *stats) hitLocked(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hits[name]++
}

func run(t *testing.T, hit func(s *stats, name string)) {
	s := &stats{hits: map[string]int{"a": 0}}
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			hit(s, "a")
		}()
	}
	wg.Wait()
	if s.hits["a"] != 2 {
		t.Error("a hit is lost")
	}
}

func TestBug(t *testing.T) { run(t, (*stats).hit) }

func TestFixed(t *testing.T) { run(t, (*stats).hitLocked) }
