//go:build go1.21

// Package loopvariable: up to Go 1.21 all goroutines of a loop share its variable.
package loopvariable

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestBug(t *testing.T) {
	var sum atomic.Int32
	var wg sync.WaitGroup
	ready := make(chan struct{})
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			<-ready
			sum.Add(int32(i))
		}()
	}
	close(ready)
	wg.Wait()
	if sum.Load() != 1 {
		t.Error("the numbers are not 0 and 1")
	}
}

func TestFixed(t *testing.T) {
	var sum atomic.Int32
	var wg sync.WaitGroup
	ready := make(chan struct{})
	for i := 0; i < 2; i++ {
		i := i
		wg.Add(1)
		go func() {
			defer wg.Done()
			<-ready
			sum.Add(int32(i))
		}()
	}
	close(ready)
	wg.Wait()
	if sum.Load() != 1 {
		t.Error("the numbers are not 0 and 1")
	}
}
