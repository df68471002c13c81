// Package swappedmap: a configuration is replaced while it is read.
package swappedmap

import (
	"sync"
	"sync/atomic"
	"testing"
)

type config struct {
	mu     sync.RWMutex
	values map[string]int
	shared atomic.Pointer[map[string]int]
}

func TestBug(t *testing.T) {
	c := &config{values: map[string]int{"a": 1}}
	done := make(chan struct{})
	go func() {
		c.mu.Lock()
		c.values = map[string]int{"a": 2}
		c.mu.Unlock()
		close(done)
	}()
	if c.values["a"] == 0 {
		t.Error("no value")
	}
	<-done
}

func TestFixed(t *testing.T) {
	c := &config{}
	c.shared.Store(&map[string]int{"a": 1})
	done := make(chan struct{})
	go func() {
		c.shared.Store(&map[string]int{"a": 2})
		close(done)
	}()
	if (*c.shared.Load())["a"] == 0 {
		t.Error("no value")
	}
	<-done
}
