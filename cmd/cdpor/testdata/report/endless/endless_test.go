package endless

import (
	"encoding/json"
	"sync/atomic"
	"testing"
)

// TestSpin waits by going round for what the goroutine sets only if it is first.
func TestSpin(t *testing.T) {
	var ready, late atomic.Bool
	go func() {
		if !late.Load() {
			ready.Store(true)
		}
	}()
	late.Store(true)
	for !ready.Load() {
	}
}

// TestRefused cannot be read.
func TestRefused(t *testing.T) {
	done := make(chan []byte)
	go func() {
		text, _ := json.Marshal(1)
		done <- text
	}()
	if string(<-done) != "2" {
		t.Error("not two")
	}
}
