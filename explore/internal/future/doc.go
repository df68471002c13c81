// Package future tells what the processes of a machine may still do in a state, themselves and through what they
// start: a list of steps with at least the locations that they may touch. It comes from the program text and the
// state, by an abstract execution (THEORY, "Sleep sequences" of package explore).
//
//	future.go     Analysis, which remembers what it has found, and Future, one answer; Ahead, for explanations
//	interpret.go  the abstract execution: which numbers variables may have that say where steps go to
package future
