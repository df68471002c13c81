// Package doublelock: a method that holds the lock calls another one that takes it.
package doublelock

import (
	"sync"
	"testing"
)

type cache struct {
	mu    sync.Mutex
	total int
}

func (c *cache) size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

func (c *cache) addTwice() {
	c.mu.Lock()
	c.total += 2 * c.size()
	c.mu.Unlock()
}

func (c *cache) addFixed() {
	n := c.size()
	c.mu.Lock()
	c.total += 2 * n
	c.mu.Unlock()
}

func TestBug(t *testing.T) {
	c := &cache{total: 1}
	c.addTwice()
}

func TestFixed(t *testing.T) {
	c := &cache{total: 1}
	c.addFixed()
	if c.total != 3 {
		t.Fatal("lost")
	}
}
