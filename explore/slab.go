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
