package counts

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
)

// Programs over channels with buffers, which say what has come of them.

// Two stages: each value goes through both buffers.
func TestPipeline(t *testing.T) {
	a, b := make(chan int, 2), make(chan int, 1)
	go func() {
		for i := range 4 {
			a <- i
		}
		close(a)
	}()
	go func() {
		for x := range a {
			b <- 10 * x
		}
		close(b)
	}()
	sum := 0
	for x := range b {
		sum += x
	}
	t.Log(sum)
}

// Two senders, two receivers: who gets what.
func TestCrossing(t *testing.T) {
	c := make(chan int, 1)
	var wg sync.WaitGroup
	got := make([][]int, 2)
	for i := range 2 {
		wg.Go(func() {
			c <- 10 * i
			c <- 10*i + 1
		})
		wg.Go(func() {
			for range 2 {
				got[i] = append(got[i], <-c)
			}
		})
	}
	wg.Wait()
	t.Log(fmt.Sprint(got))
}

// A semaphore of two places for three goroutines, whose order a mutex notes.
func TestSemaphore(t *testing.T) {
	places := make(chan struct{}, 2)
	var mu sync.Mutex
	var order []int
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			places <- struct{}{}
			mu.Lock()
			order = append(order, i)
			mu.Unlock()
			<-places
		})
	}
	wg.Wait()
	t.Log(fmt.Sprint(order))
}

// Two workers take three jobs and hand results over.
func TestWorkers(t *testing.T) {
	jobs, results := make(chan int, 3), make(chan string, 3)
	for w := range 2 {
		go func() {
			for j := range jobs {
				results <- fmt.Sprint(w, ":", j)
			}
		}()
	}
	for j := range 3 {
		jobs <- j
	}
	close(jobs)
	var all []string
	for range 3 {
		all = append(all, <-results)
	}
	t.Log(all)
}

// Somebody polls while another one sends.
func TestPolled(t *testing.T) {
	c := make(chan int, 2)
	go func() { c <- 1; c <- 2 }()
	go func() { c <- 3 }()
	var got []int
	for range 3 {
		select {
		case x := <-c:
			got = append(got, x)
		default:
			got = append(got, 0)
		}
	}
	got = append(got, <-c)
	t.Log(fmt.Sprint(got))
}

// Somebody asks for the length of a buffer, through a type parameter, while others send and receive.
func TestLength(t *testing.T) {
	c := make(chan int, 2)
	var wg sync.WaitGroup
	wg.Go(func() { c <- 1; c <- 2 })
	wg.Go(func() { <-c })
	seen := -1
	wg.Go(func() { seen = length(c) })
	wg.Wait()
	t.Log(seen, len(c))
}

func length[C ~chan E, E any](c C) int { return len(c) }

// Three goroutines send to two channels, receive from them and ask for lengths at random, by a seed in the environment;
// some programs have ends at which somebody waits for good.
func TestRandom(t *testing.T) {
	seed, _ := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
	random := rand.New(rand.NewPCG(seed, 0))
	c := []chan int{make(chan int, 1+random.IntN(2)), make(chan int, 1)}
	got := make([][]int, 3)
	var wg sync.WaitGroup
	for g := range got {
		var ops []int
		for range 2 + random.IntN(4) {
			ops = append(ops, random.IntN(11))
		}
		wg.Go(func() {
			for i, op := range ops {
				switch on := c[op%2]; {
				case op < 5:
					on <- 10*g + i
				case op < 8:
					got[g] = append(got[g], <-on)
				case op == 8:
					select {
					case x := <-on:
						got[g] = append(got[g], x)
					default:
						got[g] = append(got[g], -1)
					}
				case op == 9:
					got[g] = append(got[g], -len(c[i%2]))
				default:
					select {
					case x := <-c[0]:
						got[g] = append(got[g], x)
					case c[1] <- 10*g + i:
					}
				}
			}
		})
	}
	wg.Wait()
	t.Log(fmt.Sprint(got))
}

// Who locks last has met somebody before, who is behind the first lock in the order of goroutines.
func TestMeetThenLock(t *testing.T) {
	var mu sync.Mutex
	c := make(chan int)
	first := "other"
	go func() {
		mu.Lock()
		mu.Unlock()
	}()
	go func() { <-c }()
	c <- 3
	mu.Lock()
	first += "s"
	mu.Unlock()
}

// Where another case is possible, a select takes it in place of its default.
func TestDefaults(*testing.T) {
	c := make(chan int, 1)
	go func() {
		select {
		case c <- 1:
		case <-c:
		default:
		}
		select {
		case c <- 2:
		default:
		}
		select {
		case c <- 3:
		case <-c:
		}
	}()
	select {
	case <-c:
	default:
	}
	select {
	case <-c:
	case c <- 3:
	}
	<-c
}
