// Package vet looks for what is not wrong in a program but probably not meant.
//
//	vet.go       warnings: statements that read and write in one step, names without use, comparisons that never hold,
//	             properties that cannot fail
//	loops.go     integers that only grow in a loop; loops that wait by going round
//	faults.go    expressions that fail whenever they are evaluated; threads that end while they hold a mutex
package vet
