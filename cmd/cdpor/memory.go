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
	runtime.GC()
	before := heapObjects()
	stop, peak := make(chan struct{}), make(chan int64)
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		most := before
		for {
			select {
			case <-tick.C:
				most = max(most, heapObjects())
			case <-stop:
				peak <- max(most, heapObjects())
				return
			}
		}
	}()
	run()
	close(stop)
	return <-peak - before
}

// heapObjects is the size of all objects on the heap in bytes, garbage that has not been collected yet included.
func heapObjects() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// memory is what the process has taken from the system in bytes, without the solver.
func memory() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64() - sample[1].Value.Uint64())
}
