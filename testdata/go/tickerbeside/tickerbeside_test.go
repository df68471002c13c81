// Package tickerbeside: two goroutines wait for each other while a third one goes on with a ticker.
package tickerbeside

import (
	"sync"
	"testing"
	"time"
)

func poll(stop <-chan struct{}) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-stop:
			return
		}
	}
}

func run(second func(a, b *sync.Mutex)) {
	stop := make(chan struct{})
	go poll(stop)
	var a, b sync.Mutex
	done := make(chan struct{})
	go func() {
		a.Lock()
		b.Lock()
		b.Unlock()
		a.Unlock()
		close(done)
	}()
	second(&a, &b)
	<-done
	close(stop)
}

func TestBug(t *testing.T) {
	run(func(a, b *sync.Mutex) {
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
	})
}

func TestFixed(t *testing.T) {
	run(func(a, b *sync.Mutex) {
		a.Lock()
		b.Lock()
		b.Unlock()
		a.Unlock()
	})
}
