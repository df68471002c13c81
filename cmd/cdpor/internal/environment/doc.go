// Package environment has the streams, clock and interrupts of a command, and writes its errors.
//
//	environment.go  streams, colours, the clock, interrupts, time limits
//	errors.go       the error that ended a command, messages about places in files
package environment
