package incidents

import (
	"sync"
	"testing"
)

// An entry of a cache has expired; whoever misses it asks the database and fills it. All who look before it is filled
// ask as well, at the worst moment. In the repair the first one asks under a sync.Once, and the others wait for that.

type cache struct {
	mu      sync.Mutex
	text    string
	queries int
	once    sync.Once
}

func (c *cache) query() {
	c.mu.Lock()
	c.queries++
	c.mu.Unlock()
}

func (c *cache) fill() {
	c.query()
	c.mu.Lock()
	c.text = "page"
	c.mu.Unlock()
}

func (c *cache) filled() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text != ""
}

func get(c *cache, single bool) {
	switch {
	case c.filled():
	case single:
		c.once.Do(c.fill)
	default:
		c.fill()
	}
}

func stampede(t *testing.T, single bool) {
	c := &cache{}
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() { get(c, single) })
	}
	all.Wait()
	if c.queries != 1 {
		t.Errorf("the database was asked %d times", c.queries)
	}
}

func TestCacheStampede(t *testing.T) { stampede(t, false) }

func TestCacheStampedeFixed(t *testing.T) { stampede(t, true) }
