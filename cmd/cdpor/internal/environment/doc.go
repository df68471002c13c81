// Package environment is what a command may touch of the world, and how it says what is wrong.
//
//	environment.go  streams, colours, the clock, interrupts, time limits
//	errors.go       the error that ended a command, messages about places in files
package environment
