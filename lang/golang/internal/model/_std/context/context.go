// Package context stands in for Go's. A context is cancelled in one step, and then those that were
// derived from it, one after the other.
package context

import (
	"errors"
	"time"
)

func enter()
func enterAt(due int64)
func leave()

type Context interface {
	Deadline() (deadline time.Time, ok bool)
	Done() <-chan struct{}
	Err() error
	Value(key any) any
}

type CancelFunc func()

type CancelCauseFunc func(cause error)

var Canceled = errors.New("context canceled")

type deadlineExceeded struct{}

func (*deadlineExceeded) Error() string   { return "context deadline exceeded" }
func (*deadlineExceeded) Timeout() bool   { return true }
func (*deadlineExceeded) Temporary() bool { return true }

var DeadlineExceeded error = &deadlineExceeded{}

type empty struct{ name string }

func (*empty) Deadline() (deadline time.Time, ok bool) { return }
func (*empty) Done() <-chan struct{}                   { return nil }
func (*empty) Err() error                              { return nil }
func (*empty) Value(key any) any                       { return nil }

var (
	background = &empty{"background"}
	todo       = &empty{"todo"}
)

func Background() Context { return background }
func TODO() Context       { return todo }

// A cancelCtx knows those that are derived from it as a list.
type cancelCtx struct {
	Context
	done     chan struct{}
	err      error
	cause    error
	deadline time.Time
	alarm    *time.Alarm // nil: without a deadline of its own
	first    *cancelCtx
	next     *cancelCtx
	then     func()
}

func (c *cancelCtx) Done() <-chan struct{} { return c.done }

func (c *cancelCtx) Err() error {
	enter()
	err := c.err
	leave()
	return err
}

func (c *cancelCtx) Deadline() (time.Time, bool) {
	if c.alarm != nil {
		return c.deadline, true
	}
	return c.Context.Deadline()
}

// cancel cancels once.
func (c *cancelCtx) cancel(err, cause error) {
	enter()
	was, child := c.mark(err, cause)
	leave()
	if !was {
		c.pass(child, err, cause)
	}
}

// mark cancels the context alone, within a step, and returns whether that was done before, and the first derived one.
func (c *cancelCtx) mark(err, cause error) (was bool, child *cancelCtx) {
	if c.err != nil {
		return true, nil
	}
	if cause == nil {
		cause = err
	}
	c.err = err
	c.cause = cause
	close(c.done)
	if c.alarm != nil {
		time.Disarm(c.alarm)
	}
	return false, c.first
}

// pass hands the cancellation on.
func (c *cancelCtx) pass(child *cancelCtx, err, cause error) {
	if c.then != nil {
		c.then()
	}
	for ; child != nil; child = child.next {
		child.cancel(err, cause)
	}
}

type valueCtx struct {
	Context
	key, value any
}

func (c *valueCtx) Value(key any) any {
	if c.key == key {
		return c.value
	}
	return c.Context.Value(key)
}

func WithValue(parent Context, key, value any) Context {
	return &valueCtx{parent, key, value}
}

// canceller is the nearest context above that can be cancelled; nil: none.
func canceller(c Context) *cancelCtx {
	for {
		switch x := c.(type) {
		case *cancelCtx:
			return x
		case *valueCtx:
			c = x.Context
		default:
			return nil
		}
	}
}

// derive makes a context that is cancelled with its parent.
func derive(parent Context) *cancelCtx {
	c := &cancelCtx{Context: parent, done: make(chan struct{})}
	above := canceller(parent)
	if above == nil {
		if parent.Done() != nil {
			go follow(parent, c)
		}
		return c
	}
	enter()
	err, cause := above.err, above.cause
	if err == nil {
		c.next = above.first
		above.first = c
	}
	leave()
	if err != nil {
		c.cancel(err, cause)
	}
	return c
}

// follow cancels a context when one of another kind is done.
func follow(parent Context, c *cancelCtx) {
	select {
	case <-parent.Done():
		c.cancel(parent.Err(), nil)
	case <-c.done:
	}
}

func WithCancel(parent Context) (Context, CancelFunc) {
	c := derive(parent)
	return c, func() { c.cancel(Canceled, nil) }
}

func WithCancelCause(parent Context) (Context, CancelCauseFunc) {
	c := derive(parent)
	return c, func(cause error) { c.cancel(Canceled, cause) }
}

func WithoutCancel(parent Context) Context { return &detached{parent} }

type detached struct{ Context }

func (*detached) Deadline() (deadline time.Time, ok bool) { return }
func (*detached) Done() <-chan struct{}                   { return nil }
func (*detached) Err() error                              { return nil }

// expire is the goroutine of a deadline.
func expire(c *cancelCtx, due int64, cause error) {
	enterAt(due)
	if c.err == nil {
		time.Ring(c.alarm, due)
	}
	was, child := c.mark(DeadlineExceeded, cause)
	leave()
	if !was {
		c.pass(child, DeadlineExceeded, cause)
	}
}

func WithDeadline(parent Context, d time.Time) (Context, CancelFunc) {
	return WithDeadlineCause(parent, d, nil)
}

func WithDeadlineCause(parent Context, d time.Time, cause error) (Context, CancelFunc) {
	c := derive(parent)
	c.deadline, c.alarm = d, &time.Alarm{}
	enter()
	go expire(c, time.ArmAt(c.alarm, d), cause)
	leave()
	return c, func() { c.cancel(Canceled, nil) }
}

func WithTimeout(parent Context, timeout time.Duration) (Context, CancelFunc) {
	return WithTimeoutCause(parent, timeout, nil)
}

func WithTimeoutCause(parent Context, timeout time.Duration, cause error) (Context, CancelFunc) {
	c := derive(parent)
	c.alarm = &time.Alarm{}
	enter()
	due := time.Arm(c.alarm, int64(timeout))
	c.deadline = time.ArmedFor(due)
	go expire(c, due, cause)
	leave()
	return c, func() { c.cancel(Canceled, nil) }
}

func Cause(c Context) error {
	x := canceller(c)
	if x == nil {
		return c.Err()
	}
	enter()
	cause := x.cause
	leave()
	return cause
}

func AfterFunc(ctx Context, f func()) (stop func() bool) {
	c := derive(ctx)
	begun := false
	c.then = func() {
		enter()
		first := !begun
		begun = true
		leave()
		if first {
			go f()
		}
	}
	return func() bool {
		enter()
		stopped := !begun
		begun = true
		leave()
		return stopped
	}
}
