// Package limits holds limits of time and memory, and interrupts, against searches: limits.go.
package limits

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"cdpor/cmd/cdpor/internal/memory"
	"cdpor/explore"
)

// Limits of time and memory, and interrupts. They end the context of a search, which then stops when the execution
// under way is over and can be saved. An execution that takes too long for that is given up.

// grace is for how long an execution may go on when the search should end.
const grace = 300 * time.Millisecond

// wrapUp is for how long schedules are made simpler when the search has ended because it should.
const wrapUp = 200 * time.Millisecond

// memoryPeriod is the interval at which the memory that has been taken is looked at.
const memoryPeriod = 2 * time.Millisecond

// A memoryLimit ends a search with --max-memory.
type memoryLimit struct {
	memory.Size
	end    context.CancelCauseFunc
	looked atomic.Int64 // when memory has been looked at last, in nanoseconds of some clock
}

func (l *memoryLimit) Error() string { return fmt.Sprintf("--max-memory %v", l.Size) }
func (l *memoryLimit) Unwrap() error { return explore.ErrMemory }

// What is left of the memory, as parts of it: when the garbage collector begins to work without pause, and when the
// search should end. When nothing is left the execution under way is given up.
const (
	collectAt = 6
	endAt     = 16
)

func (l *memoryLimit) without(part int) int64 { return int64(l.Size) - int64(l.Size)/int64(part) }

// look ends the search when there is little memory left, and reports whether there are not so many bytes.
func (l *memoryLimit) look(bytes int64) (exhausted bool) {
	taken := memory.Taken()
	exhausted = taken+bytes > int64(l.Size)
	if exhausted || taken > l.without(endAt) {
		l.end(l)
	}
	return exhausted
}

type memoryLimitKey struct{}

// WithMemory is a context that ends when the process has nearly taken so much memory, the solver included; zero means
// no limit. The garbage collector works harder before that.
func WithMemory(ctx context.Context, limit memory.Size) (context.Context, context.CancelFunc) {
	limited, end := context.WithCancelCause(ctx)
	if limit == 0 {
		return limited, func() { end(nil) }
	}
	l := &memoryLimit{Size: limit, end: end}
	before := debug.SetMemoryLimit(l.without(collectAt))
	go func() {
		tick := time.NewTicker(memoryPeriod)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				l.look(0)
			case <-limited.Done():
				return
			}
		}
	}()
	return context.WithValue(limited, memoryLimitKey{}, l), func() {
		end(nil)
		debug.SetMemoryLimit(before)
	}
}

// GivingUp is when searches under a context give up the execution under way (explore.Options): some time after the
// context has ended, or when there is no memory left.
func GivingUp(ctx context.Context) func(bytes int64) bool {
	var late atomic.Bool
	context.AfterFunc(ctx, func() { time.AfterFunc(grace, func() { late.Store(true) }) })
	l, _ := ctx.Value(memoryLimitKey{}).(*memoryLimit)
	begun := time.Now()
	return func(bytes int64) bool {
		if late.Load() {
			return true
		}
		if l == nil {
			return false
		}
		now := int64(time.Since(begun))
		if bytes == 0 && now-l.looked.Load() < int64(memoryPeriod/4) {
			return false
		}
		l.looked.Store(now)
		return l.look(bytes)
	}
}

// Patience is a context that ends some time after another one has, counted from now if that was earlier.
func Patience(ctx context.Context) (context.Context, context.CancelFunc) {
	patient, end := context.WithCancel(context.Background())
	context.AfterFunc(ctx, func() { time.AfterFunc(wrapUp, end) })
	return patient, end
}
