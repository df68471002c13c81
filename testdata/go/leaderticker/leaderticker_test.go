// Package leaderticker: the leader polls with a ticker under the lock that whoever stops it needs.
package leaderticker

import (
	"sync"
	"testing"
	"time"
)

type leader struct {
	mu   sync.Mutex
	stop chan struct{}
	term int
}

func (l *leader) run(done chan<- struct{}) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	defer close(done)
	for {
		l.mu.Lock()
		select {
		case <-ticker.C:
			l.term++
		case <-l.stop:
			return
		}
		l.mu.Unlock()
	}
}

func (l *leader) runUnlocked(done chan<- struct{}) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	defer close(done)
	for {
		select {
		case <-ticker.C:
			l.mu.Lock()
			l.term++
			l.mu.Unlock()
		case <-l.stop:
			return
		}
	}
}

func test(run func(l *leader, done chan<- struct{})) {
	l := &leader{stop: make(chan struct{})}
	done := make(chan struct{})
	go run(l, done)
	l.mu.Lock()
	l.term = 0
	l.mu.Unlock()
	close(l.stop)
	<-done
	l.mu.Lock()
	l.mu.Unlock()
}

func TestBug(t *testing.T) { test((*leader).run) }

func TestFixed(t *testing.T) { test((*leader).runUnlocked) }
