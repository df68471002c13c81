// Package random writes random concurrent Go programs, for tests.
//
//	random.go     programs as trees of statements, and their random choice
//	statements.go the kinds of statements
//	source.go     programs as text, and with a pause before each statement
//
// Programs end by construction, or deadlock, or panic. What goroutines share is an atomic, guarded by a mutex, or
// handed over through a channel, so that a program has no data race. Each goroutine records what it sees in a variable
// of its own.
package random
