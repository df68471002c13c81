// Package library uses what cdpor has models of. The last line of the comment of each test says how it can end besides
// well: TestLibrary explores all of them, and lets Go run those that end well.
package library

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"sort"
	"sync"
	"testing"
	"time"
)

type coded int

func (c coded) Error() string { return "coded" }

type located struct{ line, col int }

func (l located) Error() string { return "located" }

type wrapped struct{ err error }

func (w *wrapped) Error() string { return "wrapped: " + w.err.Error() }
func (w *wrapped) Unwrap() error { return w.err }

// asAny is As as packages of assertions and of errors export it.
func asAny(err error, target interface{}) bool { return errors.As(err, target) }

// ends: well
func TestAs(t *testing.T) {
	var c coded
	if !asAny(&wrapped{coded(3)}, &c) || c != 3 {
		t.Error("no value")
	}
	var l located
	if asAny(coded(3), &l) || !asAny(&wrapped{located{1, 2}}, &l) || l.col != 2 {
		t.Error("no struct")
	}
	var w *wrapped
	if !asAny(&wrapped{io.EOF}, &w) || w.err != io.EOF {
		t.Error("no pointer")
	}
	var u interface{ Unwrap() error }
	if !errors.As(&wrapped{io.EOF}, &u) || u.Unwrap() != io.EOF {
		t.Error("no interface")
	}
	if c, ok := errors.AsType[coded](errors.Join(io.EOF, coded(5))); !ok || c != 5 {
		t.Error("no error of two")
	}
}

// ends: the test fails
func TestAsOther(t *testing.T) {
	c := coded(1)
	if asAny(&wrapped{located{1, 2}}, &c) {
		return
	}
	t.Error("of another type")
}

// ends: errors: target must be a non-nil pointer
func TestAsValue(t *testing.T) {
	var w *wrapped
	asAny(io.EOF, &w)
	asAny(io.EOF, w)
}

// ends: data race
func TestAsRace(t *testing.T) {
	var c coded
	done := make(chan bool)
	go func() {
		asAny(coded(3), &c)
		close(done)
	}()
	_ = c
	<-done
}

// ends: well
func TestBoxUint64(t *testing.T) {
	h := uint64(1) << 63
	done := make(chan bool)
	go func() { h |= 5; close(done) }()
	<-done
	var x any = h
	if x.(uint64) != h || x == any(uint64(5)) {
		t.Error("another")
	}
	t.Logf("hash %d", h)
	m := map[any]int{h: 1}
	if m[uint64(1)<<63|5] != 1 {
		t.Error("no key")
	}
}

// ends: index out of range
func TestUint64AsIndex(t *testing.T) {
	h := uint64(1) << 63
	done := make(chan bool)
	go func() { h |= 5; close(done) }()
	<-done
	_ = make([]int, 8)[h]
}

// ends: well
func TestContextInGoroutine(t *testing.T) {
	go func() { <-t.Context().Done() }()
	t.Cleanup(func() {
		if t.Context().Err() == nil {
			t.Error("not cancelled")
		}
	})
}

// ends: deadlock
func TestContextInTest(t *testing.T) { <-t.Context().Done() }

// ends: well
func TestSetenv(t *testing.T) {
	t.Cleanup(func() {
		if _, ok := os.LookupEnv("LIBRARY_X"); ok {
			t.Error("still set")
		}
	})
	t.Setenv("LIBRARY_X", "1")
	t.Setenv("LIBRARY_X", "2")
	if os.Getenv("LIBRARY_X") != "2" {
		t.Error("not set")
	}
	os.Setenv("LIBRARY_Y", "")
	if y, ok := os.LookupEnv("LIBRARY_Y"); y != "" || !ok {
		t.Error("not there")
	}
	os.Unsetenv("LIBRARY_Y")
	if _, ok := os.LookupEnv("LIBRARY_Y"); ok {
		t.Error("there")
	}
}

// ends: the test fails
func TestNotSetenv(t *testing.T) {
	if os.Getenv("LIBRARY_Z") != "1" {
		t.Error("not set")
	}
}

// ends: testing: test using t.Setenv, t.Chdir, or cryptotest.SetGlobalRandom can not use t.Parallel
func TestSetenvParallel(t *testing.T) {
	t.Parallel()
	t.Setenv("LIBRARY_X", "1")
}

// ends: well
func TestName(t *testing.T) {
	check := func(t *testing.T, want string) {
		if n := t.Name(); n != want {
			t.Errorf("name %q", n)
		}
	}
	check(t, "TestName")
	t.Run("a b", func(t *testing.T) {
		check(t, "TestName/a_b")
		t.Run("in", func(t *testing.T) { check(t, "TestName/a_b/in") })
	})
	for _, name := range []string{"x", "y"} {
		t.Run(name, func(t *testing.T) { check(t, "TestName/"+name) })
	}
	t.Run("x", func(t *testing.T) { check(t, "TestName/x#01") })
	t.Run("", func(t *testing.T) { check(t, "TestName/#00") })
}

