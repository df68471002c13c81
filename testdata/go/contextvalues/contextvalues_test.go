// Package contextvalues: the worker waits for a parent context that nobody cancels.
package contextvalues

import (
	"context"
	"testing"
)

type nameKey struct{}

func worker(ctx context.Context, started chan<- string) {
	name, _ := ctx.Value(nameKey{}).(string)
	started <- name
	<-ctx.Done()
}

func run(use func(parent, child context.Context) context.Context) {
	parent := context.WithValue(context.Background(), nameKey{}, "worker")
	child, cancel := context.WithCancel(parent)
	started := make(chan string)
	go worker(use(parent, child), started)
	<-started
	cancel()
}

func TestBug(t *testing.T) {
	parent, cancel := context.WithCancel(context.Background())
	_ = cancel
	run(func(_, child context.Context) context.Context {
		ctx, stop := context.WithCancel(parent)
		_ = stop
		return ctx
	})
}

func TestFixed(t *testing.T) {
	run(func(_, child context.Context) context.Context {
		ctx, stop := context.WithCancel(child)
		_ = stop
		return ctx
	})
}
