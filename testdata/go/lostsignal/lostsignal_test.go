// Package lostsignal: Signal may come before Wait.
package lostsignal

import (
	"sync"
	"testing"
)

type gate struct {
	mu   sync.Mutex
	cond *sync.Cond
	open bool
}

func newGate() *gate {
	g := &gate{}
	g.cond = sync.NewCond(&g.mu)
	return g
}

func (g *gate) release() {
	g.mu.Lock()
	g.open = true
	g.cond.Signal()
	g.mu.Unlock()
}

func TestBug(t *testing.T) {
	g := newGate()
	go g.release()
	g.mu.Lock()
	g.cond.Wait()
	g.mu.Unlock()
}

func TestFixed(t *testing.T) {
	g := newGate()
	go g.release()
	g.mu.Lock()
	for !g.open {
		g.cond.Wait()
	}
	g.mu.Unlock()
}
