// Package closedpool: who waits for a connection is not woken when the pool is closed.
package closedpool

import (
	"sync"
	"testing"
)

type pool struct {
	mu     sync.Mutex
	cond   *sync.Cond
	free   int
	closed bool
}

func newPool() *pool {
	p := &pool{}
	p.cond = sync.NewCond(&p.mu)
	return p
}

func (p *pool) get() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.free == 0 && !p.closed {
		p.cond.Wait()
	}
	if p.closed {
		return false
	}
	p.free--
	return true
}

func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
}

func (p *pool) closeAndWake() {
	p.close()
	p.cond.Broadcast()
}

func run(t *testing.T, shut func(p *pool)) {
	p := newPool()
	got := make(chan bool)
	go func() { got <- p.get() }()
	shut(p)
	if <-got {
		t.Error("a connection of a closed pool")
	}
}

func TestBug(t *testing.T) { run(t, (*pool).close) }

func TestFixed(t *testing.T) { run(t, (*pool).closeAndWake) }