// ends: the test fails
func TestNameNumbered(t *testing.T) {
	for range 2 {
		t.Run("same", func(t *testing.T) {
			if t.Name() != "TestNameNumbered/same" {
				t.Error("another one")
			}
		})
	}
}

// ends: well
func TestJoin(t *testing.T) {
	if s := errors.Join(io.EOF, nil, io.EOF).Error(); s != "EOF\nEOF" {
		t.Errorf("%q", s)
	}
	if s := errors.Join(io.EOF, io.EOF, errors.New("x")).Error(); s != "EOF\nEOF\nx" {
		t.Errorf("%q", s)
	}
	if errors.Join(nil, nil) != nil || !errors.Is(errors.Join(io.EOF, coded(1)), coded(1)) {
		t.Error("joined")
	}
}

// ends: the test fails
func TestJoinOne(t *testing.T) {
	if errors.Join(io.EOF).Error() == "EOF" {
		t.Error("EOF")
	}
}

// ends: data race
func TestPoolUsedAfterPut(t *testing.T) {
	pool := sync.Pool{New: func() any { return new([4]int) }}
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			b := pool.Get().(*[4]int)
			pool.Put(b)
			b[0] = i
		})
	}
	wg.Wait()
}

// ends: the test fails
func TestPoolDirty(t *testing.T) {
	pool := sync.Pool{New: func() any { return new([]int) }}
	b := pool.Get().(*[]int)
	*b = append(*b, 1)
	pool.Put(b)
	if c := pool.Get().(*[]int); len(*c) != 0 {
		t.Error("dirty")
	}
}

// ends: the test fails
func TestPoolDropped(t *testing.T) {
	var pool sync.Pool
	pool.Put(new(int))
	if pool.Get() == nil {
		t.Error("dropped")
	}
}

// ends: well
func TestPool(t *testing.T) {
	pool := sync.Pool{New: func() any { return new(int) }}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			b := pool.Get().(*int)
			*b++
			*b = 0
			pool.Put(b)
		})
	}
	wg.Wait()
	a, b := pool.Get().(*int), pool.Get().(*int)
	if *a+*b != 0 || a == b {
		t.Error("dirty, or twice the same")
	}
}

// beside runs two functions beside each other.
func beside(f, g func()) {
	done := make(chan bool)
	go func() { f(); close(done) }()
	g()
	<-done
}

// ends: data race
func TestReadUnused(t *testing.T) {
	n := new(int)
	beside(func() { *n = 1 }, func() { _ = *n })
}

// ends: data race
func TestReadVariable(t *testing.T) {
	n := 0
	beside(func() { n = 1 }, func() { _ = n })
}

// ends: data race
func TestReadField(t *testing.T) {
	p := &located{}
	beside(func() { p.col = 1 }, func() { _ = p.col })
}

// ends: data race
func TestReadElement(t *testing.T) {
	s := make([]int, 2)
	beside(func() { s[1] = 1 }, func() { _ = s[1] })
}

// ends: data race
func TestReadMap(t *testing.T) {
	m := map[int]int{}
	beside(func() { m[1] = 1 }, func() { _ = m[1] })
}

// ends: data race
func TestReadMapBoth(t *testing.T) {
	m := map[int]int{}
	beside(func() { m[1] = 1 }, func() { _, _ = m[2] })
}

// ends: data race
func TestReadLen(t *testing.T) {
	s := make([]int, 2)
	beside(func() { s = nil }, func() { _ = len(s) })
}

// ends: data race
func TestReadRange(t *testing.T) {
	s := make([]int, 2)
	beside(func() { s = nil }, func() {
		for range s {
		}
	})
}

// ends: data race
func TestReadChannelVariable(t *testing.T) {
	c, d := make(chan int, 1), make(chan int, 1)
	c <- 1
	d <- 1
	beside(func() { c = d }, func() { <-c })
}

// ends: data race
func TestReadInterface(t *testing.T) {
	var err error
	beside(func() { err = io.EOF }, func() { _, _ = err.(coded) })
}

// ends: data race
func TestReadCall(t *testing.T) {
	n := 0
	f := func() (int, bool) { return n, true }
	beside(func() { n = 1 }, func() { _, _ = f() })
}

// ends: data race
func TestReadToString(t *testing.T) {
	b := []byte("ab")
	beside(func() { b[0] = 1 }, func() { _ = string(b) })
}

// ends: data race
func TestReadEqual(t *testing.T) {
	b := []byte("ab")
	beside(func() { b[0] = 1 }, func() { bytes.Equal(b, []byte("ab")) })
}

// ends: data race
func TestSortBeside(t *testing.T) {
	s := []int{2, 1}
	beside(func() { sort.Ints(s) }, func() { _ = s[0] })
}

// ends: data race
func TestReadFullBeside(t *testing.T) {
	r, w := io.Pipe()
	b := make([]byte, 1)
	go func() { w.Write([]byte("a")) }()
	beside(func() { io.ReadFull(r, b) }, func() { _ = b[0] })
}

