// Package semaphores: two semaphores made of channels are taken in both orders.
package semaphores

import (
	"testing"
)

type semaphore chan struct{}

func (s semaphore) take() { s <- struct{}{} }
func (s semaphore) give() { <-s }

func both(a, b semaphore, done chan<- struct{}) {
	a.take()
	b.take()
	b.give()
	a.give()
	done <- struct{}{}
}

func TestBug(t *testing.T) {
	a, b := make(semaphore, 1), make(semaphore, 1)
	done := make(chan struct{}, 2)
	go both(a, b, done)
	go both(b, a, done)
	<-done
	<-done
}

func TestFixed(t *testing.T) {
	a, b := make(semaphore, 1), make(semaphore, 1)
	done := make(chan struct{}, 2)
	go both(a, b, done)
	go both(a, b, done)
	<-done
	<-done
}
