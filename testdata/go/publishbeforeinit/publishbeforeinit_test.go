// Package publishbeforeinit: a flag says that the data is there before it is.
package publishbeforeinit

import (
	"sync/atomic"
	"testing"
)

type box struct {
	value int
	ready atomic.Bool
}

func TestBug(t *testing.T) {
	b := &box{}
	done := make(chan struct{})
	go func() {
		b.ready.Store(true)
		b.value = 7
		close(done)
	}()
	if b.ready.Load() && b.value != 7 {
		t.Error("no value yet")
	}
	<-done
}

func TestFixed(t *testing.T) {
	b := &box{}
	done := make(chan struct{})
	go func() {
		b.value = 7
		b.ready.Store(true)
		close(done)
	}()
	if b.ready.Load() && b.value != 7 {
		t.Error("no value yet")
	}
	<-done
}
