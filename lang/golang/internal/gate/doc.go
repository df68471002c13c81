// Package gate makes Go programs follow a schedule: it writes gates into their text, calls that wait until it is the
// goroutine's turn.
//
//	gate.go        the files of a gated program
//	writer.go      the text of a file with gates
//	statements.go  gates of statements
//	expressions.go gates of expressions, and calls that the package of gates has instead of the library
//	firsts.go      which steps begin an operation
//	schedule.go    a schedule as gates, one for each step that has one
//	_runtime       the package of gates, which becomes a part of the program
//
// A step of a model is an operation of the program, or a part of one: where an operation has several steps its gate is
// before the first one. Only where that is no more than to say that one is there, as a sender or a receiver that waits
// for the other is, the gate comes just before another goroutine meets it. Between two gates the real program runs
// until no goroutine can go on, which the Go runtime says, so it is in the state that the schedule has then, if the
// models are right. Steps without a gate, as those of packages that are not the user's, take place with what comes
// before them.
//
// Time decides nothing but when to give up: a program that has not come to rest after ten seconds goes on by itself.
package gate
