// Package oncedeadlock: the function of a Once calls Do of the same Once.
package oncedeadlock

import (
	"sync"
	"testing"
)

type config struct {
	once sync.Once
	n    int
}

func (c *config) load() { c.once.Do(c.reload) }

func (c *config) reload() {
	c.n++
	if c.n == 1 {
		c.load()
	}
}

func TestBug(t *testing.T) {
	c := &config{}
	c.load()
}

func TestFixed(t *testing.T) {
	c := &config{}
	go c.once.Do(func() { c.n++ })
	c.once.Do(func() { c.n++ })
	if c.n != 1 {
		t.Fatal("done twice")
	}
}
