// Package golang is the front end for Go programs: it makes the step form of what a test, or a main function, does.
//
// A program is loaded with its types into the SSA form of golang.org/x/tools (internal/source), with models in place of
// the library packages about synchronisation and time (internal/model). Calls are written out, and what pointers may
// point to is found with them (internal/pointsto); then which places two goroutines can reach (internal/share). What is
// left is made of nodes (internal/lower).
//
//	golang.go  from a folder or a file to a program
//	vet.go     what can be explored, and what is in the way of the rest
package golang
