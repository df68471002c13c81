// Package ackwithoutroom: requests and answers go over unbuffered channels, and the client sends all requests first.
package ackwithoutroom

import (
	"testing"
)

func server(requests <-chan int, answers chan<- int) {
	for r := range requests {
		answers <- r + 1
	}
	close(answers)
}

func run(t *testing.T, client func(requests chan<- int, answers <-chan int) int) {
	requests, answers := make(chan int), make(chan int)
	go server(requests, answers)
	if sum := client(requests, answers); sum != 5 {
		t.Error(sum)
	}
}

func TestBug(t *testing.T) {
	run(t, func(requests chan<- int, answers <-chan int) (sum int) {
		requests <- 1
		requests <- 2
		close(requests)
		for a := range answers {
			sum += a
		}
		return sum
	})
}

func TestFixed(t *testing.T) {
	run(t, func(requests chan<- int, answers <-chan int) (sum int) {
		go func() {
			requests <- 1
			requests <- 2
			close(requests)
		}()
		for a := range answers {
			sum += a
		}
		return sum
	})
}
