// Package instrument adds to the step form of a program what observes it: nodes inside the steps that are there
// already. It works on nodes, after everything else, so that no construct of the language can be forgotten.
//
//	always.go     what must hold in every state or at every step, checked in the steps that may break it
//	races.go      data races, which fail where a second thread comes between the two halves of an access
//	crashes.go    threads that may crash: each step waits until its thread has not
//	recording.go  operations with a specification: a log of what each process did
package instrument
