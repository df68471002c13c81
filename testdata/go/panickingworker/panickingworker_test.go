// Package panickingworker: a worker recovers from the panic of a task, and does not say that the task is done.
package panickingworker

import (
	"sync"
	"testing"
)

type pool struct {
	wg    sync.WaitGroup
	tasks chan func()
}

func (p *pool) run(f func()) {
	defer func() { recover() }()
	f()
	p.wg.Done()
}

func (p *pool) runDeferred(f func()) {
	defer func() { recover() }()
	defer p.wg.Done()
	f()
}

func test(run func(p *pool, f func())) {
	p := &pool{tasks: make(chan func(), 2)}
	go func() {
		for f := range p.tasks {
			run(p, f)
		}
	}()
	var none map[string]int
	p.wg.Add(2)
	p.tasks <- func() {}
	p.tasks <- func() { none["a"] = 1 }
	close(p.tasks)
	p.wg.Wait()
}

func TestBug(t *testing.T) { test((*pool).run) }

func TestFixed(t *testing.T) { test((*pool).runDeferred) }
