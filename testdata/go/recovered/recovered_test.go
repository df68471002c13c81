// Package recovered: a panic is recovered, and the lock stays held.
package recovered

import (
	"sync"
	"testing"
)

type store struct {
	mu sync.Mutex
	m  map[string]int
}

func (s *store) set(k string, v int) {
	defer func() {
		if r := recover(); r != nil {
			return
		}
	}()
	s.mu.Lock()
	s.m[k] = v
	s.mu.Unlock()
}

func (s *store) setDeferred(k string, v int) {
	defer func() { recover() }()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m[k] = v
}

func TestBug(t *testing.T) {
	s := &store{}
	s.set("a", 1)
	s.set("b", 2)
}

func TestFixed(t *testing.T) {
	s := &store{}
	s.setDeferred("a", 1)
	s.setDeferred("b", 2)
}
