// Package callbackrace: the function of a timer changes what its starter reads.
package callbackrace

import (
	"sync/atomic"
	"testing"
	"time"
)

func TestBug(t *testing.T) {
	expired := false
	timer := time.AfterFunc(time.Second, func() { expired = true })
	if !expired {
		timer.Stop()
	}
}

func TestFixed(t *testing.T) {
	var expired atomic.Bool
	timer := time.AfterFunc(time.Second, func() { expired.Store(true) })
	if !expired.Load() {
		timer.Stop()
	}
}
