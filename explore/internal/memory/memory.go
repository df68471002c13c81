// Package memory has memory that several workers do not disturb each other with.
//
//	memory.go  scratch memory that is apart from that of others
package memory

// Scratch is memory that a worker writes all the time, with room behind it: what is another worker's must not lie in
// the same line of the cache.
func Scratch[T int32 | int64 | uint64](n int) []T { return make([]T, n, n+16) }

// Copy is a copy in scratch memory.
func Copy[T int32 | int64 | uint64](from []T) []T {
	to := Scratch[T](len(from))
	copy(to, from)
	return to
}
