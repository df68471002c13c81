package native

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"cdpor/explore/dpor"
	"cdpor/lang/golang/native"
)

// TestSignals: a test may ask for signals, and when one is sent to it that is refused by name, as is waiting for the
// network.
func TestSignals(t *testing.T) {
	test := built(t, "ordinary")
	r := explored(t, test, "TestStoppedService", Options{Algorithm: dpor.SourceAlgorithm})
	if r.Stopped != "" || r.Unlike != "" || r.Executions == 0 {
		t.Errorf("%+v", r)
	}
	for name, want := range map[string]string{"TestInterruptedService": "the test is sent a signal",
		"TestLoopback": "network_test.go:23, which is not under control"} {
		p := native.Start(test, name)
		defer p.Close()
		began := time.Now()
		_, err := Search(t.Context(), p, Options{Algorithm: dpor.SourceAlgorithm, Events: 1000})
		if err == nil || !strings.Contains(err.Error(), want) || time.Since(began) > 20*time.Second {
			t.Errorf("%s: %v after %v", name, err, time.Since(began))
		}
	}
}

// TestManyObjects: the memory that an execution with thousands of objects takes does not grow with their square.
func TestManyObjects(t *testing.T) {
	test := built(t, "ordinary")
	var before, behind runtime.MemStats
	runtime.ReadMemStats(&before)
	r := explored(t, test, "TestManyCounters", Options{Algorithm: dpor.SourceAlgorithm, Events: 10_000, Executions: 1})
	if runtime.ReadMemStats(&behind); r.Runs == 0 || len(r.Findings) > 0 {
		t.Errorf("%+v", r)
	}
	if bytes := (behind.TotalAlloc - before.TotalAlloc) / uint64(r.Runs); bytes > 100<<20 {
		t.Errorf("%d bytes a run", bytes)
	}
}
