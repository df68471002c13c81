// Package tokenlost: a channel with one token is the mutex, and an early return keeps the token.
package tokenlost

import (
	"sync"
	"testing"
)

type guarded struct {
	token chan struct{}
	value int
}

func newGuarded() *guarded {
	g := &guarded{token: make(chan struct{}, 1)}
	g.token <- struct{}{}
	return g
}

func (g *guarded) setOnce(v int) bool {
	<-g.token
	if g.value != 0 {
		return false
	}
	g.value = v
	g.token <- struct{}{}
	return true
}

func (g *guarded) setOnceDeferred(v int) bool {
	<-g.token
	defer func() { g.token <- struct{}{} }()
	if g.value != 0 {
		return false
	}
	g.value = v
	return true
}

func run(t *testing.T, set func(g *guarded, v int) bool) {
	g := newGuarded()
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			set(g, i+1)
		}()
	}
	wg.Wait()
	if g.value == 0 {
		t.Error("not set")
	}
}

func TestBug(t *testing.T) { run(t, (*guarded).setOnce) }

func TestFixed(t *testing.T) { run(t, (*guarded).setOnceDeferred) }
