// Package timeoutleak: after a timeout nobody receives the result.
package timeoutleak

import (
	"testing"
	"time"
)

func work() int { return 42 }

func ask(results chan int) (int, bool) {
	go func() { results <- work() }()
	select {
	case v := <-results:
		return v, true
	case <-time.After(time.Second):
		return 0, false
	}
}

func TestBug(t *testing.T) { ask(make(chan int)) }

func TestFixed(t *testing.T) {
	if v, ok := ask(make(chan int, 1)); ok && v != 42 {
		t.Fatal("wrong result")
	}
}
