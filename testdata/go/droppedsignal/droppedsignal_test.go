// Package droppedsignal: a notification is dropped when nobody waits yet.
package droppedsignal

import (
	"sync/atomic"
	"testing"
)

func run(c chan struct{}) {
	var ready atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		if !ready.Load() {
			<-c
		}
	}()
	ready.Store(true)
	select {
	case c <- struct{}{}:
	default:
	}
	<-done
}

func TestBug(t *testing.T) { run(make(chan struct{})) }

func TestFixed(t *testing.T) { run(make(chan struct{}, 1)) }
