// Package share finds which places of a Go program two goroutines can reach while one of them writes.
//
//	share.go     objects that several goroutines reach, and which accesses others can see
//	accesses.go  what an instruction does with memory
//	loops.go     how often a place in the code is reached: by how many goroutines, and how often by each
package share
