// Package sendaftercancel: the consumer leaves when the context is cancelled, and the producer waits to send for good.
package sendaftercancel

import (
	"context"
	"testing"
)

func produce(ctx context.Context, out chan<- int) {
	for i := 0; i < 3; i++ {
		if ctx.Err() != nil {
			return
		}
		out <- i
	}
}

func consume(ctx context.Context, in <-chan int) (sum int) {
	for {
		select {
		case v := <-in:
			sum += v
		case <-ctx.Done():
			return sum
		}
	}
}

func TestBug(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	items := make(chan int)
	go produce(ctx, items)
	go cancel()
	consume(ctx, items)
}

func produceOrStop(ctx context.Context, out chan<- int) {
	for i := 0; i < 3; i++ {
		select {
		case out <- i:
		case <-ctx.Done():
			return
		}
	}
}

func TestFixed(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	items := make(chan int)
	go produceOrStop(ctx, items)
	go cancel()
	consume(ctx, items)
}
