package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"cdpor/cmd/cdpor/internal/signals"
	"cdpor/cmd/cdpor/internal/terminal"
)

// An environment is what a command may touch of the world.
type environment struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	terminal       bool   // stderr is a terminal
	color          string // auto, always or never
	github         bool   // messages are for GitHub Actions
	json           bool   // the result is one JSON object
	now            func() time.Time
	ctx            context.Context // done after the first interrupt; the second one kills
	interrupts     *signals.Interrupter
	stop           func()
	asked          atomic.Bool   // SIGUSR1 has asked for a line of progress
	holdBack       time.Duration // see announcer
}

func newEnvironment(stdin io.Reader, stdout, stderr io.Writer) *environment {
	ctx, interrupts := signals.NewInterrupter()
	e := &environment{stdin: stdin, stdout: stdout, stderr: stderr, terminal: terminal.IsTerminal(stderr), now: time.Now, ctx: ctx, interrupts: interrupts,
		holdBack: holdBack}
	ignore := signals.OnStatus(func() { e.asked.Store(true) })
	e.stop = func() {
		interrupts.End()
		ignore()
	}
	return e
}

// colour is the colour for a stream, as --color wants it.
func (e *environment) colour(w io.Writer) terminal.Colour { return terminal.ColourFor(w, e.color) }

// limited is the context of a command with a time limit; zero means none.
func (e *environment) limited(timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout <= 0 {
		return context.WithCancel(e.ctx)
	}
	return context.WithTimeoutCause(e.ctx, timeout, fmt.Errorf("timeout after %v", timeout))
}

// whyStopped says what ended a context.
func whyStopped(ctx context.Context) string {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause.Error()
	}
	return "interrupted"
}
