package cache

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
)

// Each worker has a key of its own; keys share shards.
func TestOwnKeys(t *testing.T) {
	var c Cache
	var wg sync.WaitGroup
	for key := range 4 {
		wg.Go(func() {
			c.Put(key, 1)
			c.Add(key, c.Get(key))
		})
	}
	wg.Wait()
	if sum := c.Sum(); sum != 8 {
		t.Errorf("the sum is %d", sum)
	}
}

// Who looks first and then puts loses what another one has put.
func TestLookAndPutBug(t *testing.T) {
	var c Cache
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { c.Put(1, c.Get(1)+1) })
	}
	wg.Wait()
	if n := c.Get(1); n != 2 {
		t.Errorf("%d in place of 2", n)
	}
}

// Somebody sums while others add to keys of several shards.
func TestSumBeside(t *testing.T) {
	var c Cache
	var wg sync.WaitGroup
	sum := 0
	for key := range 2 {
		wg.Go(func() { c.Add(key, 1) })
	}
	wg.Go(func() { sum = c.Sum() })
	wg.Wait()
	t.Log(sum)
}

// Three goroutines call methods at random, by a seed in the environment.
func TestRandom(t *testing.T) {
	seed, _ := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
	random := rand.New(rand.NewPCG(seed, 2))
	var c Cache
	var wg sync.WaitGroup
	got := make([][]int, 3)
	for g := range got {
		var ops []int
		for range 1 + random.IntN(2) {
			ops = append(ops, random.IntN(13))
		}
		wg.Go(func() {
			for _, op := range ops {
				switch key := op % 3; op / 3 {
				case 0:
					got[g] = append(got[g], c.Get(key))
				case 1, 2:
					c.Put(key, 10*g+1)
				case 3:
					got[g] = append(got[g], c.Add(key, 100))
				default:
					got[g] = append(got[g], c.Sum())
				}
			}
		})
	}
	wg.Wait()
	t.Log(fmt.Sprint(got), c.Get(0), c.Get(1), c.Get(2))
}
