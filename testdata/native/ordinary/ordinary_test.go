// Package ordinary has tests as engineers write them.
package ordinary

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A mean of floats: the sum is under a lock, the count is not read with it.
type mean struct {
	mu    sync.Mutex
	sum   float64
	count int
}

func (m *mean) add(x float64) {
	m.mu.Lock()
	m.sum += x
	m.mu.Unlock()
	m.mu.Lock()
	m.count++
	m.mu.Unlock()
}

func (m *mean) value() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.count == 0 {
		return 0
	}
	return m.sum / float64(m.count)
}

func TestMeanBug(t *testing.T) {
	m := &mean{}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { m.add(math.Sqrt(4)) })
	}
	if v := m.value(); v != 0 && v != 2 {
		t.Errorf("a mean of twos is %.2f", v)
	}
	wg.Wait()
}

func TestMean(t *testing.T) {
	m := &mean{}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { m.add(math.Sqrt(4)) })
	}
	wg.Wait()
	if v := m.value(); v != 2 {
		t.Errorf("a mean of twos is %.2f", v)
	}
}

// Names in the order in which they come.
func TestJSONBug(t *testing.T) {
	type names struct{ Names []string }
	var mu sync.Mutex
	var all names
	var wg sync.WaitGroup
	for _, name := range []string{"ann", "bob"} {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			all.Names = append(all.Names, strings.ToUpper(name))
		})
	}
	wg.Wait()
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != `{"Names":["ANN","BOB"]}` {
		t.Errorf("got %s", text)
	}
}

func TestSorted(t *testing.T) {
	var mu sync.Mutex
	var all []string
	var wg sync.WaitGroup
	for _, name := range []string{"ann", "bob", "cy"} {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			all = append(all, fmt.Sprintf("%-4s|", name))
		})
	}
	wg.Wait()
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	if want := []string{"ann |", "bob |", "cy  |"}; !reflect.DeepEqual(all, want) {
		t.Errorf("got %q, want %q", all, want)
	}
}

var errFull = errors.New("full")

type fullError struct{ size int }

func (e *fullError) Error() string { return fmt.Sprintf("%d places are taken: %v", e.size, errFull) }
func (e *fullError) Unwrap() error { return errFull }

// A pool of tokens that gives back an error when there is none.
type tokens struct{ free chan struct{} }

func newTokens(n int) *tokens {
	p := &tokens{make(chan struct{}, n)}
	for range n {
		p.free <- struct{}{}
	}
	return p
}

func (p *tokens) take() error {
	select {
	case <-p.free:
		return nil
	default:
		return &fullError{cap(p.free)}
	}
}

func (p *tokens) give() { p.free <- struct{}{} }

// Two that want the only token at once: one of them may find none.
func TestTokensBug(t *testing.T) {
	p := newTokens(1)
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			var full *fullError
			if err := p.take(); errors.As(err, &full) {
				t.Errorf("worker %d: %v", i, err)
				return
			}
			p.give()
		})
	}
	wg.Wait()
}

func TestTokens(t *testing.T) {
	p := newTokens(1)
	var wg sync.WaitGroup
	var refused atomic.Int32
	for range 2 {
		wg.Go(func() {
			if err := p.take(); errors.Is(err, errFull) {
				refused.Add(1)
				return
			}
			p.give()
		})
	}
	wg.Wait()
	if refused.Load() > 1 {
		t.Error("nobody got the token")
	}
}

