// Package pubsub: a subscriber unsubscribes, and its channel is closed, while an event is on its way to it.
package pubsub

import (
	"sync"
	"testing"
)

type broker struct {
	mu   sync.Mutex
	subs map[int]chan int
	next int
}

func (b *broker) subscribe() (int, chan int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next++
	c := make(chan int, 1)
	b.subs[b.next] = c
	return b.next, c
}

func (b *broker) unsubscribe(id int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c, ok := b.subs[id]; ok {
		delete(b.subs, id)
		close(c)
	}
}

func (b *broker) publish(v int) {
	b.mu.Lock()
	var list []chan int
	for _, c := range b.subs {
		list = append(list, c)
	}
	b.mu.Unlock()
	for _, c := range list {
		c <- v
	}
}

func (b *broker) publishLocked(v int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.subs {
		select {
		case c <- v:
		default:
		}
	}
}

func run(publish func(b *broker, v int)) {
	b := &broker{subs: map[int]chan int{}}
	id, c := b.subscribe()
	done := make(chan struct{})
	go func() {
		publish(b, 1)
		close(done)
	}()
	b.unsubscribe(id)
	for range c {
	}
	<-done
}

func TestBug(t *testing.T) { run((*broker).publish) }

func TestFixed(t *testing.T) { run((*broker).publishLocked) }
