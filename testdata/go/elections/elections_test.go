// Package elections: two nodes look who leads before either has said that it does.
package elections

import (
	"sync"
	"testing"
)

type cluster struct {
	mu     sync.Mutex
	leader int
	leads  int
}

func (c *cluster) lead(id int) {
	c.mu.Lock()
	free := c.leader == 0
	c.mu.Unlock()
	if free {
		c.mu.Lock()
		c.leader = id
		c.leads++
		c.mu.Unlock()
	}
}

func (c *cluster) leadAtOnce(id int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leader == 0 {
		c.leader = id
		c.leads++
	}
}

func run(t *testing.T, lead func(c *cluster, id int)) {
	c := &cluster{}
	var wg sync.WaitGroup
	for id := range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			lead(c, id+1)
		}()
	}
	wg.Wait()
	if c.leads != 1 {
		t.Error("two leaders")
	}
}

func TestBug(t *testing.T) { run(t, (*cluster).lead) }

func TestFixed(t *testing.T) { run(t, (*cluster).leadAtOnce) }
