// Package errgrouplimit: a task of a group with a limit starts another task and waits until there is room, which only
// its own end would make.
package errgrouplimit

import (
	"sync"
	"testing"
)

type group struct {
	wg   sync.WaitGroup
	sem  chan struct{}
	once sync.Once
	err  error
}

func (g *group) start(f func() error) {
	g.sem <- struct{}{}
	g.wg.Add(1)
	go func() {
		defer func() {
			<-g.sem
			g.wg.Done()
		}()
		if err := f(); err != nil {
			g.once.Do(func() { g.err = err })
		}
	}()
}

func (g *group) wait() error {
	g.wg.Wait()
	return g.err
}

func run(t *testing.T, limit int) {
	g := &group{sem: make(chan struct{}, limit)}
	g.start(func() error {
		g.start(func() error { return nil })
		return nil
	})
	if err := g.wait(); err != nil {
		t.Error(err)
	}
}

func TestBug(t *testing.T) { run(t, 1) }

func TestFixed(t *testing.T) { run(t, 2) }
