package native

import (
	"fmt"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"cdpor/explore/dpor"
	"cdpor/lang/golang/native"
)

// BenchmarkSearch says how many executions of a test a second of both processes' time is enough for.
func BenchmarkSearch(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the command does
	for _, name := range []string{"TestReaders8", "TestLastZero8", "TestLockedBuffer8", "TestBuffered8",
		"TestStores7"} {
		b.Run(name, func(b *testing.B) {
			test := builtWith(b, "counts", false)
			var executions, events int64
			before := used(b)
			for b.Loop() {
				p := native.Start(test, name)
				r, err := Search(b.Context(), p, Options{Algorithm: dpor.SourceAlgorithm, All: true, Events: 1000})
				p.Close()
				if err != nil {
					b.Fatal(err)
				}
				executions, events = executions+r.Runs, events+r.Events
			}
			seconds := (used(b) - before).Seconds()
			b.ReportMetric(float64(executions)/seconds, "runs/CPU-s")
			b.ReportMetric(1e6*seconds/float64(events), "us/event")
		})
	}
}

// BenchmarkExecute says what an execution costs in a process that has executed others, and in one of its own.
func BenchmarkExecute(b *testing.B) {
	for _, cold := range []bool{false, true} {
		b.Run(fmt.Sprintf("cold=%t", cold), func(b *testing.B) {
			p := native.Start(builtWith(b, "counts", false), "TestLockedBuffer8")
			p.SetWidth(1)
			p.SetCold(cold)
			executions, before := 0, used(b)
			for b.Loop() {
				if _, err := p.Execute(b.Context(), &native.Command{Events: 1000}); err != nil {
					b.Fatal(err)
				}
				executions++
			}
			p.Close()
			b.ReportMetric(1e6*(used(b)-before).Seconds()/float64(executions), "CPU-us/execution")
		})
	}
}

// used is the processor time that this process and those that it has waited for have taken.
func used(b *testing.B) (total time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		total += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return total
}
