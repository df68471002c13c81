package environment

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

// holdBack is how long nothing is announced, from the beginning of the run.
const holdBack = 2 * time.Second

// An Environment has the streams, clock and interrupts of a command.
type Environment struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Terminal       bool   // stderr is a terminal
	Color          string // auto, always or never
	GitHub         bool   // messages are for GitHub Actions
	JSON           bool   // the result is one JSON object
	Now            func() time.Time
	Context        context.Context // done after the first interrupt; the second one kills
	Interrupts     *signals.Interrupter
	Stop           func()
	Asked          atomic.Bool   // SIGUSR1 has asked for a line of progress
	HoldBack       time.Duration // see announcer
}

// New is the environment of a command line. Stop ends what it has begun.
func New(stdin io.Reader, stdout, stderr io.Writer) *Environment {
	ctx, interrupts := signals.NewInterrupter()
	e := &Environment{Stdin: stdin, Stdout: stdout, Stderr: stderr, Terminal: terminal.IsTerminal(stderr),
		Now: time.Now, Context: ctx, Interrupts: interrupts,
		HoldBack: holdBack}
	ignore := signals.OnStatus(func() { e.Asked.Store(true) })
	e.Stop = func() {
		interrupts.End()
		ignore()
	}
	return e
}

// Colour is the colour for a stream, as --color wants it.
func (e *Environment) Colour(w io.Writer) terminal.Colour { return terminal.ColourFor(w, e.Color) }

// Limited is the context of a command with a time limit; zero means none.
func (e *Environment) Limited(timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout <= 0 {
		return context.WithCancel(e.Context)
	}
	return context.WithTimeoutCause(e.Context, timeout, fmt.Errorf("timeout after %v", timeout))
}

// WhyStopped says what ended a context.
func WhyStopped(ctx context.Context) string {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause.Error()
	}
	return "interrupted"
}
