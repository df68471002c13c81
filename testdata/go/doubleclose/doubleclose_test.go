// Package doubleclose: two goroutines close the same channel.
package doubleclose

import (
	"sync"
	"testing"
)

type server struct {
	done chan struct{}
	once sync.Once
}

func (s *server) stop() {
	select {
	case <-s.done:
	default:
		close(s.done)
	}
}

func (s *server) stopOnce() { s.once.Do(func() { close(s.done) }) }

func TestBug(t *testing.T) {
	s := &server{done: make(chan struct{})}
	go s.stop()
	s.stop()
	<-s.done
}

func TestFixed(t *testing.T) {
	s := &server{done: make(chan struct{})}
	go s.stopOnce()
	s.stopOnce()
	<-s.done
}
