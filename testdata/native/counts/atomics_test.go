package counts

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// Hits are counted, and nobody looks before all are: their order does not matter.
func TestHits(t *testing.T) {
	var hits atomic.Int64
	var old int32
	var wg sync.WaitGroup
	for i := range 5 {
		wg.Go(func() {
			hits.Add(int64(i))
			defer atomic.AddInt32(&old, 1)
		})
	}
	wg.Wait()
	t.Log(hits.Load(), old)
}

// Somebody looks in between.
func TestHitsSeen(t *testing.T) {
	var hits atomic.Int64
	var wg sync.WaitGroup
	seen := int64(-1)
	for range 2 {
		wg.Go(func() { hits.Add(1) })
	}
	wg.Go(func() { seen = hits.Load() })
	wg.Wait()
	t.Log(seen)
}

// The numbers that adds return are told apart.
func TestTickets(t *testing.T) {
	var last atomic.Int64
	var wg sync.WaitGroup
	got := make([]int64, 3)
	for i := range got {
		wg.Go(func() { got[i] = last.Add(1) })
	}
	wg.Wait()
	t.Log(fmt.Sprint(got))
}

// One of three wins; that the others fail does not matter to each other, nor to who looks.
func TestElection(t *testing.T) {
	var leader atomic.Int64
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { leader.CompareAndSwap(0, int64(i+1)) })
	}
	wg.Wait()
	t.Log(leader.Load())
}

// Entries of a map with different keys; somebody goes through all.
func TestKeys(t *testing.T) {
	var m sync.Map
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			m.Store(i, "stored")
			m.Load(i)
		})
	}
	wg.Wait()
	n := 0
	m.Range(func(any, any) bool { n++; return true })
	t.Log(n)
}

func TestSameKey(t *testing.T) {
	var m sync.Map
	var wg sync.WaitGroup
	var mu sync.Mutex
	var got []any
	for i := range 2 {
		wg.Go(func() {
			v, _ := m.LoadOrStore("key", i)
			mu.Lock()
			got = append(got, v)
			mu.Unlock()
		})
	}
	wg.Go(func() {
		m.Range(func(_, v any) bool {
			mu.Lock()
			got = append(got, v)
			mu.Unlock()
			return true
		})
	})
	wg.Wait()
	t.Log(fmt.Sprint(got))
}

// What goes through a map waits in between, and sees what is stored then.
func TestRangeWaits(t *testing.T) {
	var m sync.Map
	m.Store(1, true)
	m.Store(2, true)
	m.Store(3, true)
	go func() { m.Delete(1); m.Delete(2); m.Delete(3) }()
	var mu sync.Mutex
	n := 0
	m.Range(func(any, any) bool { mu.Lock(); n++; mu.Unlock(); return true })
	t.Log(n)
}

// A condition without anybody who waits is signalled.
func TestUnheard(t *testing.T) {
	c := sync.NewCond(&sync.Mutex{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(c.Signal)
	}
	wg.Wait()
}

// Three goroutines use two integers and a map at random, by a seed in the environment.
func TestRandomAtomics(t *testing.T) {
	seed, _ := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
	random := rand.New(rand.NewPCG(seed, 1))
	var x [2]atomic.Int64
	var m sync.Map
	got := make([][]any, 3)
	var wg sync.WaitGroup
	for g := range got {
		var ops []int
		for range 2 + random.IntN(2) {
			ops = append(ops, random.IntN(28))
		}
		wg.Go(func() {
			note := func(v any) { got[g] = append(got[g], v) }
			for _, op := range ops {
				on, key := &x[op%2], op%2
				switch op / 2 {
				case 0, 1, 2:
					on.Add(1)
				case 3:
					note(on.Add(2))
				case 4:
					note(on.Load())
				case 5:
					on.Store(int64(g))
				case 6, 7:
					note(on.CompareAndSwap(1, 5))
				case 8:
					m.Store(key, g)
				case 9:
					v, _ := m.Load(key)
					note(v)
				case 10:
					v, _ := m.LoadOrStore(key, g)
					note(v)
				case 11:
					m.Delete(key)
				case 12:
					m.Range(func(k, v any) bool { note(k); note(on.Load()); return true })
				default:
					note(m.CompareAndSwap(key, 0, 7))
				}
			}
		})
	}
	wg.Wait()
	for key := range 2 {
		v, _ := m.Load(key)
		got[0] = append(got[0], v)
	}
	t.Log(fmt.Sprint(got), x[0].Load(), x[1].Load())
}
