// Package closedtwice: two goroutines look whether a channel is closed, and both close it.
package closedtwice

import (
	"sync"
	"testing"
)

type closer struct {
	once sync.Once
	c    chan struct{}
}

func (x *closer) close() {
	select {
	case <-x.c:
	default:
		close(x.c)
	}
}

func (x *closer) closeOnce() { x.once.Do(func() { close(x.c) }) }

func run(shut func(x *closer)) {
	x := &closer{c: make(chan struct{})}
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			shut(x)
		}()
	}
	wg.Wait()
	<-x.c
}

func TestBug(t *testing.T) { run((*closer).close) }

func TestFixed(t *testing.T) { run((*closer).closeOnce) }
