// Package retryleak: each attempt has a goroutine, and an attempt that is given up has nobody who receives its result.
package retryleak

import (
	"testing"
	"time"
)

func attempt(n int, room int) <-chan int {
	c := make(chan int, room)
	go func() { c <- n }()
	return c
}

func retry(room int) int {
	for n := range 2 {
		select {
		case v := <-attempt(n, room):
			return v
		case <-time.After(time.Millisecond):
		}
	}
	return -1
}

func TestBug(t *testing.T) { retry(0) }

func TestFixed(t *testing.T) { retry(1) }
