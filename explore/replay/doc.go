// Package replay runs one execution of a program, along a schedule, and says what it does, what it leads to and what is
// wrong with it: as a search would that came to it, and in words.
//
//	player.go     running a schedule, step by step: what each step reads and writes, what it waits for then
//	execution.go  running and judging a schedule: Run, and Execution, which is its result
//	words.go      violations in sentences, and why a process waits (explore/deadlock)
//	shorten.go    an easier schedule for a violation
//	record.go     replay files: a schedule with its program
//	values.go     named values of states and outcomes; channels and locks of Go programs as a whole
//	history.go    the history of operations of an execution, and why it is not linearizable
//
// Nothing is judged here: explore.Walk judges steps and ends, as it does for a search, and explore.JudgeLasso what goes
// round for ever.
package replay
