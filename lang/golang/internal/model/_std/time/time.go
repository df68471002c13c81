// Package time is what cdpor explores in place of Go's. A timer fires at some moment after it is armed, whichever moment
// that is, unless it is stopped before. Then it is as late as the timer says, if it was not later yet, and so it is
// after a sleep.
package time

func enter()
func enterAt(due int64) // enter of a step that stands for the passing of time, to that
func leave()
func bound(b bool, what string) // unless b holds, the execution is cut: a bound is hit
func ticks() int                // how often a ticker ticks

type Duration int64

const (
	Nanosecond  Duration = 1
	Microsecond          = 1000 * Nanosecond
	Millisecond          = 1000 * Microsecond
	Second               = 1000 * Millisecond
	Minute               = 60 * Second
	Hour                 = 60 * Minute
)

func (d Duration) Nanoseconds() int64  { return int64(d) }
func (d Duration) Microseconds() int64 { return int64(d) / 1000 }
func (d Duration) Milliseconds() int64 { return int64(d) / 1000000 }
func (d Duration) String() string      { return "duration" }

type Month int

type Weekday int

type Location struct{ name string }

var UTC = &Location{"UTC"}

var Local = &Location{"Local"}

const (
	RFC3339     = "2006-01-02T15:04:05Z07:00"
	RFC3339Nano = "2006-01-02T15:04:05.999999999Z07:00"
)

// clock is how late it is: a number of nanoseconds.
var clock int64 = 1

// now is how late it is. It and pass are entered only if the program compares times; else the clock stands still at 1.
func now() int64 {
	enter()
	t := clock
	leave()
	return t
}

// pass makes it as late as that, if it is not later yet.
func pass(until int64) {
	enterAt(until)
	if clock < until {
		clock = until
	}
	leave()
}

type Time struct{ ns int64 }

func Now() Time                            { return Time{now()} }
func Unix(sec, nsec int64) Time            { return Time{sec*1000000000 + nsec} }
func Since(t Time) Duration                { return Duration(now() - t.ns) }
func Until(t Time) Duration                { return Duration(t.ns - now()) }
func (t Time) Add(d Duration) Time         { return Time{t.ns + int64(d)} }
func (t Time) Sub(u Time) Duration         { return Duration(t.ns - u.ns) }
func (t Time) After(u Time) bool           { return t.ns > u.ns }
func (t Time) Before(u Time) bool          { return t.ns < u.ns }
func (t Time) Equal(u Time) bool           { return t.ns == u.ns }
func (t Time) Compare(u Time) int          { return int(t.ns - u.ns) }
func (t Time) IsZero() bool                { return t.ns == 0 }
func (t Time) Unix() int64                 { return t.ns / 1000000000 }
func (t Time) UnixNano() int64             { return t.ns }
func (t Time) UnixMilli() int64            { return t.ns / 1000000 }
func (t Time) UTC() Time                   { return t }
func (t Time) Local() Time                 { return t }
func (t Time) String() string              { return "time" }
func (t Time) Format(layout string) string { return "time" }

func Sleep(d Duration) {
	if d > 0 {
		wake(now() + int64(d))
	}
}

// wake is the end of a sleep.
func wake(until int64) { pass(until) }

// Pass is the end of a deadline of package context, and none of Go's.
func Pass(until int64) { pass(until) }

// A Timer is armed by each generation of its goroutine; a generation that is not the last one does nothing.
type Timer struct {
	C          <-chan Time
	c          chan Time
	f          func()
	generation int
	armed      bool
}

// timer is the goroutine of a timer.
func timer(t *Timer, generation int, due int64) {
	enterAt(due)
	fires := t.armed && t.generation == generation
	if fires {
		t.armed = false
		pass(due)
		if t.f == nil {
			select {
			case t.c <- Time{now()}:
			default:
			}
		}
	}
	leave()
	if fires && t.f != nil {
		t.f()
	}
}

func NewTimer(d Duration) *Timer {
	c := make(chan Time, 1)
	t := &Timer{C: c, c: c, armed: true}
	go timer(t, 0, now()+int64(d))
	return t
}

func AfterFunc(d Duration, f func()) *Timer {
	t := &Timer{f: f, armed: true}
	go timer(t, 0, now()+int64(d))
	return t
}

func After(d Duration) <-chan Time { return NewTimer(d).C }

// Stop also takes away what has been sent and not received, as since Go 1.23.
func (t *Timer) Stop() bool {
	enter()
	was := t.armed
	t.armed = false
	was = t.drain() || was
	leave()
	return was
}

// drain takes away what nobody has received, and reports whether there was something: then the timer counts as not
// expired.
func (t *Timer) drain() bool {
	if t.f == nil {
		select {
		case <-t.c:
			return true
		default:
		}
	}
	return false
}

func (t *Timer) Reset(d Duration) bool {
	due := now() + int64(d)
	enter()
	was := t.armed
	t.armed = true
	t.generation++
	g := t.generation
	was = t.drain() || was
	leave()
	go timer(t, g, due)
	return was
}

type Ticker struct {
	C          <-chan Time
	c          chan Time
	generation int
	armed      bool
}

// ticker is the goroutine of a ticker.
func ticker(t *Ticker, generation int, due, period int64) {
	for i := 0; ; i++ {
		enterAt(due)
		on := t.armed && t.generation == generation
		if on && i < ticks() {
			pass(due)
			select {
			case t.c <- Time{now()}:
			default:
			}
		}
		leave()
		if !on {
			return
		}
		bound(i < ticks(), "ticks of a ticker")
		due += period
	}
}

func NewTicker(d Duration) *Ticker {
	c := make(chan Time, 1)
	t := &Ticker{C: c, c: c, armed: true}
	go ticker(t, 0, now()+int64(d), int64(d))
	return t
}

func Tick(d Duration) <-chan Time { return NewTicker(d).C }

func (t *Ticker) Stop() {
	enter()
	t.armed = false
	leave()
}

func (t *Ticker) Reset(d Duration) {
	due := now() + int64(d)
	enter()
	t.armed = true
	t.generation++
	g := t.generation
	leave()
	go ticker(t, g, due, int64(d))
}
