// Package cache has a cache in shards, whose methods cdpor may take for one step each: Cache.atomic.yaml says what they
// do, and Cache.atomic.constraints.yaml which of them commute.
package cache

import "sync"

const shards = 2

// A Cache keeps values by key.
type Cache struct {
	shard [shards]struct {
		mu     sync.Mutex
		values map[int]int
	}
}

// Get is the value of a key, 0 if it has none.
func (c *Cache) Get(key int) int {
	s := &c.shard[key%shards]
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.values[key]
}

// Put sets the value of a key.
func (c *Cache) Put(key, value int) {
	s := &c.shard[key%shards]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.values == nil {
		s.values = map[int]int{}
	}
	s.values[key] = value
}

// Add adds to the value of a key, and returns what it is then.
func (c *Cache) Add(key, n int) int {
	s := &c.shard[key%shards]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.values == nil {
		s.values = map[int]int{}
	}
	s.values[key] += n
	return s.values[key]
}

// Sum is the sum of all values.
func (c *Cache) Sum() (sum int) {
	for i := range c.shard {
		c.shard[i].mu.Lock()
		defer c.shard[i].mu.Unlock()
	}
	for i := range c.shard {
		for _, v := range c.shard[i].values {
			sum += v
		}
	}
	return sum
}
