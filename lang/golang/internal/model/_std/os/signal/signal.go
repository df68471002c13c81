// Package signal stands in for Go's: one signal comes to each Notify, at any time.
package signal

import (
	"context"
	"os"
)

// stopped are the channels that Stop has been called for.
var stopped []chan<- os.Signal

func enter()
func leave()

// deliver is the goroutine of a signal.
func deliver(c chan<- os.Signal, sig os.Signal) {
	enter()
	wanted := true
	for _, other := range stopped {
		wanted = wanted && other != c
	}
	if wanted {
		select {
		case c <- sig:
		default:
		}
	}
	leave()
}

func Notify(c chan<- os.Signal, sig ...os.Signal) {
	if c == nil {
		panic("os/signal: Notify using nil channel")
	}
	if len(sig) == 0 {
		go deliver(c, os.Interrupt)
		return
	}
	go deliver(c, sig[0])
}

func Stop(c chan<- os.Signal) {
	enter()
	stopped = append(stopped, c)
	leave()
}

func NotifyContext(parent context.Context, sig ...os.Signal) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(parent)
	go cancel()
	return ctx, cancel
}

func Ignore(sig ...os.Signal) {}

func Reset(sig ...os.Signal) {}
