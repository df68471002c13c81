// Package configreload: a pointer to the configuration is replaced without a lock.
package configreload

import (
	"sync/atomic"
	"testing"
)

type config struct{ limit int }

type app struct {
	cfg    *config
	shared atomic.Pointer[config]
}

func TestBug(t *testing.T) {
	a := &app{cfg: &config{limit: 1}}
	done := make(chan struct{})
	go func() {
		a.cfg = &config{limit: 2}
		close(done)
	}()
	if a.cfg.limit < 1 {
		t.Error("no limit")
	}
	<-done
}

func TestFixed(t *testing.T) {
	a := &app{}
	a.shared.Store(&config{limit: 1})
	done := make(chan struct{})
	go func() {
		a.shared.Store(&config{limit: 2})
		close(done)
	}()
	if a.shared.Load().limit < 1 {
		t.Error("no limit")
	}
	<-done
}
