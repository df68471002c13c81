//go:build go1.23

package cdporgate

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"time"
)

// Timers fire when the schedule says so. They are Go's own, armed for a time that does not come.

// long is such a time, each shorter than the one before: a deadline behind another one would have no timer.
//
//go:norace
func long() time.Duration {
	raceOff()
	mu.Lock()
	ago -= time.Minute
	d := ago
	mu.Unlock()
	raceOn()
	return d
}

var ago = 10000 * time.Hour

// armed says what lets the timer fire that is armed behind a gate.
//
//go:norace
func armed(s *Started, fire func()) {
	raceOff()
	mu.Lock()
	s.g.fire = fire
	mu.Unlock()
	raceOn()
}

// fires lets a timer fire that has not been stopped.
func fires(t *time.Timer) func() {
	return func() {
		if t.Stop() {
			t.Reset(0)
		}
	}
}

// Sleep takes no time.
func Sleep(at string, d time.Duration) { runtime.Gosched() }

func After(at string, d time.Duration) <-chan time.Time { return NewTimer(at, d).C }

func NewTimer(at string, d time.Duration) *time.Timer {
	s := Go(at)
	t := time.NewTimer(long())
	armed(s, fires(t))
	return t
}

func AfterFunc(at string, d time.Duration, f func()) *time.Timer {
	s := Go(at)
	t := time.AfterFunc(long(), func() {
		defer s.Begin()()
		f()
	})
	armed(s, fires(t))
	return t
}

// Reset is Reset of a timer. What an AfterFunc calls then keeps the name that it had.
func Reset(at string, t *time.Timer, d time.Duration) bool {
	s := Go(at)
	was := t.Reset(long())
	armed(s, fires(t))
	return was
}

// A ticker of which the schedule says when it ticks has a channel of its own.
type ticker struct {
	*time.Ticker
	c    chan time.Time
	on   *Started // nil: stopped
	rest *ticker
}

var tickers *ticker

//go:norace
func NewTicker(at string, d time.Duration) *time.Ticker {
	s := Go(at)
	k := &ticker{Ticker: time.NewTicker(long()), c: make(chan time.Time, 1), on: s}
	k.C = k.c
	raceOff()
	mu.Lock()
	k.rest = tickers
	tickers = k
	mu.Unlock()
	raceOn()
	armed(s, func() { k.tick(s) })
	return k.Ticker
}

func Tick(at string, d time.Duration) <-chan time.Time { return NewTicker(at, d).C }

//go:norace
func (k *ticker) tick(s *Started) {
	if k.on == s {
		select {
		case k.c <- time.Now():
		default:
		}
	}
}

// turn turns a ticker on or off; the result is nil for one that no gate has made.
//
//go:norace
func turn(t *time.Ticker, on *Started) *ticker {
	raceOff()
	defer raceOn()
	mu.Lock()
	defer mu.Unlock()
	for k := tickers; k != nil; k = k.rest {
		if k.Ticker == t {
			k.on = on
			return k
		}
	}
	return nil
}

// StopTicker is Stop of a ticker.
func StopTicker(t *time.Ticker) func() {
	return func() {
		turn(t, nil)
		t.Stop()
	}
}

// ResetTicker is Reset of a ticker.
func ResetTicker(at string, t *time.Ticker, d time.Duration) {
	s := Go(at)
	if k := turn(t, s); k != nil {
		armed(s, func() { k.tick(s) })
	}
}

func WithTimeout(at string, parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return WithDeadline(at, parent, time.Now().Add(d))
}

func WithDeadline(at string, parent context.Context, d time.Time) (context.Context, context.CancelFunc) {
	s := Go(at)
	ctx, cancel := context.WithDeadline(parent, time.Now().Add(long()))
	if v := reflect.ValueOf(ctx).Elem().FieldByName("timer"); v.IsValid() && !v.IsNil() {
		armed(s, fires((*time.Timer)(v.UnsafePointer())))
	}
	return ctx, cancel
}

// Random is the random number that the schedule has, and behind its end any one.
func Random[N int | int32 | int64](at string, f func(N) N, n N) N {
	if k := chosen(at); k >= 0 {
		return N(k)
	}
	return f(n)
}

// RangeMap is a range over a map in the order of the schedule.
func RangeMap[K cmp.Ordered, V any](at string, m map[K]V) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		left := slices.Sorted(maps.Keys(m))
		for len(left) > 0 {
			n := max(chosen(at), 0)
			k := left[n]
			left = slices.Delete(left, n, n+1)
			if v, ok := m[k]; ok && !yield(k, v) {
				return
			}
		}
	}
}

//go:norace
func chosen(at string) int {
	raceOff()
	mu.Lock()
	k := -1
	if g := current(); g != nil && !free && g.proc >= 0 {
		if i := g.upcoming(); i >= 0 && entries[i].at == at {
			k = entries[i].number
		}
	}
	mu.Unlock()
	arrive(at)
	raceOn()
	return k
}
