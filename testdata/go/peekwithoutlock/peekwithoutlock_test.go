// Package peekwithoutlock: the map is looked into without the lock first, to be fast.
package peekwithoutlock

import (
	"sync"
	"testing"
)

type registry struct {
	mu sync.Mutex
	m  map[string]int
}

func (r *registry) id(name string) int {
	if id, ok := r.m[name]; ok {
		return id
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if id, ok := r.m[name]; ok {
		return id
	}
	r.m[name] = len(r.m) + 1
	return r.m[name]
}

func (r *registry) idLocked(name string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id, ok := r.m[name]; ok {
		return id
	}
	r.m[name] = len(r.m) + 1
	return r.m[name]
}

func run(t *testing.T, id func(r *registry, name string) int) {
	r := &registry{m: map[string]int{}}
	got := make(chan int)
	go func() { got <- id(r, "a") }()
	if a := id(r, "a"); a != <-got {
		t.Error("two numbers for one name")
	}
}

func TestBug(t *testing.T) { run(t, (*registry).id) }

func TestFixed(t *testing.T) { run(t, (*registry).idLocked) }
