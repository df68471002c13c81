package ordinary

import (
	"context"
	cryptorand "crypto/rand"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A timer that is there in case the test hangs, and what others do when it has fired early.
func TestGuardedLog(t *testing.T) {
	done := make(chan bool)
	go func() {
		t.Log("working")
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Second):
		t.Fatal("it hangs")
	}
}

// The test panics only where a timer fires early.
func TestGuardedPanic(t *testing.T) {
	done := make(chan int, 1)
	go func() { done <- 1 }()
	select {
	case <-done:
	case <-time.After(time.Second):
		panic("it hangs")
	}
}

// A timer panics if the test hangs.
func TestGuardedByTimer(t *testing.T) {
	defer time.AfterFunc(time.Second, func() { panic("it hangs") }).Stop()
	done := make(chan bool)
	go close(done)
	<-done
}

// A timer ends the program if the test hangs, behind what others do as well.
func TestGuardedByExit(t *testing.T) {
	var mu sync.Mutex
	defer time.AfterFunc(time.Second, func() {
		mu.Lock()
		defer mu.Unlock()
		os.Exit(2)
	}).Stop()
	done := make(chan bool)
	go func() {
		mu.Lock()
		defer mu.Unlock()
		close(done)
	}()
	<-done
}

// Random numbers that are seeded by the clock, or by nothing, while the library fills its caches.
func TestSeededByClock(t *testing.T) {
	r := rand.New(rand.NewSource(time.Now().UnixNano()))
	time.Sleep(time.Millisecond)
	text, err := json.Marshal(map[string]int{fmt.Sprint(r.Intn(100)): r.Intn(100)})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 2 + rand.Intn(2) {
		if r.Intn(2)+rand.Intn(2)+len(text)%2 > 1 {
			mu.Lock()
			mu.Unlock()
		}
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
		})
	}
	wg.Wait()
}

// The test polls, and goes on for ever where it always goes on first.
func TestPollsFirst(t *testing.T) {
	var ready atomic.Bool
	go func() { ready.Store(true) }()
	for !ready.Load() {
		runtime.Gosched()
	}
}

var loaded = time.Now()

// Each look at the clock is later than what comes before it, also of another goroutine and of when the package was
// initialised.
func TestTimeMoves(t *testing.T) {
	var mu sync.Mutex
	last := loaded
	look := func() {
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		if !now.After(last) {
			t.Errorf("%v is not later than %v", now, last)
		}
		last = now
	}
	times := make(chan time.Time)
	go func() {
		look()
		look()
		times <- time.Now()
	}()
	look()
	if sent := <-times; !time.Now().After(sent) || time.Since(sent) > time.Second {
		t.Error("what was sent is not earlier, or long ago")
	}
}

// A program may ask for processors; its goroutines go on one at a time all the same.
func TestProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	if n := runtime.GOMAXPROCS(0); n != 4 {
		t.Errorf("%d processors", n)
	}
	var n atomic.Int32
	var wg sync.WaitGroup
	for range runtime.NumCPU() {
		wg.Go(func() { n.Add(1) })
	}
	wg.Wait()
	if int(n.Load()) != runtime.NumCPU() {
		t.Error(n.Load())
	}
}

// Identifiers are the same in each execution, and goroutines do not get the same ones.
func TestIdentifiers(t *testing.T) {
	ids := make(chan string, 2)
	for range 2 {
		go func() { ids <- cryptorand.Text() }()
	}
	a, b := <-ids, <-ids
	if a == b {
		t.Error("the same identifiers")
	}
	var mu sync.Mutex
	for range (a[0] + b[1]) % 4 {
		mu.Lock()
		mu.Unlock()
	}
}

var odd bool

// Every other execution has one mutex more.
func TestEveryOther(t *testing.T) {
	var first, second sync.Mutex
	if odd = !odd; !odd {
		second.Lock()
	}
	first.Lock()
}

var guard sync.Mutex

// A mutex of the package is held whenever the execution is cut.
func TestLoopsForEver(t *testing.T) {
	guard.Lock()
	for {
		var mu sync.Mutex
		mu.Lock()
		mu.Unlock()
	}
}

var spins atomic.Bool

// So is a lock that is none of the library's: who finds it held spins.
func TestHoldsSpinLock(t *testing.T) {
	for !spins.CompareAndSwap(false, true) {
	}
	for {
		var mu sync.Mutex
		mu.Lock()
		mu.Unlock()
	}
}

// crowd has more goroutines than a search can tell apart, of which each adds one.
func crowd(add func(n *atomic.Int32)) int32 {
	var n atomic.Int32
	var wg sync.WaitGroup
	for range 300 {
		wg.Go(func() { add(&n) })
	}
	wg.Wait()
	return n.Load()
}

func TestCrowdBug(t *testing.T) {
	if n := crowd(func(n *atomic.Int32) { n.Store(n.Load() + 1) }); n != 300 {
		t.Errorf("%d of 300", n)
	}
}

func TestCrowd(t *testing.T) {
	if n := crowd(func(n *atomic.Int32) { n.Add(1) }); n != 300 {
		t.Errorf("%d of 300", n)
	}
}

// A goroutine writes before it has a mutex, and another one behind that: a data race where the other one has it first,
// between what has nothing to do with it.
func TestNoisyRaceBug(*testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	noise := func() {
		for range 4 {
			var own sync.Mutex
			own.Lock()
			own.Unlock()
		}
	}
	wg.Go(func() {
		noise()
		n++
		mu.Lock()
		mu.Unlock()
		noise()
	})
	wg.Go(func() {
		noise()
		mu.Lock()
		mu.Unlock()
		noise()
		n++
	})
	wg.Wait()
}

// A stack is told as without control.
func TestStackText(t *testing.T) {
	texts := make(chan string)
	go func() { texts <- string(debug.Stack()) }()
	if first, _, _ := strings.Cut(<-texts, "\n"); !strings.HasSuffix(first, " [running]:") {
		t.Error(first)
	}
}

var lasting, _ = context.WithCancel(context.Background())

// A context of the package makes its channel in the first execution.
func TestLastingContext(t *testing.T) {
	done := make(chan bool)
	go func() {
		select {
		case <-lasting.Done():
			t.Error("it is over")
		case done <- true:
		}
	}()
	<-done
}

// The test fails where it goes on first, and selects otherwise.
func TestSelectsLateBug(t *testing.T) {
	var first atomic.Bool
	done := make(chan bool)
	go func() {
		first.Store(true)
		close(done)
	}()
	if !first.Load() {
		t.Error("too soon")
		return
	}
	other := make(chan bool, 1)
	other <- true
	select {
	case <-done:
	case <-other:
	}
}

// Executions do not get in each other's way, though this leaves a folder behind.
func TestTemporary(t *testing.T) {
	dir, err := os.MkdirTemp(os.Getenv("CDPOR_TEMPORARY"), "cdpor-")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	for range 2 {
		go func() {
			mu.Lock()
			defer mu.Unlock()
		}()
	}
	if os.Getenv("CDPOR_TEMPORARY") == "" {
		os.Remove(dir)
	}
}
