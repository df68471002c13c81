// Package linkedlist: the next element is read before the lock is taken.
package linkedlist

import (
	"sync"
	"testing"
)

type node struct {
	value int
	next  *node
}

type stack struct {
	mu  sync.Mutex
	top *node
}

func (s *stack) push(v int) {
	n := &node{value: v}
	n.next = s.top
	s.mu.Lock()
	s.top = n
	s.mu.Unlock()
}

func (s *stack) pushFixed(v int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.top = &node{v, s.top}
}

func (s *stack) sum() (n int) {
	for p := s.top; p != nil; p = p.next {
		n += p.value
	}
	return n
}

func both(push func(int)) {
	done := make(chan bool, 1)
	go func() {
		push(1)
		done <- true
	}()
	push(2)
	<-done
}

func TestBug(t *testing.T) {
	s := &stack{}
	both(s.push)
	if s.sum() != 3 {
		t.Fatal("an element is lost")
	}
}

func TestFixed(t *testing.T) {
	s := &stack{}
	both(s.pushFixed)
	if s.sum() != 3 {
		t.Fatal("an element is lost")
	}
}
