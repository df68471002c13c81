package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"

	"cdpor/explore"
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

// A size is a number of bytes on the command line: 512MB, 2G.
type size int64

var sizeUnits = []struct {
	name  string
	bytes int64
}{{"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}}

func (s *size) UnmarshalText(text []byte) error {
	number, factor := strings.TrimSuffix(strings.ToUpper(string(text)), "B"), int64(1)
	for _, u := range sizeUnits {
		if of, ok := strings.CutSuffix(number, u.name); ok {
			number, factor = of, u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	if err != nil || n <= 0 || n > 1<<62/factor {
		return fmt.Errorf("%q is no size; write 512MB or 2GB", text)
	}
	*s = size(n * factor)
	return nil
}

func (s size) String() string {
	for _, u := range sizeUnits {
		if int64(s)%u.bytes == 0 {
			return fmt.Sprintf("%d%sB", int64(s)/u.bytes, u.name)
		}
	}
	return fmt.Sprintf("%dB", int64(s))
}

// A memoryLimit is the cause that ends a search with --max-memory.
type memoryLimit struct{ size }

func (l memoryLimit) Error() string { return fmt.Sprintf("--max-memory %v", l.size) }
func (l memoryLimit) Unwrap() error { return explore.ErrMemory }

// withMemory is a context that ends when the process has taken more memory than that, without the solver; zero means no limit. The
// garbage collector works harder before that.
func withMemory(ctx context.Context, limit size) (context.Context, context.CancelFunc) {
	const every = 20 * time.Millisecond
	limited, end := context.WithCancelCause(ctx)
	if limit == 0 {
		return limited, func() { end(nil) }
	}
	before := debug.SetMemoryLimit(int64(limit) - int64(limit)/10)
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if memory() > int64(limit) {
					end(memoryLimit{limit})
				}
			case <-limited.Done():
				return
			}
		}
	}()
	return limited, func() {
		end(nil)
		debug.SetMemoryLimit(before)
	}
}
