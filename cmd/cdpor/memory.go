package main

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// peakHeap runs something and returns by how much the heap grew at most meanwhile, in bytes. The size of the heap is that
// of all objects, garbage that has not been collected yet included, sampled every few milliseconds; before the first sample
// garbage is collected.
func peakHeap(run func()) int64 {
	const every = 2 * time.Millisecond
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	heap := func() int64 {
		metrics.Read(sample)
		return int64(sample[0].Value.Uint64())
	}
	runtime.GC()
	before := heap()
	stop, peak := make(chan struct{}), make(chan int64)
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		most := before
		for {
			select {
			case <-tick.C:
				most = max(most, heap())
			case <-stop:
				peak <- max(most, heap())
				return
			}
		}
	}()
	run()
	close(stop)
	return <-peak - before
}
