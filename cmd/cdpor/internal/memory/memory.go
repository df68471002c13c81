package memory

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"

	"cdpor/synth"
)

// PeakHeap runs something and returns by how much the heap grew at most meanwhile, in bytes. The size of the heap is
// that of all objects, garbage that has not been collected yet included, sampled every few milliseconds; before the
// first sample garbage is collected.
func PeakHeap(run func()) int64 {
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

// Taken returns how many bytes the process has taken from the system, the solver included.
func Taken() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64()-sample[1].Value.Uint64()) + synth.SolverMemory()
}

// A Size is a number of bytes on the command line: 512MB, 2G.
type Size int64

var sizeUnits = []struct {
	name  string
	bytes int64
}{{"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}}

func (s *Size) UnmarshalText(text []byte) error {
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
	if factor == 1 && n < 1<<20 && !strings.HasSuffix(strings.ToUpper(string(text)), "B") {
		return fmt.Errorf("%q has no unit: write %dMB or %[2]dGB", text, n)
	}
	*s = Size(n * factor)
	return nil
}

func (s Size) String() string {
	for _, u := range sizeUnits {
		if int64(s)%u.bytes == 0 {
			return fmt.Sprintf("%d%sB", int64(s)/u.bytes, u.name)
		}
	}
	return fmt.Sprintf("%dB", int64(s))
}

// FewerCollections lets the garbage collector wait for four times as much garbage as usual, until the function that it
// returns is called: a synthesis makes much and keeps little. The environment variable GOGC is respected.
func FewerCollections() (restore func()) {
	if _, set := os.LookupEnv("GOGC"); set {
		return func() {}
	}
	before := debug.SetGCPercent(400)
	return func() { debug.SetGCPercent(before) }
}
