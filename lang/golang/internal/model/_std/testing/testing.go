// Package testing is what cdpor explores in place of Go's: a test that fails is a finding at the place where it does.
package testing

func fail()   // ends the execution with a failed test
func goexit() // ends the goroutine after its deferred calls
func enter()
func leave()

type TB interface {
	Cleanup(func())
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
	Skip(args ...any)
	SkipNow()
	Skipf(format string, args ...any)
	Skipped() bool
}

type common struct {
	name    string
	cleanup []func()
	skipped bool
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
func (c *common) Log(args ...any)                   {}
func (c *common) Logf(format string, args ...any)   {}
func (c *common) Name() string                      { return c.name }
func (c *common) Skip(args ...any)                  { c.SkipNow() }
func (c *common) Skipf(format string, args ...any)  { c.SkipNow() }
func (c *common) Skipped() bool                     { return c.skipped }
func (c *common) SkipNow() {
	c.skipped = true
	goexit()
}

// end makes the calls that Cleanup asked for, the last one first.
func (c *common) end() {
	for i := len(c.cleanup) - 1; i >= 0; i-- {
		c.cleanup[i]()
	}
}

type T struct{ common }

func (t *T) Parallel()                {}
func (t *T) Setenv(key, value string) {}
func (t *T) Run(name string, f func(*T)) bool {
	done := make(chan struct{})
	sub := &T{common{name: name}}
	go func() {
		defer close(done)
		f(sub)
		sub.end()
	}()
	<-done
	return true
}

type B struct {
	common
	N int
}

type F struct{ common }

type M struct{}

// CdporRun runs one test.
func CdporRun(name string, f func(*T)) {
	t := &T{common{name: name}}
	f(t)
	t.end()
}

func Short() bool   { return true }
func Verbose() bool { return false }
