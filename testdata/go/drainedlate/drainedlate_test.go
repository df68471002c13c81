// Package drainedlate: when a stop and a value are both there either may be chosen, and the value is lost.
package drainedlate

import (
	"testing"
)

func TestBug(t *testing.T) {
	values, stop, done := make(chan int, 1), make(chan struct{}), make(chan int)
	go func() {
		sum := 0
		for {
			select {
			case v := <-values:
				sum += v
			case <-stop:
				done <- sum
				return
			}
		}
	}()
	values <- 1
	close(stop)
	if <-done != 1 {
		t.Error("a value is lost")
	}
}

func TestFixed(t *testing.T) {
	values, done := make(chan int, 1), make(chan int)
	go func() {
		sum := 0
		for v := range values {
			sum += v
		}
		done <- sum
	}()
	values <- 1
	close(values)
	if <-done != 1 {
		t.Error("a value is lost")
	}
}
