// Package native runs a Go test under control: one goroutine at a time, the one that it is told. A goroutine stops at a
// gate before each operation that synchronises, and what is done there is written down.
//
// The gates are in the library of the installed Go, by go test -overlay, so that everything obeys them: the test, what
// it imports, and the library itself.
//
//	insertions.go  what is put into the library, all of it
//	atomics.go     sync/atomic with gates, which what is outside of the library imports
//	calls.go       types whose methods are taken for one step each
//	overlay.go     files of the library with insertions, and a schedule that go test alone follows with them
//	modules.go     copies of modules with files that are changed
//
// One process executes a test again and again, and is told each time which actions to begin with:
//
//	tests.go       the tests of a package
//	process.go     building the tests, the process, one exchange for each execution
//	binaries.go    what was linked before
//	record.go      what an execution was, and its goroutines called as in another process
//	operations.go  operations, and what they make of objects; the process has this file as well
//	names.go       what operations are called
//	models         models of primitives, with the constraints that cdpor synth has proved of them: operations that
//	               count as independent commute by these, in the state that they meet (models_test.go)
//
// The folder _runtime has what the library gets besides: a package internal/cdpor, which controls goroutines and has
// locks without gates, and what that needs of the packages runtime and testing.
package native
