// Package cachecalls: between the look into the cache and the store somebody else may have looked as well.
package cachecalls

import (
	"sync"
	"testing"
)

type cache struct {
	mu    sync.Mutex
	m     map[int]int
	calls int
}

func (c *cache) compute(k int) int {
	c.calls++
	return k * k
}

func (c *cache) get(k int) int {
	c.mu.Lock()
	v, ok := c.m[k]
	c.mu.Unlock()
	if ok {
		return v
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	v = c.compute(k)
	c.m[k] = v
	return v
}

func (c *cache) getOnce(k int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.m[k]; ok {
		return v
	}
	v := c.compute(k)
	c.m[k] = v
	return v
}

func run(t *testing.T, get func(c *cache, k int) int) {
	c := &cache{m: make(map[int]int)}
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if get(c, 3) != 9 {
				t.Error("a wrong value")
			}
		}()
	}
	wg.Wait()
	if c.calls != 1 {
		t.Error("computed more than once")
	}
}

func TestBug(t *testing.T) { run(t, (*cache).get) }

func TestFixed(t *testing.T) { run(t, (*cache).getOnce) }
