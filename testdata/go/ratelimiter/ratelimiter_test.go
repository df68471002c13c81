// Package ratelimiter: a token that is taken is not given back when the work fails.
package ratelimiter

import (
	"errors"
	"sync"
	"testing"
)

type limiter struct{ tokens chan struct{} }

func newLimiter(n int) *limiter { return &limiter{make(chan struct{}, n)} }

func (l *limiter) acquire() { l.tokens <- struct{}{} }
func (l *limiter) release() { <-l.tokens }

var errFailed = errors.New("failed")

func work(fails bool) error {
	if fails {
		return errFailed
	}
	return nil
}

func (l *limiter) do(fails bool) error {
	l.acquire()
	if err := work(fails); err != nil {
		return err
	}
	l.release()
	return nil
}

func (l *limiter) doAndRelease(fails bool) error {
	l.acquire()
	defer l.release()
	return work(fails)
}

func run(do func(l *limiter, fails bool) error) {
	l := newLimiter(1)
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			do(l, i == 0)
		}()
	}
	wg.Wait()
}

func TestBug(t *testing.T) { run((*limiter).do) }

func TestFixed(t *testing.T) { run((*limiter).doAndRelease) }
