// Package addinside: Add is called by the goroutine that is waited for, so Wait may come first.
package addinside

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestBug(t *testing.T) {
	var wg sync.WaitGroup
	var n atomic.Int32
	for i := 0; i < 2; i++ {
		go func() {
			wg.Add(1)
			defer wg.Done()
			n.Add(1)
		}()
	}
	wg.Wait()
	if n.Load() != 2 {
		t.Fatal("Wait came too early")
	}
}

func TestFixed(t *testing.T) {
	var wg sync.WaitGroup
	var n atomic.Int32
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			n.Add(1)
		}()
	}
	wg.Wait()
	if n.Load() != 2 {
		t.Fatal("Wait came too early")
	}
}
