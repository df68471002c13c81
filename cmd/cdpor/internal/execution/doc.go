// Package execution shows one execution of a program, which package explore/replay has run, to people.
//
//	execution.go  a schedule that was run, where it led to, and why a deadlock is one
//	chart.go      the steps of a schedule, a column for every process
//	walk.go       goes through an execution step by step, as the user asks for it
//	lanes.go      what operations did, a lane for every process
package execution
