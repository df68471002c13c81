// Package lockandchannel: a value is sent under a lock which the receiver takes before it receives.
package lockandchannel

import (
	"sync"
	"testing"
)

func run(t *testing.T, send func(mu *sync.Mutex, c chan int)) {
	var mu sync.Mutex
	c := make(chan int)
	go send(&mu, c)
	mu.Lock()
	mu.Unlock()
	if <-c != 1 {
		t.Error("a wrong value")
	}
}

func TestBug(t *testing.T) {
	run(t, func(mu *sync.Mutex, c chan int) {
		mu.Lock()
		defer mu.Unlock()
		c <- 1
	})
}

func TestFixed(t *testing.T) {
	run(t, func(mu *sync.Mutex, c chan int) {
		mu.Lock()
		v := 1
		mu.Unlock()
		c <- v
	})
}
