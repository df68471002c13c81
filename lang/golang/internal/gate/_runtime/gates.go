//go:build go1.23

package cdporgate

import (
	"iter"
	"reflect"
	"sync"
)

// At is a gate before what follows.
//
//go:norace
func At(at string) {
	raceOff()
	arrive(at)
	raceOn()
}

// Before is a gate before the operation that a value is for.
func Before[T any](at string, v T) T {
	At(at)
	return v
}

// Main begins the test, or the main function.
//
//go:norace
func Main(hasFailed func() bool) {
	raceOff()
	mu.Lock()
	g := add(0)
	g.id = number()
	mu.Unlock()
	raceOn()
	failed.Store(&hasFailed)
}

// MainEnds says that the test has returned, and made the calls that Cleanup asked for.
//
//go:norace
func MainEnds() {
	raceOff()
	mu.Lock()
	all[0].ended = true
	mu.Unlock()
	raceOn()
}

// Finish waits until the end has been judged: the tests are over.
//
//go:norace
func Finish(code int) int {
	raceOff()
	mu.Lock()
	over = true
	mu.Unlock()
	<-ended
	raceOn()
	return code
}

// Go is a gate before a go statement; the result is for the goroutine that it starts.
//
//go:norace
func Go(at string) *Started {
	raceOff()
	g := started(at)
	arrive(at)
	raceOn()
	return &Started{g}
}

// Named is Go for a go statement that has its gate elsewhere.
//
//go:norace
func Named(at string) *Started {
	raceOff()
	g := started(at)
	raceOn()
	return &Started{g}
}

// A Started is a goroutine that has been started.
type Started struct{ g *goroutine }

// Begin begins it; it ends with what the result does.
//
//go:norace
func (s *Started) Begin() func() {
	raceOff()
	s.g.begin()
	arrive("start")
	raceOn()
	return s.end
}

//go:norace
func (s *Started) end() {
	raceOff()
	s.g.end()
	raceOn()
}

// Start is the function of a go statement that is no literal.
func Start[F any](s *Started, f F) F {
	return wrap(f, func(call func()) {
		defer s.Begin()()
		call()
	})
}

// Deferred is a function of a defer statement, with a gate before its call.
func Deferred[F any](at string, f F) F {
	return wrap(f, func(call func()) {
		At(at)
		call()
	})
}

// DeferredClose closes a channel behind a gate.
func DeferredClose[T any](at string, c chan<- T) {
	At(at)
	close(c)
}

// wrap is a function of the same type around another one.
func wrap[F any](f F, around func(call func())) F {
	v := reflect.ValueOf(f)
	return reflect.MakeFunc(v.Type(), func(args []reflect.Value) (results []reflect.Value) {
		around(func() {
			if v.Type().IsVariadic() {
				results = v.CallSlice(args)
			} else {
				results = v.Call(args)
			}
		})
		return results
	}).Interface().(F)
}

// GoOf is Go of a WaitGroup.
func GoOf(at string, start func(func()), f func()) {
	s := Go(at)
	start(func() {
		defer s.Begin()()
		defer At(at)
		f()
	})
}

// Run is Run of a test.
func Run[T interface{ Run(string, func(T)) bool }](at string, t T, name string, f func(T)) bool {
	s := Go(at)
	return t.Run(name, func(t T) {
		defer s.Begin()()
		f(t)
	})
}

// way is the case that a select takes, as far as the schedule says it.
//
//go:norace
func way(at string) int {
	raceOff()
	mu.Lock()
	way := -1
	if g := current(); g != nil && !free && g.proc >= 0 {
		way = g.way(at)
	}
	mu.Unlock()
	raceOn()
	return way
}

// way is the case that a goroutine takes in the select that it has begun to evaluate. One of its channels may be that
// of a timer, which starts first.
//
//go:norace
func (g *goroutine) way(at string) int {
	inside := false // of the select
	other := false  // inside of another operation, which has started nothing so far
	for i := next; i < len(entries); i++ {
		e := &entries[i]
		if e.proc != g.proc {
			continue
		}
		if !e.inner {
			if inside || other {
				return -1
			}
			inside = e.at == at
			other = !inside
		}
		if inside && e.way >= 0 {
			return e.way
		}
		other = other && e.starts < 0
	}
	return -1
}

// Never is the number of a case that is never taken, since it is only there to fail a test that takes long.
const Never = -2

// Receive is the channel of a case of a select that receives; nil if the schedule takes another one. The last case has
// the gate.
func Receive[T any](at string, k int, last bool, c <-chan T) <-chan T {
	way := way(at)
	if last {
		At(at)
	}
	if way >= 0 && way != k || k == Never {
		return nil
	}
	return c
}

// Send is the channel of a case of a select that sends.
func Send[T any](at string, k int, last bool, c chan<- T) chan<- T {
	way := way(at)
	if last {
		At(at)
	}
	if way >= 0 && way != k || k == Never {
		return nil
	}
	return c
}

// Range is a range over a channel.
func Range[T any](at string, c <-chan T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for {
			At(at)
			if v, ok := <-c; !ok || !yield(v) {
				return
			}
		}
	}
}

// Wait is Wait of a Cond, with a second gate before it takes its lock again.
func Wait(at string, c *sync.Cond) {
	At(at)
	locksAgain(at+"#lock", c)
	c.Wait()
}

//go:norace
func locksAgain(at string, c *sync.Cond) {
	if _, ok := c.L.(*locker); !ok {
		c.L = &locker{c.L}
	}
	if g := current(); g != nil {
		g.again = at
	}
}

// A locker is the lock of a Cond.
type locker struct{ sync.Locker }

//go:norace
func (l *locker) Lock() {
	if g := current(); g != nil && g.again != "" {
		at := g.again
		g.again = ""
		At(at)
	}
	l.Locker.Lock()
}
