// Package memory has memory that several workers do not disturb each other with.
//
//	memory.go  small values made together, and scratch memory that is apart from that of others
package memory

// A Slab is memory for many small values of a type, which are made together because that is cheaper than one by one.
type Slab[T any] []T

// New is one of them, which is zero.
func (s *Slab[T]) New() *T {
	if len(*s) == 0 {
		*s = make([]T, 64)
	}
	t := &(*s)[0]
	*s = (*s)[1:]
	return t
}

// Scratch is memory that a worker writes all the time, with room behind it: what is another worker's must not lie in
// the same line of the cache.
func Scratch[T int32 | int64 | uint64](n int) []T { return make([]T, n, n+16) }

// Copy is a copy in scratch memory.
func Copy[T int32 | int64 | uint64](from []T) []T {
	to := Scratch[T](len(from))
	copy(to, from)
	return to
}
