//go:build unix

package signals

import (
	"os"
	"os/signal"
	"syscall"
)

// OnStatus calls f whenever SIGUSR1 arrives, until stop is called.
func OnStatus(f func()) (stop func()) {
	asked, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(asked, syscall.SIGUSR1)
	go func() {
		for {
			select {
			case <-asked:
				f()
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(asked)
		close(done)
	}
}
