// Package parallelsubtests: subtests that run in parallel fill one cache, and nothing guards it.
package parallelsubtests

import (
	"sync"
	"testing"
)

type resolver struct {
	mu    sync.Mutex
	known map[string]int
}

func (r *resolver) lookup(host string) int {
	if n, ok := r.known[host]; ok {
		return n
	}
	n := len(r.known) + 1
	r.known[host] = n
	return n
}

func run(t *testing.T, lookup func(host string) int) {
	for _, tt := range []struct{ name, host string }{{"first", "a"}, {"second", "b"}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if lookup(tt.host) == 0 {
				t.Errorf("%s has no number", tt.host)
			}
		})
	}
}

func TestBug(t *testing.T) {
	r := &resolver{known: map[string]int{}}
	run(t, r.lookup)
}

func TestFixed(t *testing.T) {
	r := &resolver{known: map[string]int{}}
	run(t, func(host string) int {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.lookup(host)
	})
}
