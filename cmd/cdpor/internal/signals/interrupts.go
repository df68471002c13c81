package signals

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// Interrupts. While Z3 works on a question it catches SIGINT by itself, and afterwards it puts Go's handler back
// without the stack of its own that a Go handler must have. The binding has no switch for that. So from the first
// question on the handler is put in place every few milliseconds (on Linux), and what Z3 catches nevertheless is passed
// on (synth.Options.Interrupted).

// handlerPeriod is how long Z3 may have SIGINT for itself.
const handlerPeriod = 5 * time.Millisecond

// An Interrupter ends a context at the first interrupt. The second one ends the process.
type Interrupter struct {
	cancel context.CancelFunc
	caught chan os.Signal
	ended  chan struct{}

	sync.Mutex
	listens, guards bool
	own             signalHandler // of SIGINT
}

// NewInterrupter begins to listen; the context ends at the first interrupt.
func NewInterrupter() (context.Context, *Interrupter) {
	ctx, cancel := context.WithCancel(context.Background())
	i := &Interrupter{cancel: cancel, caught: make(chan os.Signal, 1), ended: make(chan struct{}), listens: true}
	signal.Notify(i.caught, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-i.caught:
			i.Interrupt()
		case <-i.ended:
		}
	}()
	return ctx, i
}

// Interrupt ends the context and leaves further signals to the system.
func (i *Interrupter) Interrupt() {
	i.Lock()
	defer i.Unlock()
	i.cancel()
	if i.listens {
		i.listens = false
		signal.Stop(i.caught)
	}
}

// Guard sees to it from now on that the handler stays in place.
func (i *Interrupter) Guard() {
	i.Lock()
	defer i.Unlock()
	if i.guards || !i.listens {
		return
	}
	own, ok := handlerOf(os.Interrupt)
	if !ok {
		return
	}
	i.guards, i.own = true, own
	go func() {
		tick := time.NewTicker(handlerPeriod)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				i.own.install(os.Interrupt)
			case <-i.ended:
				return
			}
		}
	}()
}

// End stops listening.
func (i *Interrupter) End() {
	i.Interrupt()
	close(i.ended)
}
