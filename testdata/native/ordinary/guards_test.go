package ordinary

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A timer that is there in case the test hangs, and what others do when it has fired early.
func TestGuardedLog(t *testing.T) {
	done := make(chan bool)
	go func() {
		t.Log("working")
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Second):
		t.Fatal("it hangs")
	}
}

// The test panics only where a timer fires early.
func TestGuardedPanic(t *testing.T) {
	done := make(chan int, 1)
	go func() { done <- 1 }()
	select {
	case <-done:
	case <-time.After(time.Second):
		panic("it hangs")
	}
}

// Random numbers that are seeded by the clock, or by nothing, while the library fills its caches.
func TestSeededByClock(t *testing.T) {
	r := rand.New(rand.NewSource(time.Now().UnixNano()))
	time.Sleep(time.Millisecond)
	text, err := json.Marshal(map[string]int{fmt.Sprint(r.Intn(100)): r.Intn(100)})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 2 + rand.Intn(2) {
		if r.Intn(2)+rand.Intn(2)+len(text)%2 > 1 {
			mu.Lock()
			mu.Unlock()
		}
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
		})
	}
	wg.Wait()
}

// The test polls, and goes on for ever where it always goes on first.
func TestPollsFirst(t *testing.T) {
	var ready atomic.Bool
	go func() { ready.Store(true) }()
	for !ready.Load() {
		runtime.Gosched()
	}
}
