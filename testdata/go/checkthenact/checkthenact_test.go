// Package checkthenact: two goroutines find a flag unset, and both act.
package checkthenact

import (
	"sync"
	"sync/atomic"
	"testing"
)

func run(t *testing.T, claim func(f *atomic.Int32) bool) {
	var flag, winners atomic.Int32
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if claim(&flag) {
				winners.Add(1)
			}
		}()
	}
	wg.Wait()
	if winners.Load() != 1 {
		t.Error("two winners")
	}
}

func TestBug(t *testing.T) {
	run(t, func(f *atomic.Int32) bool {
		if f.Load() != 0 {
			return false
		}
		f.Store(1)
		return true
	})
}

func TestFixed(t *testing.T) {
	run(t, func(f *atomic.Int32) bool { return f.CompareAndSwap(0, 1) })
}
