// Package lazyinit: two goroutines make the one instance that there should be.
package lazyinit

import (
	"sync"
	"testing"
)

type config struct{ id int }

type registry struct {
	once sync.Once
	cfg  *config
	made int
}

func (r *registry) get() *config {
	if r.cfg == nil {
		r.made++
		r.cfg = &config{id: r.made}
	}
	return r.cfg
}

func (r *registry) getOnce() *config {
	r.once.Do(func() {
		r.made++
		r.cfg = &config{id: r.made}
	})
	return r.cfg
}

func run(t *testing.T, get func(r *registry) *config) {
	r := &registry{}
	got := make(chan *config, 2)
	for range 2 {
		go func() { got <- get(r) }()
	}
	if a, b := <-got, <-got; a != b {
		t.Error("two instances")
	}
}

func TestBug(t *testing.T) { run(t, (*registry).get) }

func TestFixed(t *testing.T) { run(t, (*registry).getOnce) }
