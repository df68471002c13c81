package ordinary

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"expvar"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// What assertion packages have.

func equal[T comparable](t testing.TB, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
}

// A cache makes what it does not have: looked for and stored under two locks, it is made twice.
type cache[K cmp.Ordered, V any] struct {
	mu      sync.Mutex
	entries map[K]V
	fetch   func(K) V
	apart   bool
}

func (c *cache[K, V]) get(k K) V {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.entries[k]; ok {
		return v
	}
	if c.apart {
		c.mu.Unlock()
		v := c.fetch(k)
		c.mu.Lock()
		c.entries[k] = v
		return v
	}
	c.entries[k] = c.fetch(k)
	return c.entries[k]
}

func fetches(apart bool) int64 {
	var made atomic.Int64
	c := &cache[string, int]{entries: map[string]int{}, apart: apart, fetch: func(k string) int {
		made.Add(1)
		return len(k)
	}}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { c.get("key") })
	}
	wg.Wait()
	return made.Load()
}

func TestCacheBug(t *testing.T) { equal(t, fetches(true), 1) }
func TestCache(t *testing.T)    { equal(t, fetches(false), 1) }

// A topic is closed by who unsubscribes, while somebody publishes.
type topic struct {
	mu   sync.Mutex
	subs map[int]chan string
}

func (p *topic) publish(s string, inside bool) {
	p.mu.Lock()
	list := slices.Collect(maps.Values(p.subs))
	if inside {
		defer p.mu.Unlock()
	} else {
		p.mu.Unlock()
	}
	for _, c := range list {
		select {
		case c <- s:
		default:
		}
	}
}

func (p *topic) leave(id int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.subs[id])
	delete(p.subs, id)
}

func leaves(inside bool) {
	p := &topic{subs: map[int]chan string{1: make(chan string, 1)}}
	var wg sync.WaitGroup
	wg.Go(func() { p.publish("news", inside) })
	wg.Go(func() { p.leave(1) })
	wg.Wait()
}

func TestUnsubscribeBug(*testing.T) { leaves(false) }
func TestUnsubscribe(*testing.T)    { leaves(true) }

// Close twice: the flag is looked at and set in two steps.
type closer struct {
	closed atomic.Bool
	done   chan struct{}
}

func (c *closer) close(swap bool) {
	if swap {
		if c.closed.CompareAndSwap(false, true) {
			close(c.done)
		}
		return
	}
	if !c.closed.Load() {
		c.closed.Store(true)
		close(c.done)
	}
}

func closesTwice(swap bool) {
	c := &closer{done: make(chan struct{})}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { c.close(swap) })
	}
	wg.Wait()
	<-c.done
}

func TestCloseTwiceBug(*testing.T) { closesTwice(false) }
func TestCloseTwice(*testing.T)    { closesTwice(true) }

// A bounded queue whose consumer asks once only whether there is something.
type bounded[T any] struct {
	mu    sync.Mutex
	more  *sync.Cond
	items []T
}

func (q *bounded[T]) put(x T) {
	q.mu.Lock()
	q.items = append(q.items, x)
	q.mu.Unlock()
	q.more.Broadcast()
}

func (q *bounded[T]) take(again bool) (T, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 {
		q.more.Wait()
		if !again {
			break
		}
	}
	if len(q.items) == 0 {
		return *new(T), errors.New("woken for nothing")
	}
	x := q.items[0]
	q.items = q.items[1:]
	return x, nil
}

func takes(t *testing.T, again bool) {
	q := &bounded[int]{}
	q.more = sync.NewCond(&q.mu)
	var wg sync.WaitGroup
	var errs [2]error
	for i := range errs {
		wg.Go(func() { _, errs[i] = q.take(again) })
	}
	q.put(1)
	q.put(2)
	wg.Wait()
	noError(t, errors.Join(errs[:]...))
}

func TestCondOnceBug(t *testing.T) { takes(t, false) }
func TestCondLoop(t *testing.T)    { takes(t, true) }

// A handler counts visits in a session that it reads and writes under two locks.
type sessions struct {
	mu     sync.Mutex
	visits map[string]int
	whole  bool
}

