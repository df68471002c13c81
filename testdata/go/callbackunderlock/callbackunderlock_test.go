// Package callbackunderlock: an evicted entry is told of under the lock, and who is told asks the cache.
package callbackunderlock

import (
	"sync"
	"testing"
)

type lru struct {
	mu      sync.Mutex
	m       map[int]int
	evicted func(k int)
}

func (c *lru) len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.m)
}

func (c *lru) drop(k int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.m, k)
	c.evicted(k)
}

func (c *lru) dropThenTell(k int) {
	c.mu.Lock()
	delete(c.m, k)
	c.mu.Unlock()
	c.evicted(k)
}

func run(t *testing.T, drop func(c *lru, k int)) {
	c := &lru{m: map[int]int{1: 1, 2: 2}}
	left := -1
	c.evicted = func(int) { left = c.len() }
	drop(c, 1)
	if left != 1 {
		t.Error(left)
	}
}

func TestBug(t *testing.T) { run(t, (*lru).drop) }

func TestFixed(t *testing.T) { run(t, (*lru).dropThenTell) }
