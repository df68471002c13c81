package ticker

import (
	"testing"
	"time"
)

// TestFull leaves a goroutine behind that fills a bucket which is full.
func TestFull(t *testing.T) {
	tokens, stop := make(chan bool, 1), make(chan bool)
	tokens <- true
	go func() {
		tick := time.NewTicker(time.Second)
		for {
			select {
			case <-tick.C:
				tokens <- true
			case <-stop:
				return
			}
		}
	}()
	close(stop)
}

// TestEmpty is right.
func TestEmpty(t *testing.T) {
	done := make(chan bool)
	go close(done)
	<-done
}
