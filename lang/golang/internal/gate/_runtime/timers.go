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
func fires(t *time.Timer) func() { return func() { fire(t) } }

// fire waits until the timer has fired: a goroutine that it wakes could be taken for one at rest before.
//
//go:norace
func fire(t *time.Timer) {
	if !t.Stop() {
		return
	}
	if c := channelOf(t); c != nil {
		c.tick()
		return
	}
	t.Reset(0)
	for n := 1; t.C == nil; n++ {
		time.Sleep(time.Duration(n) * 50 * time.Microsecond)
		if !t.Stop() {
			return
		}
		t.Reset(0)
	}
}

// A channel belongs to a timer or a ticker. The schedule says when it sends.
type channel struct {
	of   any            // a *time.Timer or a *time.Ticker
	c    chan time.Time // the program reads it in place of Go's own
	on   *Started       // what has armed a ticker; nil: stopped
	rest *channel
}

var channels *channel

// channelOf is the channel of a timer or a ticker; nil for one that no gate has made.
//
//go:norace
func channelOf(clock any) *channel {
	for k := channels; k != nil; k = k.rest {
		if k.of == clock {
			return k
		}
	}
	return nil
}

// newChannel is the channel of a timer or a ticker. It has room for one value; Stop and Reset take that away.
//
//go:norace
func newChannel(clock any) *channel {
	k := &channel{of: clock, c: make(chan time.Time, 1)}
	raceOff()
	mu.Lock()
	k.rest = channels
	channels = k
	mu.Unlock()
	raceOn()
	raceRelease(k)
	return k
}

// tick sends, if there is room, behind what armed the timer.
func (k *channel) tick() {
	done := make(chan struct{})
	go func() {
		raceAcquire(k)
		select {
		case k.c <- time.Now():
		default:
		}
		raceOff()
		close(done)
		raceOn()
	}()
	<-done
}

// drain removes the value that was not received, and reports whether there was one. The channel may be nil.
func (k *channel) drain() bool {
	if k != nil {
		select {
		case <-k.c:
			return true
		default:
		}
	}
	return false
}

// Sleep takes no time.
func Sleep(at string, d time.Duration) { runtime.Gosched() }

func After(at string, d time.Duration) <-chan time.Time { return NewTimer(at, d).C }

func NewTimer(at string, d time.Duration) *time.Timer {
	s := Go(at)
	t := time.NewTimer(long())
	t.C = newChannel(t).c
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
	if k := locked(t); k != nil {
		was = k.drain() || was
		raceRelease(k)
	}
	armed(s, fires(t))
	return was
}

// StopTimer is Stop of a timer.
func StopTimer(t *time.Timer) func() bool {
	return func() bool {
		was := t.Stop()
		return locked(t).drain() || was
	}
}

// locked is channelOf for the program.
//
//go:norace
func locked(clock any) *channel {
	raceOff()
	mu.Lock()
	k := channelOf(clock)
	mu.Unlock()
	raceOn()
	return k
}

func NewTicker(at string, d time.Duration) *time.Ticker {
	s := Go(at)
	t := time.NewTicker(long())
	k := newChannel(t)
	t.C = k.c
	k.arm(s)
	return t
}

func Tick(at string, d time.Duration) <-chan time.Time { return NewTicker(at, d).C }

// arm lets a ticker tick when the schedule says so, until something else arms it, or it is stopped.
//
//go:norace
func (k *channel) arm(s *Started) {
	raceRelease(k)
	k.turn(s)
	armed(s, func() {
		if k.on == s {
			k.tick()
		}
	})
}

//go:norace
func (k *channel) turn(on *Started) {
	raceOff()
	mu.Lock()
	k.on = on
	mu.Unlock()
	raceOn()
}

// StopTicker is Stop of a ticker.
func StopTicker(t *time.Ticker) func() {
	return func() {
		if k := locked(t); k != nil {
			k.turn(nil)
		}
		t.Stop()
	}
}

// ResetTicker is Reset of a ticker.
func ResetTicker(at string, t *time.Ticker, d time.Duration) {
	s := Go(at)
	if k := locked(t); k != nil {
		k.arm(s)
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
