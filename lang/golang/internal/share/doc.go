// Package share finds which places of a Go program two goroutines can reach while one of them writes.
//
//	share.go  accesses, and which of them others can see
//	loops.go  how often a place in the code is reached: by how many goroutines, and how often by each
package share
