// Package time stands in for Go's. A timer fires at some moment after it is armed, whichever moment
// that is, unless it is stopped before; of two that are armed, the one that is due first. Then it is as late as the
// timer says, if it was not later yet, and so it is after a sleep. Each look at the clock is a nanosecond later.
package time

func enter()
func enterAt(due int64) // enter of a step that stands for the passing of time: once no alarm or sleep is due before
func leave()
func doze(due int64)            // this goroutine sleeps until then; 0: it does not
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

// clock is how late it is: a number of nanoseconds since the program began, on 1 January 2026.
var clock int64 = 1

const (
	begin  = 1767225600 * 1000000000
	offset = 1 << 61 // of Time.ns
)

// look reads the clock. It is entered only if the program compares times; else it is always 1.
func look() int64 {
	enter()
	clock++
	t := clock
	leave()
	return t
}

// An Alarm says when a timer, or a deadline of package context, is due, 0 if it is not armed. The functions that arm
// and end them, and sleep, are entered only if their order matters; else they do nothing.
type Alarm struct{ due int64 }

func Arm(a *Alarm, d int64) (due int64) {
	enter()
	due = clock + max(d, 0)
	a.due = due
	leave()
	return due
}

func Disarm(a *Alarm) {
	enter()
	a.due = 0
	leave()
}

// Ring makes it as late as an alarm is due that has come to its turn.
func Ring(a *Alarm, due int64) {
	enter()
	if a.due == due {
		a.due = 0
	}
	if clock < due {
		clock = due
	}
	leave()
}

func sleep(d int64) {
	enter()
	due := clock + d
	doze(due)
	leave()
	enterAt(due)
	doze(0)
	if clock < due {
		clock = due
	}
	leave()
}

// A Time is a number of nanoseconds since 1970, and offset, which no time has but the zero one of the year 1.
type Time struct{ ns int64 }

const secondsBefore = 62135596800 // from the year 1 to 1970

func at(clock int64) Time { return Time{offset + begin + clock} }

func Now() Time                    { return at(look()) }
func Unix(sec, nsec int64) Time    { return Time{offset + sec*1000000000 + nsec} }
func UnixMilli(msec int64) Time    { return Time{offset + msec*1000000} }
func UnixMicro(usec int64) Time    { return Time{offset + usec*1000} }
func Since(t Time) Duration        { return Now().Sub(t) }
func Until(t Time) Duration        { return t.Sub(Now()) }
func (t Time) Add(d Duration) Time { return Time{t.ns + int64(d)} }
func (t Time) After(u Time) bool   { return t.ns > u.ns }
func (t Time) Before(u Time) bool  { return t.ns < u.ns }
func (t Time) Equal(u Time) bool   { return t.ns == u.ns }
func (t Time) IsZero() bool        { return t.ns == 0 }
func (t Time) UnixNano() int64     { return t.ns - offset }
func (t Time) Unix() int64         { return t.count(1000000000, -secondsBefore) }
func (t Time) UnixMilli() int64    { return t.count(1000000, -secondsBefore*1000) }
func (t Time) UnixMicro() int64    { return t.count(1000, -secondsBefore*1000000) }

func (t Time) UTC() Time                   { return t }
func (t Time) Local() Time                 { return t }
func (t Time) String() string              { return "time" }
func (t Time) Format(layout string) string { return "time" }

// count is how many units have passed since 1970; zero is the answer for the zero time.
func (t Time) count(unit, zero int64) int64 {
	if t.ns == 0 {
		return zero
	}
	n, rest := (t.ns-offset)/unit, (t.ns-offset)%unit
	if rest < 0 {
		n--
	}
	return n
}

// Sub is the longest duration if one of them is the zero time.
func (t Time) Sub(u Time) Duration {
	switch {
	case t.ns == u.ns:
		return 0
	case u.ns == 0:
		return 1<<63 - 1
	case t.ns == 0:
		return -1 << 63
	}
	return Duration(t.ns - u.ns)
}

func (t Time) Compare(u Time) int {
	switch {
	case t.ns < u.ns:
		return -1
	case t.ns > u.ns:
		return 1
	}
	return 0
}

// ArmAt arms an alarm for a time, and ArmedFor is the time that it is armed for.
func ArmAt(a *Alarm, t Time) (due int64) {
	enter()
	due = t.ns - offset - begin
	a.due = due
	leave()
	return due
}

func ArmedFor(due int64) Time { return at(due) }

func Sleep(d Duration) {
	if d > 0 {
		sleep(int64(d))
	}
}

// A Timer is armed by each generation of its goroutine; a generation that is not the last one does nothing.
type Timer struct {
	C          <-chan Time
	c          chan Time
	f          func()
	alarm      *Alarm
	generation int
	armed      bool
}

// timer is the goroutine of a timer.
func timer(t *Timer, generation int, due int64) {
	enterAt(due)
	fires := t.armed && t.generation == generation
	if fires {
		t.armed = false
		Ring(t.alarm, due)
		if t.f == nil {
			select {
			case t.c <- at(due):
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
	return start(&Timer{C: c, c: c, alarm: &Alarm{}, armed: true}, d)
}

func AfterFunc(d Duration, f func()) *Timer {
	return start(&Timer{f: f, alarm: &Alarm{}, armed: true}, d)
}

func start(t *Timer, d Duration) *Timer {
	enter()
	go timer(t, 0, Arm(t.alarm, int64(d)))
	leave()
	return t
}

func After(d Duration) <-chan Time { return NewTimer(d).C }

// Stop also takes away what has been sent and not received, as since Go 1.23.
func (t *Timer) Stop() bool {
	enter()
	was := t.armed
	t.armed = false
	Disarm(t.alarm)
	was = t.drain() || was
	leave()
	return was
}

// drain removes the value that was not received, and reports whether there was one: then the timer counts as not
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
	enter()
	was := t.armed
	t.armed = true
	t.generation++
	was = t.drain() || was
	go timer(t, t.generation, Arm(t.alarm, int64(d)))
	leave()
	return was
}

type Ticker struct {
	C          <-chan Time
	c          chan Time
	alarm      *Alarm
	generation int
	armed      bool
}

// ticker is the goroutine of a ticker. Behind its last tick nothing waits for it.
func ticker(t *Ticker, generation int, due, period int64) {
	for i := 0; ; i++ {
		enterAt(due)
		on := t.armed && t.generation == generation
		if on && i < ticks() {
			Ring(t.alarm, due)
			if i+1 < ticks() {
				Again(t.alarm, due+period)
			}
			select {
			case t.c <- at(due):
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

// Again arms the alarm of a ticker for the next tick.
func Again(a *Alarm, due int64) { a.due = due }

func NewTicker(d Duration) *Ticker {
	if d <= 0 {
		panic("non-positive interval for NewTicker")
	}
	c := make(chan Time, 1)
	t := &Ticker{C: c, c: c, alarm: &Alarm{}, armed: true}
	t.start(d)
	return t
}

func (t *Ticker) start(d Duration) {
	enter()
	go ticker(t, t.generation, Arm(t.alarm, int64(d)), int64(d))
	leave()
}

func Tick(d Duration) <-chan Time { return NewTicker(d).C }

func (t *Ticker) Stop() {
	enter()
	t.armed = false
	Disarm(t.alarm)
	leave()
}

func (t *Ticker) Reset(d Duration) {
	if d <= 0 {
		panic("non-positive interval for Ticker.Reset")
	}
	enter()
	t.armed = true
	t.generation++
	t.start(d)
	leave()
}
