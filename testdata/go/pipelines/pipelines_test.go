// Package pipelines: the last stage takes one result and leaves; the stages before it wait to send for good.
package pipelines

import (
	"testing"
)

func source(n int, stop <-chan struct{}) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for i := range n {
			select {
			case out <- i:
			case <-stop:
				return
			}
		}
	}()
	return out
}

func square(in <-chan int, stop <-chan struct{}) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for v := range in {
			select {
			case out <- v * v:
			case <-stop:
				return
			}
		}
	}()
	return out
}

func TestBug(t *testing.T) {
	for v := range square(source(2, nil), nil) {
		if v == 0 {
			break
		}
	}
}

func TestFixed(t *testing.T) {
	stop := make(chan struct{})
	defer close(stop)
	for v := range square(source(2, stop), stop) {
		if v == 0 {
			break
		}
	}
}
