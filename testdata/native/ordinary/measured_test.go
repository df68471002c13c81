package ordinary

import (
	"reflect"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// parsed keeps numbers that were parsed, for several goroutines.
type parsed struct {
	mu   sync.Mutex
	sums map[string]int
}

// add adds a number to a sum. It forgets what others have added meanwhile if it is careless.
func (p *parsed) add(key, number string, careless bool) {
	n, err := strconv.Atoi(number)
	if err != nil {
		return
	}
	p.mu.Lock()
	sum := p.sums[key] + n
	if careless {
		p.mu.Unlock()
		p.mu.Lock()
	}
	p.sums[key] = sum
	p.mu.Unlock()
}

// Each entry of the seed corpus is run, as go test does.
func fuzzed(f *testing.F, careless bool) {
	f.Add("1", "2")
	f.Add("x", "5")
	f.Fuzz(func(t *testing.T, a, b string) {
		p := &parsed{sums: map[string]int{}}
		var wg sync.WaitGroup
		wg.Go(func() { p.add("sum", a, careless) })
		wg.Go(func() { p.add("sum", b, careless) })
		wg.Wait()
		if a == "1" && p.sums["sum"] != 3 {
			t.Errorf("%s + %s = %d", a, b, p.sums["sum"])
		}
	})
}

func FuzzSumBug(f *testing.F) { fuzzed(f, true) }
func FuzzSum(f *testing.F)    { fuzzed(f, false) }

// benchmark counts what several goroutines do, in an inner benchmark as well.
func benchmark(b *testing.B, add func(n *atomic.Int64)) {
	var n atomic.Int64
	done := func(b *testing.B) {
		n.Store(0)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				add(&n)
			}
		})
		if n.Load() != int64(b.N) {
			b.Errorf("%d of %d", n.Load(), b.N)
		}
	}
	b.Run("inner", done)
	for b.Loop() {
		n.Add(1)
	}
}

func BenchmarkCountBug(b *testing.B) { benchmark(b, func(n *atomic.Int64) { n.Store(n.Load() + 1) }) }
func BenchmarkCount(b *testing.B)    { benchmark(b, func(n *atomic.Int64) { n.Add(1) }) }

// A test measures something itself.
func TestMeasures(t *testing.T) {
	var mu sync.Mutex
	result := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			mu.Lock()
			mu.Unlock()
		}
	})
	if result.N == 0 {
		t.Error("nothing was measured")
	}
}

// What reflection keeps of a type is made by one goroutine and read by another one.
func TestReflects(t *testing.T) {
	done := make(chan bool)
	for range 2 {
		go func() {
			reflect.ValueOf(func(n int, _ chan int8) { done <- n > 0 }).Call([]reflect.Value{reflect.ValueOf(1),
				reflect.ValueOf(make(chan int8))})
		}()
	}
	if !<-done || !<-done {
		t.Error("no number")
	}
}
