// Package singleflight: who waits for somebody else's result reads it before it is there.
package singleflight

import (
	"sync"
	"testing"
)

type call struct {
	done  chan struct{}
	value int
}

type group struct {
	mu    sync.Mutex
	calls map[string]*call
}

func (g *group) do(key string, wait bool, f func() int) int {
	g.mu.Lock()
	if c, ok := g.calls[key]; ok {
		g.mu.Unlock()
		if wait {
			<-c.done
		}
		return c.value
	}
	c := &call{done: make(chan struct{})}
	g.calls[key] = c
	g.mu.Unlock()
	c.value = f()
	close(c.done)
	return c.value
}

func run(t *testing.T, wait bool) {
	g := &group{calls: map[string]*call{}}
	got := make(chan int, 2)
	for range 2 {
		go func() { got <- g.do("a", wait, func() int { return 7 }) }()
	}
	if a, b := <-got, <-got; wait && a != b {
		t.Error("two values")
	}
}

func TestBug(t *testing.T) { run(t, false) }

func TestFixed(t *testing.T) { run(t, true) }
