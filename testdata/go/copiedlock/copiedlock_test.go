// Package copiedlock: a method has a copy of the mutex, so that it keeps nobody out.
package copiedlock

import (
	"sync"
	"testing"
)

type counter struct {
	mu sync.Mutex
	n  *int
}

func (c counter) add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	*c.n++
}

func (c *counter) addShared() {
	c.mu.Lock()
	defer c.mu.Unlock()
	*c.n++
}

func run(t *testing.T, add func(c *counter)) {
	c := &counter{n: new(int)}
	done := make(chan struct{})
	go func() {
		add(c)
		close(done)
	}()
	add(c)
	<-done
	if *c.n != 2 {
		t.Error("a count is lost")
	}
}

func TestBug(t *testing.T) { run(t, func(c *counter) { c.add() }) }

func TestFixed(t *testing.T) { run(t, (*counter).addShared) }
