// Package bothsendfirst: two peers send before they receive.
package bothsendfirst

import (
	"testing"
)

func peer(first bool, in <-chan int, out chan<- int) (got int) {
	if first {
		out <- 1
		return <-in
	}
	got = <-in
	out <- 2
	return got
}

func run(t *testing.T, second bool) {
	a, b, done := make(chan int), make(chan int), make(chan int)
	go func() { done <- peer(true, a, b) }()
	x := peer(second, b, a)
	if y := <-done; x+y != 3 {
		t.Error(x, y)
	}
}

func TestBug(t *testing.T) { run(t, true) }

func TestFixed(t *testing.T) { run(t, false) }
