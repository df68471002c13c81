package ordinary

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"testing"
)

// serves waits for a signal or for somebody who calls stop.
func serves(ctx context.Context, started chan<- bool) string {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	defer signal.Stop(signals)
	started <- true
	select {
	case <-signals:
		return "interrupted"
	case <-ctx.Done():
		return "stopped"
	}
}

func TestStoppedService(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	started, ended := make(chan bool, 1), make(chan string)
	go func() { ended <- serves(ctx, started) }()
	stop()
	<-started
	equal(t, <-ended, "stopped")
}

// A signal has no gate.
func TestInterruptedService(t *testing.T) {
	started, ended := make(chan bool, 1), make(chan string)
	go func() { ended <- serves(context.Background(), started) }()
	<-started
	if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	equal(t, <-ended, "interrupted")
}

// There are many more objects than goroutines.
func TestManyCounters(*testing.T) {
	var counters [4000]atomic.Int32
	done := make(chan bool)
	go func() { done <- true }()
	for i := range counters {
		counters[i].Store(1)
	}
	<-done
}
