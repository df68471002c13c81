// Package execution shows one execution of a program, which package explore/replay has run, to people.
//
//	execution.go  a schedule that was run, where it led to, and what operations did, a lane for every process
//	chart.go      the steps of a schedule, a column for every process
//	legend.go     what names with a number mean, such as c#2
//	rows.go       the steps of a Go program as people read them, in the words of Go
//	why.go        why a deadlock is one, with the lines of the program
package execution
