// Package timerleak: a timer is stopped, and then its channel is waited for.
package timerleak

import (
	"testing"
	"time"
)

func TestBug(t *testing.T) {
	timer := time.NewTimer(time.Second)
	done := make(chan struct{}, 1)
	done <- struct{}{}
	select {
	case <-done:
	case <-timer.C:
	}
	if timer.Stop() {
		<-timer.C
	}
}

func TestFixed(t *testing.T) {
	timer := time.NewTimer(time.Second)
	done := make(chan struct{}, 1)
	done <- struct{}{}
	fired := false
	select {
	case <-done:
	case <-timer.C:
		fired = true
	}
	if !timer.Stop() && !fired {
		<-timer.C
	}
}
