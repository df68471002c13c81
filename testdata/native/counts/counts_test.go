// Package counts has programs whose executions are known.
package counts

import (
	"sync"
	"sync/atomic"
	"testing"
)

func readers(n int) {
	var x atomic.Int64
	for range n {
		go func() { x.Load() }()
	}
	go func() { x.Store(1) }()
}

func TestReaders8(t *testing.T) { readers(8) }

func lastZero(n int) {
	a := make([]atomic.Int64, n+1)
	go func() {
		for i := n; a[i].Load() != 0; i-- {
		}
	}()
	for j := 1; j <= n; j++ {
		go func() { a[j].Store(a[j-1].Load() + 1) }()
	}
}

func TestLastZero5(t *testing.T) { lastZero(5) }
func TestLastZero8(t *testing.T) { lastZero(8) }

func lockedBuffer(n int) {
	var mu sync.Mutex
	var buffer []int
	go func() {
		for i := range n {
			mu.Lock()
			buffer = append(buffer, i)
			mu.Unlock()
		}
	}()
	go func() {
		for range n {
			mu.Lock()
			if len(buffer) > 0 {
				buffer = buffer[1:]
			}
			mu.Unlock()
		}
	}()
}

func TestLockedBuffer5(t *testing.T) { lockedBuffer(5) }
func TestLockedBuffer8(t *testing.T) { lockedBuffer(8) }

// As many stores of a goroutine each: n! orders.
func TestStores7(t *testing.T) {
	var x atomic.Int64
	for i := range 7 {
		go func() { x.Store(int64(i)) }()
	}
}

func TestTwoLocks(t *testing.T) {
	var a, b sync.Mutex
	go func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() }()
	go func() { b.Lock(); a.Lock(); a.Unlock(); b.Unlock() }()
}

func pass(n, size int) {
	c := make(chan int, size)
	go func() {
		for i := range n {
			c <- i
		}
	}()
	go func() {
		for range n {
			<-c
		}
	}()
}

func TestBuffered8(t *testing.T)   { pass(8, 8) }
func TestUnbuffered8(t *testing.T) { pass(8, 0) }

// The last of three to take the lock decides: 3! orders, whatever the wait group does.
func TestWaitGroup3(t *testing.T) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range 3 {
		wg.Add(1)
		go func() { defer wg.Done(); mu.Lock(); mu.Unlock() }()
	}
	wg.Wait()
}

// Who is first does, the other one finds it done: 2 orders.
func TestOnce2(t *testing.T) {
	var once sync.Once
	for range 2 {
		go func() { once.Do(func() {}) }()
	}
}

// Two readers, and a writer before, between or behind them, or kept waiting.
func TestReadLocks(t *testing.T) {
	var mu sync.RWMutex
	for range 3 {
		go func() { mu.RLock(); mu.RUnlock() }()
	}
}

// Neither of the first two is heard before somebody waits.
func TestSignal(t *testing.T) {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	ready := false
	go func() { mu.Lock(); ready = true; c.Signal(); mu.Unlock() }()
	mu.Lock()
	for !ready {
		c.Wait()
	}
	mu.Unlock()
}

// fib is fib_bench of SV-COMP, each access a step: two goroutines add to each other's number n times, a third one reads
// both.
func fib(n int) {
	var i, j atomic.Int32
	i.Store(1)
	j.Store(1)
	var wg sync.WaitGroup
	wg.Add(3)
	go func() {
		defer wg.Done()
		for range n {
			i.Store(i.Load() + j.Load())
		}
	}()
	go func() {
		defer wg.Done()
		for range n {
			j.Store(j.Load() + i.Load())
		}
	}()
	go func() {
		defer wg.Done()
		i.Load()
		j.Load()
	}()
	wg.Wait()
}

func TestFib1(*testing.T) { fib(1) }
func TestFib2(*testing.T) { fib(2) }
func TestFib3(*testing.T) { fib(3) }

// indexer is the one of Flanagan and Godefroid: n goroutines put four numbers each into a table of 128 places.
func indexer(n int) {
	const places, numbers = 128, 4
	var table [places]atomic.Int32
	var wg sync.WaitGroup
	wg.Add(n)
	for id := range n {
		go func() {
			defer wg.Done()
			for m := 1; m <= numbers; m++ {
				w := m*11 + id
				for h := w * 7 % places; !table[h].CompareAndSwap(0, int32(w)); {
					h = (h + 1) % places
				}
			}
		}()
	}
	wg.Wait()
}

func TestIndexer12(*testing.T) { indexer(12) }
func TestIndexer13(*testing.T) { indexer(13) }

// Two goroutines with many objects, of which they share none.
func TestManyObjects(t *testing.T) {
	var done [2]chan bool
	for i := range done {
		done[i] = make(chan bool)
		go func() {
			var words [200]atomic.Int32
			for k := range words {
				words[k].Store(1)
			}
			close(done[i])
		}()
	}
	<-done[0]
	<-done[1]
}

// Additions commute: there are few executions, though the model has many states.
func TestManyHits(t *testing.T) {
	var hits atomic.Int64
	var wg sync.WaitGroup
	for i := range 9 {
		wg.Go(func() { hits.Add(int64(i)); hits.Add(1) })
	}
	wg.Wait()
	t.Log(hits.Load())
}
