package ordinary

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Bugs that hardly ever show when the test is just run.

// A stack of indices without locks: a node that was taken and given back in between looks as if nothing had happened.
type freeList struct {
	head atomic.Int32
	next [4]atomic.Int32
}

func (l *freeList) take() (int32, bool) {
	for {
		first := l.head.Load()
		if first == 0 {
			return 0, false
		}
		next := l.next[first].Load()
		if l.head.CompareAndSwap(first, next) {
			return first, true
		}
	}
}

func (l *freeList) give(n int32) {
	for {
		first := l.head.Load()
		l.next[n].Store(first)
		if l.head.CompareAndSwap(first, n) {
			return
		}
	}
}

func TestFreeListBug(t *testing.T) {
	var l freeList
	l.give(1)
	l.give(2)
	var taken [4]atomic.Int32
	var wg sync.WaitGroup
	wg.Go(func() {
		if n, ok := l.take(); ok {
			taken[n].Add(1)
		}
	})
	a, ok := l.take()
	if !ok {
		return
	}
	b, ok := l.take()
	l.give(a)
	if ok {
		taken[b].Add(1)
	}
	wg.Wait()
	if n, ok := l.take(); ok && n != a {
		taken[n].Add(1)
	}
	for n := range taken {
		if taken[n].Load() > 1 {
			t.Errorf("node %d was taken %d times", n, taken[n].Load())
		}
	}
}

// A resource is closed when its last user leaves, who may not be the last one by then.
type resource struct {
	users  atomic.Int64
	closed atomic.Bool
}

func (r *resource) acquire() error {
	if r.closed.Load() {
		return errors.New("closed")
	}
	r.users.Add(1)
	return nil
}

func (r *resource) release() {
	if r.users.Add(-1) == 0 {
		r.closed.Store(true)
	}
}

func TestLastUserBug(t *testing.T) {
	r := &resource{}
	r.users.Store(1)
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := r.acquire(); err != nil {
			return // in time
		}
		if r.closed.Load() {
			t.Errorf("%v is used and closed", reflect.TypeOf(r).Elem().Name())
		}
		r.release()
	})
	r.release()
	wg.Wait()
}

// Who may write is decided by who reads that nobody does.
func TestElectionBug(t *testing.T) {
	var mu sync.RWMutex
	leader := ""
	leads := func(name string) bool {
		mu.RLock()
		none := leader == ""
		mu.RUnlock()
		if !none {
			return false
		}
		mu.Lock()
		defer mu.Unlock()
		leader = name
		return true
	}
	elected := make(chan string, 2)
	var wg sync.WaitGroup
	for _, name := range []string{"ann", "bob"} {
		wg.Go(func() {
			if leads(name) {
				elected <- strings.ToUpper(name)
			}
		})
	}
	wg.Wait()
	close(elected)
	var all []string
	for name := range elected {
		all = append(all, name)
	}
	if sort.Strings(all); len(all) != 1 {
		t.Errorf("leaders %v", all)
	}
}

// A pool that is closed between the look whether it is and the sending of a job.
type pool struct {
	closed atomic.Bool
	jobs   chan func()
}

func (p *pool) submit(job func()) bool {
	if p.closed.Load() {
		return false
	}
	p.jobs <- job
	return true
}

func (p *pool) close() {
	if p.closed.CompareAndSwap(false, true) {
		close(p.jobs)
	}
}

func TestSubmitClosedBug(t *testing.T) {
	p := &pool{jobs: make(chan func(), 2)}
	var wg sync.WaitGroup
	wg.Go(func() {
		for job := range p.jobs {
			job()
		}
	})
	wg.Go(func() { p.submit(func() { _ = math.Sqrt(2) }) })
	p.close()
	wg.Wait()
}

// Mean and count are read under two locks.
type statistic struct {
	mu    sync.Mutex
	sum   float64
	count int
}

func (s *statistic) add(x float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sum += x
	s.count++
}

func (s *statistic) total() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sum
}

func (s *statistic) n() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

func TestTornMeanBug(t *testing.T) {
	s := &statistic{}
	s.add(2)
	var wg sync.WaitGroup
	wg.Go(func() { s.add(2) })
	text, err := json.Marshal(map[string]float64{"mean": s.total() / float64(s.n())})
	if err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if want := `{"mean":2}`; string(text) != want {
		t.Errorf("%s, want %s", text, want)
	}
}

// A message is passed on although its topic was given up in the meantime: three goroutines have to meet.
func TestForwardBug(t *testing.T) {
	var mu sync.Mutex
	routes := map[string]chan string{"a": make(chan string, 1)}
	find := func(topic string) chan string {
		mu.Lock()
		defer mu.Unlock()
		return routes[topic]
	}
	move := func(topic string) {
		mu.Lock()
		defer mu.Unlock()
		old := routes[topic]
		routes[topic] = make(chan string, 1)
		close(old)
	}
	var wg sync.WaitGroup
	wg.Go(func() { move("a") })
	wg.Go(func() {
		c := find("a")
		defer func() {
			if e := recover(); e != nil {
				t.Errorf("lost: %v", fmt.Sprint(e))
			}
		}()
		c <- "hello"
	})
	wg.Wait()
}