// ends: well
func TestReadsBeside(t *testing.T) {
	n, s, m := 1, []int{1}, map[int]int{}
	beside(func() { _, _, _ = n, s[0], m[1] }, func() { _, _, _ = n, len(s), m[2] })
	beside(func() { n = 2 }, func() { _ = &n })
}

// ends: well
func TestNowIsADate(t *testing.T) {
	if now := time.Now(); now.IsZero() || now == (time.Time{}) || now.Unix() < 1600000000 || now.Equal(time.Now()) {
		t.Error("long ago")
	}
}

// ends: well
func TestSinceIsPositive(t *testing.T) {
	start := time.Now()
	if n := 1000; n*int(time.Second)/int(time.Since(start)) < 0 {
		t.Error("rate")
	}
}

// ends: well
func TestNowIncreases(t *testing.T) {
	var mu sync.Mutex
	last := time.Now()
	look := func() {
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		if !now.After(last) || now.Sub(last) <= 0 || time.Until(last) >= 0 {
			t.Error("backwards")
		}
		last = now
	}
	beside(look, look)
}

// ends: well
func TestZeroTime(t *testing.T) {
	var zero time.Time
	if now := time.Now(); now.Sub(zero) < 200*365*24*time.Hour || zero.Unix() != -62135596800 || !zero.Before(now) ||
		time.Unix(0, 0).IsZero() || time.Unix(3, 5).UnixNano() != 3000000005 || time.Unix(-1, 0).Unix() != -1 {
		t.Error("of the zero time")
	}
}

// ends: well
func TestExpired(t *testing.T) {
	last := time.Now()
	time.Sleep(10 * time.Millisecond)
	if !time.Now().After(last.Add(10 * time.Millisecond)) {
		t.Error("not expired")
	}
}

// ends: the test fails
func TestSlow(t *testing.T) {
	last := time.Now()
	done := make(chan bool)
	go func() { time.Sleep(20 * time.Millisecond); close(done) }()
	<-done
	if time.Since(last) > 10*time.Millisecond {
		t.Error("slow")
	}
}

func first(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ends: early: the test fails
func TestMilliBeforeHour(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	if first(ctx, time.Millisecond) != nil {
		t.Error("an hour was over before a millisecond")
	}
}

// ends: the test fails
func TestHourBeforeMilli(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if first(ctx, time.Hour) != nil {
		t.Error("a millisecond was over before an hour")
	}
}

// ends: early: the test fails
func TestSleepAfterFunc(t *testing.T) {
	var mu sync.Mutex
	n := 0
	time.AfterFunc(time.Millisecond, func() { mu.Lock(); n++; mu.Unlock() })
	time.Sleep(time.Second)
	mu.Lock()
	defer mu.Unlock()
	if n != 1 {
		t.Error("the millisecond is not over")
	}
}

// ends: the test fails
func TestSleepBeforeAfterFunc(t *testing.T) {
	var mu sync.Mutex
	n := 0
	time.AfterFunc(time.Second, func() { mu.Lock(); n++; mu.Unlock() })
	time.Sleep(time.Millisecond)
	mu.Lock()
	defer mu.Unlock()
	if n != 1 {
		t.Error("the second is not over")
	}
}

// ends: early: the test fails
func TestSleepLonger(t *testing.T) {
	var mu sync.Mutex
	n := 0
	go func() {
		time.Sleep(time.Millisecond)
		mu.Lock()
		n++
		mu.Unlock()
	}()
	time.Sleep(time.Second)
	mu.Lock()
	defer mu.Unlock()
	if n != 1 {
		t.Error("the millisecond is not over")
	}
}

// ends: the test fails
func TestSleepShorter(t *testing.T) {
	var mu sync.Mutex
	n := 0
	go func() {
		time.Sleep(time.Second)
		mu.Lock()
		n++
		mu.Unlock()
	}()
	time.Sleep(time.Millisecond)
	mu.Lock()
	defer mu.Unlock()
	if n != 1 {
		t.Error("the second is not over")
	}
}

// ends: well
func TestTimersInOrder(t *testing.T) {
	short, long := time.NewTimer(time.Millisecond), time.NewTimer(30*time.Millisecond)
	<-long.C
	select {
	case <-short.C:
	default:
		panic("30 were over before one")
	}
}

// ends: one was over before 30
func TestTimersInOtherOrder(t *testing.T) {
	short, long := time.NewTimer(time.Millisecond), time.NewTimer(30*time.Millisecond)
	<-short.C
	select {
	case <-long.C:
	default:
		panic("one was over before 30")
	}
}

// ends: early: the test fails
func TestStoppedTimerIsNotWaitedFor(t *testing.T) {
	start := time.Now()
	timer := time.NewTimer(10 * time.Minute)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	timer.Stop()
	cancel()
	<-ctx.Done()
	<-time.After(time.Millisecond)
	if d := time.Since(start); d < time.Millisecond || d > 5*time.Minute {
		t.Error("too early, or later")
	}
}