// A result that nobody takes when the time is over: whoever has worked it out waits for good.
func fetch(ctx context.Context, work func() string) (string, error) {
	result := make(chan string)
	go func() { result <- work() }()
	select {
	case s := <-result:
		return s, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func TestTimeoutLeakBug(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	_, err := fetch(ctx, func() string {
		time.Sleep(20 * time.Millisecond)
		return "late"
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestTimeoutInTime(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	s, err := fetch(ctx, func() string {
		time.Sleep(10 * time.Millisecond)
		return "early"
	})
	if err != nil || s != "early" {
		t.Errorf("got %q, %v", s, err)
	}
}

// Two accounts, locked in the order of the transfer.
type account struct {
	mu    sync.Mutex
	cents int
}

func transfer(from, to *account, cents int) {
	from.mu.Lock()
	defer from.mu.Unlock()
	to.mu.Lock()
	defer to.mu.Unlock()
	from.cents -= cents
	to.cents += cents
}

func TestTransferBug(t *testing.T) {
	a, b := &account{cents: 10}, &account{cents: 10}
	var wg sync.WaitGroup
	wg.Go(func() { transfer(a, b, 3) })
	wg.Go(func() { transfer(b, a, 5) })
	wg.Wait()
	if a.cents+b.cents != 20 {
		t.Error("money was lost")
	}
}

// A queue of any type: closing it while somebody puts is a panic.
type queue[T any] struct{ items chan T }

func (q *queue[T]) put(x T) { q.items <- x }
func (q *queue[T]) close()  { close(q.items) }

func TestQueueCloseBug(t *testing.T) {
	q := &queue[string]{make(chan string, 1)}
	var wg sync.WaitGroup
	wg.Go(func() { q.put("x") })
	q.close()
	wg.Wait()
}

func TestQueue(t *testing.T) {
	q := &queue[int]{make(chan int)}
	go func() {
		for i := range 3 {
			q.put(i * i)
		}
		q.close()
	}()
	var got []int
	for x := range q.items {
		got = append(got, x)
	}
	if !slices.Equal(got, []int{0, 1, 4}) {
		t.Errorf("got %v", got)
	}
}

// A table with subtests side by side.
func TestTable(t *testing.T) {
	for _, c := range []struct {
		in   string
		want int
	}{{"1,2", 2}, {"", 1}} {
		t.Run(c.in, func(t *testing.T) {
			t.Parallel()
			if got := len(strings.Split(c.in, ",")); got != c.want {
				t.Errorf("%q has %d parts, want %d", c.in, got, c.want)
			}
		})
	}
}

func TestPipe(t *testing.T) {
	r, w := io.Pipe()
	go func() {
		fmt.Fprint(w, "hello ")
		fmt.Fprint(w, "world")
		w.Close()
	}()
	text, err := io.ReadAll(r)
	if err != nil || string(text) != "hello world" {
		t.Errorf("got %q, %v", text, err)
	}
}

// A counter that loads and stores.
func TestCounterBug(t *testing.T) {
	var n atomic.Int64
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { n.Store(n.Load() + 1) })
	}
	wg.Wait()
	if n.Load() != 2 {
		t.Errorf("counted %d", n.Load())
	}
}

// The read lock is taken again while a writer waits.
func TestReadLockTwiceBug(t *testing.T) {
	var mu sync.RWMutex
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.RLock()
		defer mu.RUnlock()
		mu.RLock()
		defer mu.RUnlock()
	})
	wg.Go(func() { mu.Lock(); mu.Unlock() })
	wg.Wait()
}

// A flag that is read without the lock.
func TestFlagRaceBug(t *testing.T) {
	var mu sync.Mutex
	stopped := false
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.Lock()
		stopped = true
		mu.Unlock()
	})
	if stopped {
		t.Log("so soon")
	}
	wg.Wait()
}

// Add comes behind the go statement: Done may come first.
func TestDoneFirstBug(t *testing.T) {
	var wg sync.WaitGroup
	go func() { wg.Done() }()
	wg.Add(1)
	wg.Wait()
}

// Every Done has its Add before it, in all orders.
func TestDoneBehind(t *testing.T) {
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			wg.Add(1)
			go wg.Done()
			wg.Done()
		}()
	}
	wg.Wait()
}

// Nobody waits for what logs to the test.
func TestLateLogBug(t *testing.T) {
	go t.Log("still there")
}

var hits int

// What is left in a variable of the package is no bug of the test by itself.
func TestLeavesBehind(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { mu.Lock(); hits++; mu.Unlock() })
	}
	wg.Wait()
	if hits != 2 {
		t.Errorf("%d hits", hits)
	}
}

var setUp sync.Once
var ready atomic.Bool

// Only who comes first in a process sees what is not ready yet.
func TestFirstOnlyBug(t *testing.T) {
	var wg sync.WaitGroup
	wg.Go(func() { setUp.Do(func() { ready.Store(true) }) })
	if !ready.Load() {
		wg.Wait()
		return
	}
	wg.Wait()
	t.Error("ready so soon")
}

// It panics by itself, and waits for good if the other one comes first; what it does while it panics concerns nobody.
func TestTwiceClosedBug(t *testing.T) {
	full := make(chan int, 1)
	go func() { full <- 1 }()
	full <- 2
	close(full)
	close(full)
}

// It closes twice if it comes before the first of two that are sent, and waits for good if it comes behind the second.
func TestClosedTooSoonBug(t *testing.T) {
	var sent atomic.Int32
	done, queue := make(chan int, 1), make(chan int, 2)
	go func() {
		if sent.CompareAndSwap(0, 1) {
			queue <- 3
			close(done)
		}
		close(done)
	}()
	for range 2 {
		select {
		case <-done:
		case queue <- 3:
		}
		sent.Add(1)
	}
	<-done
}

// Who offers may be met by the select, which may receive as well; behind the close the offer panics.
func TestOfferBug(t *testing.T) {
	c := make(chan int)
	go func() {
		select {
		case c <- 1:
		default:
		}
	}()
	go func() {
		select {
		case <-c:
		case c <- 3:
		}
	}()
	c <- 3
	close(c)
}
