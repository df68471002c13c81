package primitive_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cdpor/explore/oracle"
	"cdpor/lang/primitive"
	"cdpor/lang/step"
	"cdpor/lang/step/build"
)

// A program is made by hand, thread by thread.
type program struct {
	step.Program
	shown []*step.Var // shared ones, in the outcomes
}

func (p *program) shared(name string, t *step.Type) *step.Expr {
	v := &step.Var{Name: name, Type: t, Shared: true, Offset: p.SharedWords}
	p.Shared = append(p.Shared, v)
	p.SharedWords += t.Words()
	p.Init = append(p.Init, primitive.Initial(t)...)
	return build.Ref(v, step.Pos{})
}

// number is a shared integer that the outcomes show.
func (p *program) number(name string) *step.Expr {
	x := p.shared(name, step.IntType)
	p.shown = append(p.shown, x.Var)
	return x
}

func (p *program) thread(body func(c *build.Code)) {
	t := &step.Template{Name: fmt.Sprint("t", len(p.Templates)), Count: 1}
	c := &build.Code{Builder: build.New(t, false)}
	body(c)
	if misplaced := c.Seal(); len(misplaced) > 0 {
		panic("a node that blocks inside of a step")
	}
	p.Templates = append(p.Templates, t)
	p.Procs = append(p.Procs, &step.Proc{Index: len(p.Procs), Template: t, Name: t.Name,
		Init: make([]int64, t.LocalWords)})
}

