// Package lower reads the sections of a program file and turns statements into nodes of the step form. Package check
// checks and translates the expressions in them; build wires the nodes, and package primitive knows what an operation
// of a primitive is.
//
//	load.go       a file: its sections in the order in which they depend on each other; loader.go what is known
//	              meanwhile
//	declarations.go              sections: bounds, types, parameters, shared variables
//	threads.go, checks.go, expect.go    sections: what runs, what must hold, which numbers are expected
//	functions.go, procedures.go  pure functions; procedures, which are written out where they are called
//	identities.go, actors.go     what comes into being while the program runs: threads, actors, tasks
//	statements.go                what each statement becomes; lowering.go what is known of the thread around it
//	crashes.go                   the process that crashes others
//	collections.go               statements that change collections
//	sync.go, channels.go, mailbox.go, receive.go    operations of primitives
//	choice.go     nondeterminism
//	operations.go operations with a specification
package lower
