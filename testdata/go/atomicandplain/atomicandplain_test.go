// Package atomicandplain: a counter that is changed atomically is read as it is.
package atomicandplain

import (
	"sync/atomic"
	"testing"
)

func TestBug(t *testing.T) {
	var hits int64
	done := make(chan struct{})
	go func() {
		atomic.AddInt64(&hits, 1)
		close(done)
	}()
	if hits > 1 {
		t.Error("more than one hit")
	}
	<-done
}

func TestFixed(t *testing.T) {
	var hits int64
	done := make(chan struct{})
	go func() {
		atomic.AddInt64(&hits, 1)
		close(done)
	}()
	if atomic.LoadInt64(&hits) > 1 {
		t.Error("more than one hit")
	}
	<-done
}
