// Package flushonclose: the last batch is not flushed when the input ends.
package flushonclose

import (
	"testing"
)

func batches(in <-chan int, size int, flushRest bool) <-chan []int {
	out := make(chan []int)
	go func() {
		defer close(out)
		var batch []int
		for v := range in {
			batch = append(batch, v)
			if len(batch) == size {
				out <- batch
				batch = nil
			}
		}
		if flushRest && len(batch) > 0 {
			out <- batch
		}
	}()
	return out
}

func run(t *testing.T, flushRest bool) {
	in := make(chan int)
	go func() {
		for v := range 3 {
			in <- v
		}
		close(in)
	}()
	n := 0
	for b := range batches(in, 2, flushRest) {
		n += len(b)
	}
	if n != 3 {
		t.Error("values are lost")
	}
}

func TestBug(t *testing.T) { run(t, false) }

func TestFixed(t *testing.T) { run(t, true) }
