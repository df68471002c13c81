// Package vet looks for what is not wrong in a program but probably not meant.
//
//	findings.go  what lowering notices while it knows the statements
//	vet.go       warnings: statements that read and write in one step, names without use, properties that cannot fail
//	unreleased.go  threads that end while they hold a mutex
//	spinloop.go  loops that wait by going round
//	compared.go  comparisons that never hold
//	faults.go    expressions that fail whenever they are evaluated
//	growing.go   integers that only grow in a loop without an end
package vet