func (s *sessions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user := r.URL.Query().Get("user")
	s.mu.Lock()
	n := s.visits[user]
	if !s.whole {
		s.mu.Unlock()
		s.mu.Lock()
	}
	s.visits[user] = n + 1
	s.mu.Unlock()
	json.NewEncoder(w).Encode(map[string]any{"user": user, "visits": n + 1})
}

func visits(t *testing.T, whole bool) {
	s := &sessions{visits: map[string]int{}, whole: whole}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			w := httptest.NewRecorder()
			s.ServeHTTP(w, httptest.NewRequest("GET", "/?user=eve", nil))
			var got struct{ Visits int }
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Visits == 0 {
				t.Errorf("%q: %v", w.Body, err)
			}
		})
	}
	wg.Wait()
	equal(t, s.visits["eve"], 2)
}

func TestVisitsBug(t *testing.T) { visits(t, false) }
func TestVisits(t *testing.T)    { visits(t, true) }

// A semaphore that is not given back when the work fails.
func limited(t *testing.T, back bool) {
	places := make(chan struct{}, 1)
	work := func(fail bool) error {
		places <- struct{}{}
		if back {
			defer func() { <-places }()
		}
		if fail {
			return fmt.Errorf("work: %w", context.Canceled)
		}
		if !back {
			<-places
		}
		return nil
	}
	results := make(chan error, 2)
	go func() { results <- work(true) }()
	go func() { results <- work(false) }()
	failed := 0
	for range 2 {
		if err := <-results; errors.Is(err, context.Canceled) {
			failed++
		}
	}
	equal(t, failed, 1)
}

func TestSemaphoreBug(t *testing.T) { limited(t, false) }
func TestSemaphore(t *testing.T)    { limited(t, true) }

// Jobs that are still in the queue when the pool is told to stop.
func drained(t *testing.T, drain bool) {
	jobs, stop := make(chan float64, 2), make(chan struct{})
	var sum float64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case x := <-jobs:
				sum += x
				continue
			case <-stop:
			}
			for drain {
				select {
				case x := <-jobs:
					sum += x
				default:
					return
				}
			}
			return
		}
	}()
	jobs <- 0.5
	jobs <- 1.5
	close(stop)
	<-done
	equal(t, sum, 2)
}

func TestStopLosesJobBug(t *testing.T) { drained(t, false) }
func TestStopDrains(t *testing.T)      { drained(t, true) }

// Two loggers write a line in two pieces.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func written(t *testing.T, whole bool) {
	l := &lines{}
	var wg sync.WaitGroup
	for _, who := range []string{"a", "b"} {
		wg.Go(func() {
			if whole {
				fmt.Fprintf(l, "%s=%q\n", who, strings.Repeat(who, 2))
				return
			}
			fmt.Fprintf(l, "%s=", who)
			fmt.Fprintf(l, "%q\n", strings.Repeat(who, 2))
		})
	}
	wg.Wait()
	got := strings.Split(strings.TrimSpace(l.b.String()), "\n")
	slices.Sort(got)
	equal(t, strings.Join(got, ";"), `a="aa";b="bb"`)
}

func TestTornLineBug(t *testing.T) { written(t, false) }
func TestWholeLine(t *testing.T)   { written(t, true) }

