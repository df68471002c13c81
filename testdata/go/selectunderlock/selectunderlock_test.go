// Package selectunderlock: an event is sent while a lock is held that the receiver needs before it receives.
package selectunderlock

import (
	"sync"
	"testing"
)

type hub struct {
	mu     sync.Mutex
	events chan int
	quit   chan struct{}
	seen   int
}

func (h *hub) publish(e int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case h.events <- e:
	case <-h.quit:
	}
}

func (h *hub) publishOrDrop(e int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case h.events <- e:
	default:
	}
}

func (h *hub) loop() {
	for {
		select {
		case e := <-h.events:
			h.mu.Lock()
			h.seen += e
			h.mu.Unlock()
		case <-h.quit:
			return
		}
	}
}

func run(publish func(h *hub, e int)) {
	h := &hub{events: make(chan int), quit: make(chan struct{})}
	done := make(chan struct{})
	go func() {
		h.loop()
		close(done)
	}()
	for e := range 2 {
		publish(h, e)
	}
	close(h.quit)
	<-done
}

func TestBug(t *testing.T) { run((*hub).publish) }

func TestFixed(t *testing.T) { run((*hub).publishOrDrop) }
