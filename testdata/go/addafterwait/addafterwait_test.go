// Package addafterwait: work is added while somebody waits already, who sees only a part of it.
package addafterwait

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestBug(t *testing.T) {
	var wg sync.WaitGroup
	var done atomic.Int32
	wg.Add(1)
	go func() {
		defer wg.Done()
		go func() {
			wg.Add(1)
			defer wg.Done()
			done.Add(1)
		}()
		done.Add(1)
	}()
	wg.Wait()
	if done.Load() != 2 {
		t.Error("not all is done")
	}
}

func TestFixed(t *testing.T) {
	var wg sync.WaitGroup
	var done atomic.Int32
	wg.Add(1)
	go func() {
		defer wg.Done()
		wg.Add(1)
		go func() {
			defer wg.Done()
			done.Add(1)
		}()
		done.Add(1)
	}()
	wg.Wait()
	if done.Load() != 2 {
		t.Error("not all is done")
	}
}
