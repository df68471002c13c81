package symbolic

import (
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/term"
)

// Values that are made of other lists: joined, cut, turned round and sorted ones. A path decides how long each of them
// is, and of a sorted one the order.

// rebuilt evaluates Fit, Concat, Slice, Sort and Reverse.
func (x *interpreter) rebuilt(e *step.Expr) []term.Form {
	elems := x.elements(e.Args[0])
	switch e.Op {
	case step.Concat:
		if x.fits(e.Type, elems) {
			elems = append(elems, x.elements(e.Args[1])...)
		}
	case step.Slice:
		from, to := x.Scalar(e.Args[1]), x.Scalar(e.Args[2])
		i, first := x.among(from, len(elems))
		k, last := x.among(to, len(elems))
		if !first || !last || i > k {
			x.raise(step.BadIndex)
			i, k = 0, 0
		}
		elems = elems[i:k]
	case step.Reverse:
		slices.Reverse(elems)
	case step.Sort:
		slices.SortStableFunc(elems, x.order)
	}
	x.fits(e.Type, elems)
	words := make([]term.Form, e.Type.Words())
	if x.Fault == step.NoFault {
		words[0] = term.Constant(int64(len(elems)))
		copy(words[1:], slices.Concat(elems...))
	}
	return words
}

// fits reports whether a type has room for elements, and raises a fault if it has not.
func (x *interpreter) fits(t *step.Type, elems [][]term.Form) bool {
	if len(elems) > t.Len {
		x.raise(step.Full)
	}
	return x.Fault == step.NoFault
}

// elements are those of an array or a list, of which the path decides how many there are; none after a fault.
func (x *interpreter) elements(e *step.Expr) (elems [][]term.Form) {
	words, n := x.words(e), e.Type.Len
	if x.Fault != step.NoFault {
		return nil
	}
	if e.Type.Counted() {
		n, _ = x.among(words[0], n)
		words = words[1:]
	}
	width := e.Type.Elem.Words()
	for i := range n {
		elems = append(elems, words[i*width:(i+1)*width])
	}
	return elems
}

// among is a number that is decided to be one of 0..most; ok is false for others, and after a fault.
func (x *interpreter) among(f term.Form, most int) (k int, ok bool) {
	for k := range most + 1 {
		if x.Fault == step.NoFault && x.Equal(f, term.Constant(int64(k))) {
			return k, true
		}
	}
	return 0, false
}
