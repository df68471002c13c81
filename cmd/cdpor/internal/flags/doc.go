// Package flags has the flags that several commands share, and what they make of them.
//
//	program.go  a program with its parameters: loads it
//	golang.go   a Go program with its bounds: loads it
//	search.go   the algorithm, the search and its limits, and when it is saved
//	report.go   what is shown of a search; --help-all
package flags
