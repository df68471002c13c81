// Package heartbeat: the pulse of a worker is sent and not offered, so nobody who does not listen gets a result.
package heartbeat

import (
	"testing"
)

func worker(offer bool, pulse chan<- struct{}, results chan<- int) {
	for v := range 2 {
		if offer {
			select {
			case pulse <- struct{}{}:
			default:
			}
		} else {
			pulse <- struct{}{}
		}
		results <- v
	}
	close(results)
}

func run(t *testing.T, offer bool) {
	pulse, results := make(chan struct{}), make(chan int)
	go worker(offer, pulse, results)
	sum := 0
	for v := range results {
		sum += v
	}
	if sum != 1 {
		t.Error(sum)
	}
}

func TestBug(t *testing.T) { run(t, false) }

func TestFixed(t *testing.T) { run(t, true) }
