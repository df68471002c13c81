// Package visited remembers states that a search has left, and what may follow them (explore/STATES.md, "Visited
// states"). It knows no search: Table has a visit for each state, and may forget any of them; StackStates finds the
// states on the stack; Futures number the sets of steps that may still be taken; Saved is all of that as plain data.
//
//	table.go    Table, bounded; StackStates; StateLog, a list of states up to a size
//	futures.go  sets of later steps, one number for each
//	saved.go    writing a table and its sets of steps, and reading them
package visited