// A poller that gives up by the time it has slept, and forgets that it may be told while it sleeps.
func polled(t *testing.T, last bool) {
	var ready atomic.Bool
	go func() {
		time.Sleep(20 * time.Millisecond)
		ready.Store(true)
	}()
	found := false
	for range 2 {
		if found = ready.Load(); found {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if last && !found {
		time.Sleep(time.Millisecond)
		found = ready.Load()
	}
	equal(t, found, true)
}

func TestPollBug(t *testing.T)  { polled(t, false) }
func TestPollOnce(t *testing.T) { polled(t, true) }

// The first error of a group: who stores it last wins.
type group struct {
	wg   sync.WaitGroup
	once sync.Once
	err  error
	mu   sync.Mutex
	any  bool
}

func (g *group) run(first bool, fs ...func() error) error {
	for _, f := range fs {
		g.wg.Go(func() {
			err := f()
			switch {
			case err == nil:
			case first:
				g.once.Do(func() { g.err = err })
			default:
				g.mu.Lock()
				seen := g.any
				g.any = true
				g.mu.Unlock()
				if !seen {
					g.mu.Lock()
					g.err = err
					g.mu.Unlock()
				}
			}
		})
	}
	if first {
		g.wg.Wait()
		return g.err
	}
	for {
		g.mu.Lock()
		any, err := g.any, g.err
		g.mu.Unlock()
		if any {
			g.wg.Wait()
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

func TestFirstErrorBug(t *testing.T) {
	if (&group{}).run(false, func() error { return errors.New("broken") }) == nil {
		t.Error("the error is lost")
	}
}

func TestFirstError(t *testing.T) {
	if (&group{}).run(true, func() error { return nil }, func() error { return errors.New("broken") }) == nil {
		t.Error("the error is lost")
	}
}

// finished reports whether a queue that is empty means that its job is done; first says that the job is done before it
// leaves the queue.
func finished(first bool) bool {
	queue := make(chan int, 1)
	queue <- 1
	var done atomic.Int32
	go func() {
		if first {
			done.Add(1)
		}
		<-queue
		if !first {
			done.Add(1)
		}
	}()
	return len(queue) > 0 || done.Load() == 1
}

func TestFinishedBug(t *testing.T) {
	if !finished(false) {
		t.Error("the queue is empty, the job is not done")
	}
}

func TestFinished(t *testing.T) {
	if !finished(true) {
		t.Error("the queue is empty, the job is not done")
	}
}

// How many goroutines there are has no gate.
func TestLeftOver(t *testing.T) {
	before, c := runtime.NumGoroutine(), make(chan int, 1)
	go func() { c <- 1 }()
	<-c
	t.Log(runtime.NumGoroutine() - before)
}

// A counter of the library is read and written back, or added to.
func TestExpvarBug(t *testing.T) {
	var hits expvar.Int
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { hits.Set(hits.Value() + 1) })
	}
	wg.Wait()
	if hits.Value() != 2 {
		t.Error(hits.String())
	}
}

func TestExpvar(t *testing.T) {
	var hits expvar.Int
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { hits.Add(1) })
	}
	wg.Wait()
	if hits.Value() != 2 {
		t.Error(hits.String())
	}
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// greet says hello by a pooled buffer, which it gives back too early or not.
func greet(name string, early bool, mu *sync.Mutex, all *[]string) {
	b := buffers.Get().(*bytes.Buffer)
	b.Reset()
	fmt.Fprintf(b, "hello %s", name)
	if early {
		buffers.Put(b)
	}
	mu.Lock()
	*all = append(*all, b.String())
	mu.Unlock()
	if !early {
		buffers.Put(b)
	}
}

func greets(t *testing.T, early bool) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	var all []string
	for _, name := range []string{"ann", "bob"} {
		wg.Go(func() { greet(name, early, &mu, &all) })
	}
	wg.Wait()
	if all[0] == all[1] {
		t.Errorf("both say %s", all[0])
	}
}

func TestPooledBug(t *testing.T) { greets(t, true) }
func TestPooled(t *testing.T)    { greets(t, false) }

// left is what goroutines there are beside this one, as a package that looks for leaks finds out.
func left() (list []string) {
	buf := make([]byte, 1<<16)
	stacks := strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")
	for _, s := range stacks[1:] {
		header, rest, _ := strings.Cut(s, "\n")
		if !strings.HasPrefix(rest, "testing.(*T).Run(") || !strings.Contains(header, "[chan receive") {
			list = append(list, s)
		}
	}
	return list
}

func TestLeaksNothing(t *testing.T) {
	done := make(chan bool)
	go func() { done <- true }()
	if list := left(); len(list) != 1 || !strings.Contains(list[0], "TestLeaksNothing") {
		t.Errorf("beside the test: %q", list)
	}
	<-done
	for range 3 {
		runtime.Gosched()
	}
	if list := left(); len(list) > 1 {
		t.Errorf("left: %q", list)
	}
}
