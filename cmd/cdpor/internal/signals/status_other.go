//go:build !unix

package signals

// OnStatus does nothing where there is no SIGUSR1.
func OnStatus(func()) (stop func()) { return func() {} }
