// Package nilchannel: the channel of a zero value is used before it is made.
package nilchannel

import (
	"sync"
	"testing"
)

type server struct {
	once sync.Once
	stop chan struct{}
}

func (s *server) serve() { <-s.stop }

func (s *server) init() { s.once.Do(func() { s.stop = make(chan struct{}) }) }

func TestBug(t *testing.T) {
	s := &server{}
	go s.serve()
}

func TestFixed(t *testing.T) {
	s := &server{}
	s.init()
	go s.serve()
	close(s.stop)
}
