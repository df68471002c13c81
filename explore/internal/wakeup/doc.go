// Package wakeup has wakeup trees (POPL'14, section 6): the sequences of actions that are going to be explored from a
// node, as an ordered tree. It knows nothing of executions: what it has to know of a sequence it asks that.
//
//	forest.go  memory for trees, of branches that have numbers
//	insert.go  insertion of a sequence into a tree
//	saved.go   trees as lists of numbers
package wakeup
