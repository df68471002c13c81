// Package watchdog: who registers late misses the notification, and a watchdog of the test would say so after a second.
package watchdog

import (
	"sync"
	"testing"
	"time"
)

type notifier struct {
	mu   sync.Mutex
	told []chan string
}

func (n *notifier) register() <-chan string {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := make(chan string, 1)
	n.told = append(n.told, c)
	return c
}

func (n *notifier) notify(event string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.told {
		c <- event
	}
}

func wait(t *testing.T, c <-chan string) {
	select {
	case <-c:
	case <-time.After(time.Second):
		t.Fatal("no notification")
	}
}

func TestBug(t *testing.T) {
	n := &notifier{}
	go n.notify("start")
	wait(t, n.register())
}

func TestFixed(t *testing.T) {
	n := &notifier{}
	c := n.register()
	go n.notify("start")
	wait(t, c)
}
