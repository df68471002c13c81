// Package stoppedticker: Stop does not close the channel, so a range over it never ends.
package stoppedticker

import (
	"testing"
	"time"
)

func TestBug(t *testing.T) {
	ticker := time.NewTicker(time.Second)
	done := make(chan struct{})
	go func() {
		for range ticker.C {
		}
		close(done)
	}()
	ticker.Stop()
	<-done
}

func TestFixed(t *testing.T) {
	ticker := time.NewTicker(time.Second)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-ticker.C:
			case <-stop:
				return
			}
		}
	}()
	ticker.Stop()
	close(stop)
	<-done
}
