// Package stopbeforestart: whoever stops the loop before it has begun is not heard.
package stopbeforestart

import (
	"sync"
	"testing"
)

type loop struct {
	mu      sync.Mutex
	running bool
	stop    chan struct{}
	done    chan struct{}
}

func newLoop() *loop { return &loop{stop: make(chan struct{}), done: make(chan struct{})} }

func (l *loop) run() {
	l.mu.Lock()
	l.running = true
	l.mu.Unlock()
	<-l.stop
	close(l.done)
}

func (l *loop) stopIfRunning() {
	l.mu.Lock()
	running := l.running
	l.mu.Unlock()
	if running {
		close(l.stop)
	}
	<-l.done
}

func (l *loop) stopAnyway() {
	close(l.stop)
	<-l.done
}

func TestBug(t *testing.T) {
	l := newLoop()
	go l.run()
	l.stopIfRunning()
}

func TestFixed(t *testing.T) {
	l := newLoop()
	go l.run()
	l.stopAnyway()
}
