package counts

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Three goroutines in a bubble sleep, send, receive and take a mutex at random, by a seed in the environment, while the
// test waits until all are at rest; some programs have ends at which somebody waits for good.
func TestRandomBubble(t *testing.T) {
	seed, _ := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
	random := rand.New(rand.NewPCG(seed, 3))
	synctest.Test(t, func(t *testing.T) {
		c := make(chan int, 1)
		var mu sync.Mutex
		var x atomic.Int64
		var wg sync.WaitGroup
		got := make([][]int, 3)
		for g := range got {
			var ops []int
			for range 1 + random.IntN(3) {
				ops = append(ops, random.IntN(12))
			}
			wg.Go(func() {
				note := func(v int) { got[g] = append(got[g], v) }
				for i, op := range ops {
					switch op {
					case 0, 1, 2:
						time.Sleep(time.Duration(1+op%2) * time.Second)
					case 3, 4:
						c <- 10*g + i
					case 5, 6:
						note(<-c)
					case 7:
						mu.Lock()
						time.Sleep(time.Second)
						note(int(x.Add(1)))
						mu.Unlock()
					case 8:
						mu.Lock()
						note(int(x.Load()))
						mu.Unlock()
					case 9:
						select {
						case v := <-c:
							note(v)
						case <-time.After(time.Second):
							note(-1)
						}
					default:
						note(int(x.Add(10)))
					}
				}
			})
		}
		var seen []int64
		for range random.IntN(3) {
			synctest.Wait()
			seen = append(seen, x.Load())
			time.Sleep(time.Second)
		}
		wg.Wait()
		t.Log(fmt.Sprint(got, seen), len(c))
	})
}
