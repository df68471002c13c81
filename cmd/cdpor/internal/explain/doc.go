// Package explain has the command that explains the code of a message, or an algorithm.
//
//	explain.go     cdpor explain
//	algorithms.go  what it says of algorithms
package explain
