// Package groupbyvalue: each worker has a copy of the wait group.
package groupbyvalue

import (
	"sync"
	"testing"
)

type pool struct{ wg sync.WaitGroup }

func work(p pool) { p.wg.Done() }

func workOn(p *pool) { p.wg.Done() }

func TestBug(t *testing.T) {
	var p pool
	p.wg.Add(1)
	go work(p)
	p.wg.Wait()
}

func TestFixed(t *testing.T) {
	var p pool
	p.wg.Add(1)
	go workOn(&p)
	p.wg.Wait()
}
