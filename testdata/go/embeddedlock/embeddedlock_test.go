// Package embeddedlock: a type embeds a lock, and a method that others call with the lock held takes it itself.
package embeddedlock

import (
	"sync"
	"testing"
)

type set struct {
	sync.Mutex
	members map[string]bool
}

func (s *set) add(name string) {
	s.Lock()
	defer s.Unlock()
	s.members[name] = true
}

func (s *set) addAll(names ...string) {
	s.Lock()
	defer s.Unlock()
	for _, n := range names {
		s.add(n)
	}
}

func (s *set) addEach(names ...string) {
	for _, n := range names {
		s.add(n)
	}
}

func run(t *testing.T, add func(s *set, names ...string)) {
	s := &set{members: map[string]bool{}}
	done := make(chan struct{})
	go func() {
		s.add("a")
		close(done)
	}()
	add(s, "b", "c")
	<-done
	if len(s.members) != 3 {
		t.Error("a member is lost")
	}
}

func TestBug(t *testing.T) { run(t, (*set).addAll) }

func TestFixed(t *testing.T) { run(t, (*set).addEach) }
