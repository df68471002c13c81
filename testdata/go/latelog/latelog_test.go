// Package latelog: a hook that nobody waits for logs to the test, which may be over.
package latelog

import (
	"sync"
	"testing"
)

type server struct {
	hooks   []func(event string)
	running sync.WaitGroup
}

func (s *server) fire(event string) {
	for _, h := range s.hooks {
		s.running.Add(1)
		go func() {
			defer s.running.Done()
			h(event)
		}()
	}
}

func started(t *testing.T) *server {
	s := &server{hooks: []func(string){func(event string) { t.Logf("hook: %s", event) }}}
	s.fire("start")
	return s
}

func TestBug(t *testing.T) { started(t) }

func TestFixed(t *testing.T) {
	s := started(t)
	t.Cleanup(s.running.Wait)
}
