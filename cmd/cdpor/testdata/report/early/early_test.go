package early

import (
	"sync"
	"testing"
	"time"
)

func TestEarly(t *testing.T) {
	var work sync.WaitGroup
	work.Add(2)
	for range 2 {
		go work.Done()
	}
	done := make(chan bool)
	go func() {
		work.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Second):
		t.Fatal("the work takes too long")
	}
}
