package ordinary

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// In a bubble of testing/synctest time passes when all wait, and not before.
func TestBubbleTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		time.Sleep(5*time.Second - 1)
		synctest.Wait()
		if err := ctx.Err(); err != nil {
			t.Errorf("before the deadline: %v", err)
		}
		time.Sleep(1)
		synctest.Wait()
		if err := ctx.Err(); err != context.DeadlineExceeded {
			t.Errorf("behind the deadline: %v", err)
		}
	})
}

// Its clock is the same in each execution.
func TestBubbleClock(t *testing.T) {
	for range 2 {
		synctest.Test(t, func(t *testing.T) {
			if now := time.Now(); !now.Equal(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)) {
				t.Errorf("it begins at %v", now)
			}
			start := time.Now()
			ticker := time.NewTicker(time.Hour)
			defer ticker.Stop()
			var fired atomic.Bool
			time.AfterFunc(90*time.Minute, func() { fired.Store(true) })
			for want := 1; want <= 3; want++ {
				if now := <-ticker.C; now.Sub(start) != time.Duration(want)*time.Hour || fired.Load() != (want > 1) {
					t.Errorf("tick %d at %v", want, now)
				}
			}
			time.AfterFunc(time.Hour, func() { t.Error("time stops when the bubble is over") })
		})
	}
}

// Who sleeps equally long wakes up in any order.
func TestBubbleOrderBug(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var first atomic.Int64
		for i := range 2 {
			go func() {
				time.Sleep(time.Second)
				first.CompareAndSwap(0, int64(i+1))
			}()
		}
		time.Sleep(2 * time.Second)
		if first.Load() != 1 {
			t.Error("the second one was first")
		}
	})
}

func waited(t *testing.T, wait func()) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		woken, c := 0, make(chan int)
		for range 2 {
			go func() {
				<-c
				mu.Lock()
				woken++
				mu.Unlock()
			}()
		}
		close(c)
		wait()
		mu.Lock()
		defer mu.Unlock()
		if woken != 2 {
			t.Errorf("%d woken", woken)
		}
	})
}

func TestBubbleWaitBug(t *testing.T) { waited(t, func() {}) }
func TestBubbleWait(t *testing.T)    { waited(t, synctest.Wait) }

// What goroutines write before they wait, or are over, is seen behind Wait.
func TestBubblePlain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done, over := false, false
		c := make(chan int)
		go func() { done = true; <-c }()
		go func() { over = true }()
		synctest.Wait()
		if !done || !over {
			t.Error("not done")
		}
		c <- 1
	})
}

func TestBubbleLeakBug(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := make(chan int)
		go func() { c <- 1 }()
	})
}

// Whoever waits for a mutex is not at rest, so time does not pass.
func TestBubbleMutexBug(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		go func() { mu.Lock(); mu.Unlock() }()
		mu.Lock()
		time.Sleep(time.Second)
		mu.Unlock()
	})
}

func TestBubbleMutex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := make(chan bool, 1)
		go func() { held <- true; <-held }()
		held <- true
		time.Sleep(time.Second)
		<-held
	})
}

// A wait group and a condition count, a channel from outside does not.
func TestBubbleAtRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var wg sync.WaitGroup
		wg.Add(1)
		go wg.Wait()
		c := sync.NewCond(&sync.Mutex{})
		go func() { c.L.Lock(); c.Wait(); c.L.Unlock() }()
		synctest.Wait()
		wg.Done()
		c.L.Lock()
		c.Signal()
		c.L.Unlock()
	})
}

var outside = make(chan int)

func TestBubbleOutsideBug(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		go func() { <-outside }()
		synctest.Wait()
		outside <- 1
	})
}

func TestBubbleEscapeBug(t *testing.T) {
	var c chan int
	synctest.Test(t, func(t *testing.T) { c = make(chan int, 1) })
	c <- 1
}

func TestBubbleWaitsBug(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		go synctest.Wait()
		synctest.Wait()
	})
}

// Bubbles beside each other have one clock.
func TestBubblesBeside(t *testing.T) {
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { time.Sleep(time.Second) })
		})
	}
}

// The goroutine of an iterator is under control as any other.
func TestIterator(t *testing.T) {
	var mu sync.Mutex
	next, stop := iter.Pull(func(yield func(int) bool) {
		for i := 0; ; i++ {
			mu.Lock()
			mu.Unlock()
			if !yield(i) {
				return
			}
		}
	})
	defer stop()
	go func() { mu.Lock(); mu.Unlock() }()
	for want := range 2 {
		if i, ok := next(); i != want || !ok {
			t.Errorf("%d in place of %d", i, want)
		}
	}
}

// Who waits at a channel when time passes is served before who comes later.
func TestBubbleLine(t *testing.T)    { stand(t, true) }
func TestBubbleLineBug(t *testing.T) { stand(t, false) }

func stand(t *testing.T, waits bool) {
	synctest.Test(t, func(t *testing.T) {
		c := make(chan int, 1)
		c <- 0
		go func() { c <- 1 }()
		if waits {
			time.Sleep(time.Second)
		}
		go func() {
			select {
			case c <- 2:
			case <-time.After(time.Hour):
			}
		}()
		<-c
		if got := <-c; got != 1 {
			t.Errorf("%d has come first", got)
		}
		<-c
	})
}
