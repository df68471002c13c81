// Package fanin: the merged channel is never closed, so its reader never ends.
package fanin

import (
	"sync"
	"testing"
)

func merge(closes bool, ins ...<-chan int) <-chan int {
	out := make(chan int)
	var wg sync.WaitGroup
	for _, in := range ins {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for v := range in {
				out <- v
			}
		}()
	}
	if closes {
		go func() {
			wg.Wait()
			close(out)
		}()
	}
	return out
}

func numbers(v int) <-chan int {
	c := make(chan int, 1)
	c <- v
	close(c)
	return c
}

func run(t *testing.T, closes bool) {
	sum := 0
	for v := range merge(closes, numbers(1), numbers(2)) {
		sum += v
	}
	if sum != 3 {
		t.Error(sum)
	}
}

func TestBug(t *testing.T) { run(t, false) }

func TestFixed(t *testing.T) { run(t, true) }
