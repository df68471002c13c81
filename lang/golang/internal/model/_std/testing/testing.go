// Package testing stands in for Go's: a test that fails is a finding at the place where it does.
package testing

import (
	"context"
	"io"
	"os"
	"sync"
	"time"
)

func fail()   // ends the execution with a failed test
func goexit() // ends the goroutine after its deferred calls
func enter()
func leave()

type TB interface {
	ArtifactDir() string
	Attr(key, value string)
	Chdir(dir string)
	Cleanup(func())
	Context() context.Context
	Error(args ...any)
	Errorf(format string, args ...any)
	Fail()
	FailNow()
	Failed() bool
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Helper()
	Log(args ...any)
	Logf(format string, args ...any)
	Name() string
	Output() io.Writer
	Setenv(key, value string)
	Skip(args ...any)
	SkipNow()
	Skipf(format string, args ...any)
	Skipped() bool
	TempDir() string
}

type common struct {
	name    string  // as Run was given it
	above   *common // nil: it is no subtest
	earlier *common // the subtest before it
	latest  *common // of its own subtests
	cleanup []func()
	skipped bool
	root    *common // the test that others are subtests of
	done    bool    // with the test, whose report is out
	over    bool    // its function and its subtests have returned
	ctx     context.Context
	cancel  context.CancelFunc
}

func (c *common) Cleanup(f func())                  { c.cleanup = append(c.cleanup, f) }
func (c *common) Error(args ...any)                 { fail() }
func (c *common) Errorf(format string, args ...any) { fail() }
func (c *common) Fail()                             { fail() }
func (c *common) FailNow()                          { fail() }
func (c *common) Failed() bool                      { return false }
func (c *common) Fatal(args ...any)                 { fail() }
func (c *common) Fatalf(format string, args ...any) { fail() }
func (c *common) Helper()                           {}
func (c *common) Log(args ...any)                   { c.log() }
func (c *common) Logf(format string, args ...any)   { c.log() }
func (c *common) Skip(args ...any)                  { c.SkipNow() }
func (c *common) Skipf(format string, args ...any)  { c.SkipNow() }
func (c *common) Skipped() bool                     { return c.skipped }
func (c *common) SkipNow() {
	c.skipped = true
	if c.above == nil {
		skips()
	}
	goexit()
}

// log panics, as Go does, if there is no test any more whose report could have the text.
func (c *common) log() {
	enter()
	late := c.root != nil && c.root.done
	leave()
	if late {
		panic("Log in goroutine after the test has completed")
	}
}

func (c *common) Attr(key, value string) {}
func (c *common) Chdir(dir string)       {}
func (c *common) Output() io.Writer      { return io.Discard }
func (c *common) TempDir() string
func (c *common) ArtifactDir() string

func sameName(name, other string) bool                    // of two subtests, if they are known
func subtestName(parent, name string, earlier int) string // earlier are how many have the same

// Name is made when it is asked for.
func (c *common) Name() string {
	if c.above == nil {
		return c.name
	}
	same := 0
	for s := c.earlier; s != nil; s = s.earlier {
		if sameName(s.name, c.name) {
			same++
		}
	}
	return subtestName(c.above.Name(), c.name, same)
}

// Setenv is undone with the calls that Cleanup asked for.
func (c *common) Setenv(key, value string) {
	before, there := os.LookupEnv(key)
	os.Setenv(key, value)
	c.Cleanup(func() {
		if there {
			os.Setenv(key, before)
		} else {
			os.Unsetenv(key)
		}
	})
}

func asksContext() bool // whether the program calls Context at all
func asksSkip() bool    // whether it skips tests
func skips()            // the test is skipped
func skipsNot()         // the test is not skipped

// Context is cancelled just before the calls that Cleanup asked for. It is made when it is asked for, by any goroutine.
func (c *common) Context() context.Context {
	enter()
	if c.ctx == nil {
		c.ctx, c.cancel = context.WithCancel(context.Background())
		if c.over {
			c.cancel()
		}
	}
	ctx := c.ctx
	leave()
	return ctx
}

// end makes the calls that Cleanup asked for, the last one first.
func (c *common) end() {
	if asksContext() {
		c.over = true
	}
	if asksSkip() && c.above == nil && !c.skipped {
		skipsNot()
	}
	if c.cancel != nil {
		c.cancel()
	}
	for i := len(c.cleanup) - 1; i >= 0; i-- {
		c.cleanup[i]()
	}
	enter()
	c.done = true
	leave()
}

// A T whose function has returned lets those of its subtests go on that called Parallel, and waits for them.
type T struct {
	common
	parent     *T
	returned   chan struct{}
	parallel   sync.WaitGroup // the subtests that called Parallel
	reported   chan struct{}  // to Run: the function has called Parallel, or the subtest is over
	inParallel bool
	noParallel bool
}

func newT(name string) *T { return &T{common: common{name: name}, returned: make(chan struct{})} }

func (t *T) Deadline() (deadline time.Time, limited bool) { return }

const parallelConflict = "testing: test using t.Setenv, t.Chdir, or cryptotest.SetGlobalRandom can not use t.Parallel"

func (t *T) Parallel() {
	around := t.parent
	t.inParallel = true
	if t.noParallel {
		panic(parallelConflict)
	}
	if around == nil {
		return
	}
	around.parallel.Add(1)
	t.reported <- struct{}{}
	<-around.returned
}

func (t *T) Setenv(key, value string) {
	for x := t; x != nil; x = x.parent {
		if x.inParallel {
			panic(parallelConflict)
		}
	}
	t.noParallel = true
	t.common.Setenv(key, value)
}

func (t *T) Run(name string, f func(*T)) bool {
	sub := newT(name)
	sub.parent, sub.root, sub.reported = t, t.root, make(chan struct{}, 1)
	sub.above, sub.earlier, t.latest = &t.common, t.latest, &sub.common
	go sub.run(f)
	<-sub.reported
	return true
}

// run makes the calls of a test.
func (t *T) run(f func(*T)) {
	defer t.end()
	f(t)
}

func (t *T) end() {
	close(t.returned)
	t.parallel.Wait()
	t.common.end()
	if t.parent != nil {
		if t.inParallel {
			t.parent.parallel.Done()
		}
		t.reported <- struct{}{}
	}
}

type B struct {
	common
	N int
}

type F struct{ common }

// An M runs one test.
type M struct {
	name string
	f    func(*T)
}

func (m *M) Run() int {
	CdporRun(m.name, m.f)
	return 0
}

// CdporRun runs one test.
func CdporRun(name string, f func(*T)) {
	t := newT(name)
	t.root = &t.common
	t.run(f)
}

// CdporMain runs one test through TestMain.
func CdporMain(name string, f func(*T), main func(*M)) { main(&M{name, f}) }

func testMainElsewhere()

// CdporMainElsewhere stands for a TestMain in another package than the test.
func CdporMainElsewhere(m *M) { testMainElsewhere() }

func Short() bool   { return true }
func Verbose() bool { return false }
