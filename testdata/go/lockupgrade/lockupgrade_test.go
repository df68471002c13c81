// Package lockupgrade: a read lock is held while the write lock is waited for.
package lockupgrade

import (
	"sync"
	"testing"
)

type cache struct {
	mu sync.RWMutex
	m  map[int]int
}

func (c *cache) get(k int) int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if v, ok := c.m[k]; ok {
		return v
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[k] = k * k
	return c.m[k]
}

func (c *cache) getInSteps(k int) int {
	c.mu.RLock()
	v, ok := c.m[k]
	c.mu.RUnlock()
	if ok {
		return v
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[k] = k * k
	return c.m[k]
}

func TestBug(t *testing.T) {
	c := &cache{m: map[int]int{}}
	c.get(3)
}

func TestFixed(t *testing.T) {
	c := &cache{m: map[int]int{}}
	done := make(chan int)
	go func() { done <- c.getInSteps(3) }()
	if c.getInSteps(3) != 9 || <-done != 9 {
		t.Error("a wrong value")
	}
}
