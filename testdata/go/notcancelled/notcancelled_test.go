// Package notcancelled: a producer looks whether it is cancelled before it sends, not while it waits to send.
package notcancelled

import (
	"context"
	"testing"
)

func numbers(ctx context.Context) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for i := 0; ; i++ {
			select {
			case <-ctx.Done():
				return
			default:
			}
			out <- i
		}
	}()
	return out
}

func numbersFixed(ctx context.Context) <-chan int {
	out := make(chan int, 1)
	go func() {
		defer close(out)
		for i := 0; ; i++ {
			select {
			case <-ctx.Done():
				return
			case out <- i:
			}
		}
	}()
	return out
}

func TestBug(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	<-numbers(ctx)
}

func TestFixed(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c := numbersFixed(ctx)
	<-c
	cancel()
}
