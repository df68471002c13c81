//go:build !unix

package main

// onStatus does nothing where there is no SIGUSR1.
func onStatus(func()) (stop func()) { return func() {} }
