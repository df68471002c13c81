// Package lostupdate: a counter is incremented without a lock.
package lostupdate

import (
	"sync"
	"testing"
)

var hits int

func TestBug(t *testing.T) {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { hits++ })
	}
	wg.Wait()
	if hits != 2 {
		t.Fatal("an update is lost")
	}
}

func TestFixed(t *testing.T) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range 2 {
		wg.Go(func() {
			mu.Lock()
			hits++
			mu.Unlock()
		})
	}
	wg.Wait()
	if hits != 2 {
		t.Fatal("an update is lost")
	}
}
