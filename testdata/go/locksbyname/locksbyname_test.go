// Package locksbyname: there is a lock for each name, and two names are locked in the order of the arguments.
package locksbyname

import (
	"sync"
	"testing"
)

type locks struct {
	mu sync.Mutex
	m  map[string]*sync.Mutex
}

func (l *locks) get(name string) *sync.Mutex {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.m[name] == nil {
		l.m[name] = &sync.Mutex{}
	}
	return l.m[name]
}

func (l *locks) with(names []string, f func()) {
	for _, n := range names {
		l.get(n).Lock()
		defer l.get(n).Unlock()
	}
	f()
}

func run(first, second []string) {
	l := &locks{m: map[string]*sync.Mutex{}}
	done := make(chan struct{})
	go func() {
		l.with(first, func() {})
		close(done)
	}()
	l.with(second, func() {})
	<-done
}

func TestBug(t *testing.T) { run([]string{"a", "b"}, []string{"b", "a"}) }

func TestFixed(t *testing.T) { run([]string{"a", "b"}, []string{"a", "b"}) }
