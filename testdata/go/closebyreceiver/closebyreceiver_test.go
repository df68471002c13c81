// Package closebyreceiver: the receiver closes the channel when it has enough, and a sender sends on it.
package closebyreceiver

import (
	"sync"
	"testing"
)

func TestBug(t *testing.T) {
	results := make(chan int, 2)
	for i := range 2 {
		go func() { results <- i }()
	}
	<-results
	close(results)
}

func TestFixed(t *testing.T) {
	results := make(chan int, 2)
	var senders sync.WaitGroup
	for i := range 2 {
		senders.Add(1)
		go func() {
			defer senders.Done()
			results <- i
		}()
	}
	go func() {
		senders.Wait()
		close(results)
	}()
	n := 0
	for range results {
		n++
	}
	if n != 2 {
		t.Errorf("%d results", n)
	}
}