// outcomes are the ends of all executions: for each thread how it ended, then the values of the numbers.
func (p *program) outcomes(t *testing.T) (list []string) {
	t.Helper()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	m, err := step.NewMachine(&p.Program)
	if err != nil {
		t.Fatal(err)
	}
	g, err := oracle.Search(m, 10000)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range g.Terminals {
		var words []string
		for i := range p.Procs {
			fault, node, failed := m.Failure(s, i)
			switch {
			case failed && node.Msg != "":
				words = append(words, node.Msg)
			case failed:
				words = append(words, fault.String())
			case m.Finished(s, i):
				words = append(words, "ends")
			default:
				words = append(words, "waits")
			}
		}
		for _, v := range p.shown {
			words = append(words, fmt.Sprint(v.Name, "=", s[v.Offset]))
		}
		list = append(list, strings.Join(words, " "))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// set is a step that sets a number.
func set(c *build.Code, x *step.Expr, v int64) { c.Unit(func() { c.Set(x, v) }) }

// keep is a step that copies a value into a number.
func keep(c *build.Code, x, v *step.Expr) { c.Unit(func() { c.Assign(x, v) }) }

// bump is two steps that add 1 to a number, and lose what comes in between.
func bump(c *build.Code, x *step.Expr) {
	t := c.Temp(step.IntType)
	c.Unit(func() { c.Assign(t, x) })
	c.Unit(func() { c.Assign(x, c.Int(step.Add, t, c.Number(1))) })
}

// An interleaved test makes a small program and says how its executions end.
type interleaved struct {
	name string
	make func(p *program)
	want []string
}

// inAllInterleavings runs each program in all interleavings.
func inAllInterleavings(t *testing.T, list []interleaved) {
	for _, tt := range list {
		t.Run(tt.name, func(t *testing.T) {
			p := &program{}
			tt.make(p)
			if got := p.outcomes(t); !slices.Equal(got, tt.want) {
				t.Errorf("%q, and it should be %q", got, tt.want)
			}
		})
	}
}

// TestLocks: mutexes, semaphores and locks for readers and writers.
func TestLocks(t *testing.T) {
	inAllInterleavings(t, []interleaved{
		{"no lock, so that an update gets lost", func(p *program) {
			x := p.number("x")
			for range 2 {
				p.thread(func(c *build.Code) { bump(c, x) })
			}
		}, []string{"ends ends x=1", "ends ends x=2"}},
		{"a mutex keeps the second locker out", func(p *program) {
			x, m := p.number("x"), primitive.Mutex{Place: p.shared("m", step.MutexType)}
			for range 2 {
				p.thread(func(c *build.Code) { m.Lock(c); bump(c, x); m.Unlock(c) })
			}
		}, []string{"ends ends x=2"}},
		{"a mutex that is never released", func(p *program) {
			m := primitive.Mutex{Place: p.shared("m", step.MutexType)}
			for range 2 {
				p.thread(m.Lock)
			}
		}, []string{"ends waits", "waits ends"}},
		{"who does not hold a mutex cannot release it", func(p *program) {
			m := primitive.Mutex{Place: p.shared("m", step.MutexType)}
			p.thread(m.Lock)
			p.thread(m.Unlock)
		}, []string{"ends mutex not held"}},
		{"an attempt does not wait", func(p *program) {
			x, y, m := p.number("x"), p.number("y"), primitive.Mutex{Place: p.shared("m", step.MutexType)}
			for _, got := range []*step.Expr{x, y} {
				p.thread(func(c *build.Code) { keep(c, got, m.TryLock(c)) })
			}
		}, []string{"ends ends x=0 y=1", "ends ends x=1 y=0"}},
		{"a semaphore of one", func(p *program) {
			s := primitive.Semaphore{Place: p.shared("s", primitive.SemaphoreType(1))}
			p.thread(s.Acquire)
			p.thread(s.Acquire)
		}, []string{"ends waits", "waits ends"}},
		{"a semaphore that is released", func(p *program) {
			x, s := p.number("x"), primitive.Semaphore{Place: p.shared("s", primitive.SemaphoreType(0))}
			p.thread(func(c *build.Code) { s.Acquire(c); keep(c, x, s.TryAcquire(c)) })
			p.thread(s.Release)
		}, []string{"ends ends x=0"}},
		{"readers read together, a writer writes alone", func(p *program) {
			x, y, z := p.number("x"), p.number("y"), p.number("z")
			l := primitive.RWLock{Place: p.shared("l", primitive.RWLockType(3))}
			for _, seen := range []*step.Expr{y, z} {
				p.thread(func(c *build.Code) {
					l.RLock(c)
					first := c.Temp(step.IntType)
					keep(c, first, x)
					keep(c, seen, c.Int(step.Sub, x, first)) // nothing changes meanwhile
					l.RUnlock(c)
				})
			}
			p.thread(func(c *build.Code) { l.Lock(c); bump(c, x); l.Unlock(c) })
		}, []string{"ends ends ends x=1 y=0 z=0"}},
		{"two readers that stay, and a writer", func(p *program) {
			l := primitive.RWLock{Place: p.shared("l", primitive.RWLockType(3))}
			p.thread(l.RLock)
			p.thread(l.RLock)
			p.thread(l.Lock)
		}, []string{"ends ends waits", "waits waits ends"}},
		{"reading twice, and releasing what is not held", func(p *program) {
			l := primitive.RWLock{Place: p.shared("l", primitive.RWLockType(3))}
			p.thread(func(c *build.Code) { l.RLock(c); l.RLock(c) })
			p.thread(l.RUnlock)
			p.thread(l.Unlock)
		}, []string{"this thread already holds the lock for reading mutex not held mutex not held"}},
	})
}

// TestAtomics: operations that read and write in one step.
func TestAtomics(t *testing.T) {
	inAllInterleavings(t, []interleaved{
		{"cas, fetch_add and swap", func(p *program) {
			x, y, z := p.number("x"), p.number("y"), p.number("z")
			p.thread(func(c *build.Code) { keep(c, y, primitive.CompareAndSwap(c, x, c.Number(0), c.Number(5))) })
			p.thread(func(c *build.Code) { keep(c, z, primitive.FetchAdd(c, x, c.Number(2), true)) })
		}, []string{"ends ends x=2 y=0 z=0", "ends ends x=7 y=1 z=5"}},
		{"swap takes the new value of the place that it changes", func(p *program) {
			x, y := p.number("x"), p.number("y")
			p.thread(func(c *build.Code) {
				set(c, x, 3)
				keep(c, y, primitive.Swap(c, x, c.Int(step.Mul, x, c.Number(2)), true))
				primitive.FetchAdd(c, x, c.Number(1), false)
			})
		}, []string{"ends x=7 y=3"}},
	})
}

// TestConditions: condition variables, with and without spurious wakeups.
func TestConditions(t *testing.T) {
	inAllInterleavings(t, []interleaved{
		{"a signal before the wait is lost", func(p *program) {
			m := primitive.Mutex{Place: p.shared("m", step.MutexType)}
			v := primitive.Cond{Place: p.shared("v", primitive.CondType(2, false))}
			p.thread(func(c *build.Code) { m.Lock(c); v.Wait(c, m); m.Unlock(c) })
			p.thread(v.Signal)
		}, []string{"ends ends", "waits ends"}},
		{"a signal wakes the first, a broadcast all", func(p *program) {
			x, m := p.number("x"), primitive.Mutex{Place: p.shared("m", step.MutexType)}
			v := primitive.Cond{Place: p.shared("v", primitive.CondType(3, false))}
			for range 2 {
				p.thread(func(c *build.Code) { m.Lock(c); bump(c, x); v.Wait(c, m); m.Unlock(c) })
			}
			p.thread(func(c *build.Code) {
				c.Unit(func() { c.Await(c.Bool(step.Eq, x, c.Number(2))) })
				m.Lock(c) // both wait
				v.Broadcast(c)
				m.Unlock(c)
			})
		}, []string{"ends ends ends x=2"}},
		{"a wait without a signal, where a process may wake up by itself", func(p *program) {
			m := primitive.Mutex{Place: p.shared("m", step.MutexType)}
			v := primitive.Cond{Place: p.shared("v", primitive.CondType(1, true))}
			p.thread(func(c *build.Code) { m.Lock(c); v.Wait(c, m); m.Unlock(c) })
		}, []string{"ends", "waits"}},
		{"a wait without the mutex", func(p *program) {
			m := primitive.Mutex{Place: p.shared("m", step.MutexType)}
			v := primitive.Cond{Place: p.shared("v", primitive.CondType(1, false))}
			p.thread(func(c *build.Code) { v.Wait(c, m) })
		}, []string{"mutex not held"}},
	})
}

// TestMeetings: barriers, wait groups and once.
func TestMeetings(t *testing.T) {
	inAllInterleavings(t, []interleaved{
		{"two meet, a third waits", func(p *program) {
			b := primitive.Barrier{Place: p.shared("b", primitive.BarrierType(2))}
			for range 3 {
				p.thread(b.Wait)
			}
		}, []string{"ends ends waits", "ends waits ends", "waits ends ends"}},
		{"two meet three times, with a round that alternates", func(p *program) {
			x, b := p.number("x"), primitive.Barrier{Place: p.shared("b", primitive.BarrierType(2)), Alternates: true}
			p.thread(func(c *build.Code) { b.Wait(c); set(c, x, 1); b.Wait(c); b.Wait(c) })
			p.thread(func(c *build.Code) { b.Wait(c); b.Wait(c); set(c, x, 2); b.Wait(c) })
		}, []string{"ends ends x=2"}},
		{"a wait group", func(p *program) {
			x, g := p.number("x"), primitive.WaitGroup{Place: p.shared("g", primitive.WaitGroupType())}
			p.thread(func(c *build.Code) { g.Add(c, c.Number(1)); set(c, x, 1); g.Done(c); g.Done(c) })
			p.thread(func(c *build.Code) { g.Wait(c); keep(c, x, c.Int(step.Add, x, c.Number(2))) })
		}, []string{"negative count of a waitgroup ends x=1", "negative count of a waitgroup ends x=3"}},
		{"once: the others wait until it is done", func(p *program) {
			x, y, z := p.number("x"), p.number("y"), p.number("z")
			o := primitive.Once{Place: p.shared("o", primitive.OnceType())}
			for _, seen := range []*step.Expr{y, z} {
				p.thread(func(c *build.Code) { o.Do(c, func() { bump(c, x); bump(c, x) }); keep(c, seen, x) })
			}
		}, []string{"ends ends x=2 y=2 z=2"}},
	})
}

// TestMutexStates looks at the states on the way: who may lock, and who not.
func TestMutexStates(t *testing.T) {
	p := &program{}
	m := primitive.Mutex{Place: p.shared("m", step.MutexType)}
	for range 2 {
		p.thread(func(c *build.Code) { m.Lock(c); m.Unlock(c) })
	}
	machine, err := step.NewMachine(&p.Program)
	if err != nil {
		t.Fatal(err)
	}
	r, s := machine.NewRunner(), machine.Initial()
	for i, now := range []struct{ first, second bool }{{true, true}, {true, false}, {false, true}} {
		if first, second := r.Enabled(s, 0), r.Enabled(s, 1); first != now.first || second != now.second {
			t.Errorf("after %d steps of the first: %v and %v are enabled", i, first, second)
		}
		if now.first {
			r.Run(s, 0)
		}
	}
}

// TestRounds meets for ever: with rounds that alternate the same states come back.
func TestRounds(t *testing.T) {
	for _, alternates := range []bool{true, false} {
		p := &program{}
		b := primitive.Barrier{Place: p.shared("b", primitive.BarrierType(2)), Alternates: alternates}
		for range 2 {
			p.thread(func(c *build.Code) {
				b.Wait(c)
				c.Connect(c.Open, 0)
				c.Open = nil
			})
		}
		m, err := step.NewMachine(&p.Program)
		if err != nil {
			t.Fatal(err)
		}
		if g, err := oracle.Search(m, 1000); (err == nil && g.Cyclic) != alternates {
			t.Errorf("alternates %v: %v", alternates, err)
		}
	}
}
