// Package history compares what the operations of an execution did with a sequential specification.
//
// A history says which operations the processes have performed, with arguments and results, and for each of them what
// had completed when it started: an interval order. The state at the end of an execution has all of that
// (step.Recorder; Reader takes it from there). It is linearizable (Herlihy and Wing, TOPLAS 12, 1990) if the operations
// can be put into one order that agrees with it and in which the specification gives the same results. Checker asks
// github.com/anishathalye/porcupine for such an order, which implements Wing and Gong (JPDC 17, 1993) with the cache of
// Lowe (CCPE 29, 2017). Lanes draws a history.
//
//	history.go  History, and the Reader that takes it from a state
//	spec.go     the specification, one operation after the other
//	check.go    Checker
//	lanes.go    a drawing with a lane for each process
package history
