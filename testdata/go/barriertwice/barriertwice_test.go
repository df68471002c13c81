// Package barriertwice: a barrier that is used twice counts a fast goroutine of the second round to the first.
package barriertwice

import (
	"sync"
	"testing"
)

type barrier struct {
	mu    sync.Mutex
	cond  *sync.Cond
	size  int
	count int
	round int
}

func newBarrier(n int) *barrier {
	b := &barrier{size: n}
	b.cond = sync.NewCond(&b.mu)
	return b
}

func (b *barrier) wait() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count++
	if b.count == b.size {
		b.cond.Broadcast()
		b.count = 0
		return
	}
	for b.count != 0 {
		b.cond.Wait()
	}
}

func (b *barrier) waitRound() {
	b.mu.Lock()
	defer b.mu.Unlock()
	round := b.round
	b.count++
	if b.count == b.size {
		b.cond.Broadcast()
		b.count = 0
		b.round++
		return
	}
	for b.round == round {
		b.cond.Wait()
	}
}

func run(wait func(b *barrier)) {
	b := newBarrier(2)
	done := make(chan struct{})
	go func() {
		wait(b)
		wait(b)
		close(done)
	}()
	wait(b)
	wait(b)
	<-done
}

func TestBug(t *testing.T) { run((*barrier).wait) }

func TestFixed(t *testing.T) { run((*barrier).waitRound) }
