package explore

// A slab is memory for many small values of a type, which are made together because that is cheaper than one by one.
type slab[T any] []T

func (s *slab[T]) new() *T {
	if len(*s) == 0 {
		*s = make([]T, 64)
	}
	t := &(*s)[0]
	*s = (*s)[1:]
	return t
}

// scratch is memory that a worker writes all the time, with room behind it: what is another worker's must not lie in
// the same line of the cache.
func scratch[T int32 | int64 | uint64](n int) []T { return make([]T, n, n+16) }

func scratchCopy[T int32 | int64 | uint64](from []T) []T {
	to := scratch[T](len(from))
	copy(to, from)
	return to
}
