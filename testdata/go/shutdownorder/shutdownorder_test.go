// Package shutdownorder: the workers are waited for before their results are taken.
package shutdownorder

import (
	"sync"
	"testing"
)

func run(t *testing.T, collect func(results chan int, wait func()) int) {
	jobs, results := make(chan int, 2), make(chan int)
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range jobs {
				results <- 2 * j
			}
		}()
	}
	jobs <- 1
	jobs <- 2
	close(jobs)
	if sum := collect(results, wg.Wait); sum != 6 {
		t.Error(sum)
	}
}

func TestBug(t *testing.T) {
	run(t, func(results chan int, wait func()) (sum int) {
		wait()
		close(results)
		for r := range results {
			sum += r
		}
		return sum
	})
}

func TestFixed(t *testing.T) {
	run(t, func(results chan int, wait func()) (sum int) {
		go func() {
			wait()
			close(results)
		}()
		for r := range results {
			sum += r
		}
		return sum
	})
}
