package step

import (
	"math"
	"slices"
)

// The code of operations on composite values, and the arithmetic of integers that wrap around.

// arithmetic computes an arithmetic operator on values of a type; for Neg b is ignored.
func arithmetic(t *Type, op Op, a, b int64) (int64, Fault) {
	if t.Kind != Sized {
		return arith(op, a, b)
	}
	if op >= BitAnd {
		return t.Wrap(t.bits(op, a, b)), NoFault
	}
	switch op {
	case Neg:
		return t.Wrap(-a), NoFault
	case Add:
		return t.Wrap(a + b), NoFault
	case Sub:
		return t.Wrap(a - b), NoFault
	case Mul:
		return t.Wrap(a * b), NoFault
	}
	switch {
	case b == 0:
		return 0, DivideByZero
	case t.Unsigned && op == Div:
		return t.Wrap(int64(uint64(a) / uint64(b))), NoFault
	case t.Unsigned:
		return t.Wrap(int64(uint64(a) % uint64(b))), NoFault
	case op == Div:
		return t.Wrap(a / b), NoFault
	}
	return a % b, NoFault
}

// bits computes an operator on the bits of values of a Sized type.
func (t *Type) bits(op Op, a, b int64) int64 {
	switch {
	case op == BitAnd:
		return a & b
	case op == BitOr:
		return a | b
	case op == BitXor:
		return a ^ b
	case op == ShiftLeft:
		return a << uint64(b)
	case t.Unsigned:
		return int64(uint64(a) >> uint64(b))
	}
	return a >> uint64(b)
}

// Wrap is the value of a Sized type with the same low bits.
func (t *Type) Wrap(v int64) int64 {
	shift := 64 - t.Bits
	if t.Unsigned {
		return int64(uint64(v) << shift >> shift)
	}
	return v << shift >> shift
}

// scalarOf compiles the operators of this file that have a scalar value.
func (x *compiler) scalarOf(e *Expr) intFunc {
	switch e.Op {
	case Call, Lookup:
		words := x.span(e)
		return func(r *Runner) int64 { return words(r)[0] }
	case Convert:
		a, from, to := x.scalar(e.Args[0]), e.Args[0].Type, e.Type
		if to.Kind == Sized {
			return func(r *Runner) int64 { return to.Wrap(a(r)) }
		}
		if !(from.Kind == Sized && from.Unsigned && from.Bits == 64) {
			return a
		}
		return func(r *Runner) int64 {
			v := a(r)
			if v < 0 {
				r.raise(Overflow)
			}
			return v
		}
	case Has:
		list, key, each := x.span(e.Args[0]), x.key(e), e.Args[0].Type.Elem.Words()
		return func(r *Runner) int64 {
			_, found := search(list(r), each, key(r))
			return bit(found)
		}
	}
	x.fail("%s: operator %d has no scalar value", e.Pos, e.Op)
	return func(*Runner) int64 { return 0 }
}

// key compiles the key that Has, Lookup and Drop look for; it is kept in scratch memory, as the type of the elements.
func (x *compiler) key(e *Expr) spanFunc {
	t := e.Args[0].Type.Key()
	if t.Scalar() { // outside of the range it is simply not found
		return x.span(e.Args[1])
	}
	at, width := x.scratch, t.Words()
	x.scratch += width
	store := x.store(t, e.Args[1])
	return func(r *Runner) []int64 {
		dst := r.scratch[at : at+width]
		store(r, dst)
		return dst
	}
}

// search finds the first element of a sorted counted value whose first words are not below the key.
func search(list []int64, each int, key []int64) (at int, found bool) {
	if each == 0 {
		return 0, list[0] > 0
	}
	for lo, hi := 0, int(list[0]); ; {
		if lo == hi {
			from := 1 + lo*each
			return lo, lo < int(list[0]) && slices.Equal(list[from:from+len(key)], key)
		}
		mid := (lo + hi) / 2
		from := 1 + mid*each
		if slices.Compare(list[from:from+len(key)], key) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
}

// composite compiles the operators of this file whose values take several words, and calls; nil for other operators.
func (x *compiler) composite(e *Expr) spanFunc {
	width := e.Type.Words()
	scratch := func() int {
		at := x.scratch
		x.scratch += width
		return at
	}
	switch e.Op {
	case Call:
		call, at := x.call(e), scratch()
		return func(r *Runner) []int64 {
			dst := r.scratch[at : at+width]
			copy(dst, call(r))
			return dst
		}
	case Make:
		return x.assemble(e, scratch())
	case Lookup:
		list, key := x.span(e.Args[0]), x.key(e)
		each := e.Args[0].Type.Elem.Words()
		none := make([]int64, width)
		return func(r *Runner) []int64 {
			l, k := list(r), key(r)
			i, found := search(l, each, k)
			if !found {
				r.raise(NoKey)
				return none
			}
			return l[1+i*each+len(k) : 1+(i+1)*each]
		}
	case Fit, Concat, Slice, Sort, Reverse, Put, Drop:
		return x.rebuild(e, scratch())
	}
	return nil
}

// assemble compiles a record or array of parts.
func (x *compiler) assemble(e *Expr, at int) spanFunc {
	width := e.Type.Words()
	part := func(i int) (from int, t *Type) {
		if e.Type.Kind == Array {
			return i * e.Type.Elem.Words(), e.Type.Elem
		}
		return e.Type.FieldAt(i), e.Type.Fields[i].Type
	}
	type piece struct {
		from, to int
		store    storeFunc
	}
	var pieces []piece
	for i, a := range e.Args {
		from, t := part(i)
		pieces = append(pieces, piece{at + from, at + from + t.Words(), x.store(t, a)})
	}
	return func(r *Runner) []int64 {
		for i := range pieces {
			pieces[i].store(r, r.scratch[pieces[i].from:pieces[i].to])
		}
		return r.scratch[at : at+width]
	}
}

// rebuild compiles the operators that make a counted value of another one.
func (x *compiler) rebuild(e *Expr, at int) spanFunc {
	width, each, limit := e.Type.Words(), e.Type.Elem.Words(), int64(e.Type.Len)
	list := x.span(e.Args[0])
	room := func(r *Runner) []int64 { return r.scratch[at : at+width] }
	// fill makes a value of n elements; too many are an error.
	fill := func(r *Runner, n int64, elems []int64) []int64 {
		dst := room(r)
		if n > limit {
			r.raise(Full)
			n = limit
		}
		dst[0] = n
		clear(dst[1+copy(dst[1:], elems[:int(n)*each]):])
		return dst
	}
	switch e.Op {
	case Fit:
		return func(r *Runner) []int64 { l := list(r); return fill(r, l[0], l[1:]) }
	case Concat:
		more := x.span(e.Args[1])
		return func(r *Runner) []int64 {
			a := list(r)
			dst := fill(r, a[0], a[1:])
			b := more(r)
			if dst[0]+b[0] > limit {
				r.raise(Full)
				return dst
			}
			copy(dst[1+int(dst[0])*each:], b[1:1+int(b[0])*each])
			dst[0] += b[0]
			return dst
		}
	case Slice:
		lo, hi := x.scalar(e.Args[1]), x.scalar(e.Args[2])
		counted, length := e.Args[0].Type.Counted(), int64(e.Args[0].Type.Len)
		return func(r *Runner) []int64 {
			l, from, to := list(r), lo(r), hi(r)
			n := length
			if counted {
				n, l = l[0], l[1:]
			}
			if from < 0 || from > to || to > n {
				r.raise(BadIndex)
				from, to = 0, 0
			}
			return fill(r, to-from, l[int(from)*each:])
		}
	case Sort:
		return func(r *Runner) []int64 {
			l := list(r)
			dst := fill(r, l[0], l[1:])
			sortWords(dst[1:1+int(dst[0])*each], each)
			return dst
		}
	case Reverse:
		return func(r *Runner) []int64 {
			l := list(r)
			dst := fill(r, l[0], l[1:])
			for i, k := 0, int(dst[0])-1; i < k; i, k = i+1, k-1 {
				for w := range each {
					a, b := &dst[1+i*each+w], &dst[1+k*each+w]
					*a, *b = *b, *a
				}
			}
			return dst
		}
	}
	return x.replace(e, list, fill)
}

// replace compiles Put and Drop.
func (x *compiler) replace(e *Expr, list spanFunc, fill func(*Runner, int64, []int64) []int64) spanFunc {
	each, kind, limit := e.Type.Elem.Words(), e.Type.Kind, int64(e.Type.Len)
	if e.Op == Drop {
		key := x.key(e)
		return func(r *Runner) []int64 {
			l, k := list(r), key(r)
			i, found := search(l, each, k)
			dst := fill(r, l[0], l[1:])
			if found {
				copy(dst[1+i*each:], l[1+(i+1)*each:])
				clear(dst[1+int(l[0]-1)*each:])
				dst[0] = l[0] - 1
			}
			return dst
		}
	}
	at, width := x.scratch, e.Type.Key().Words()
	x.scratch += each
	store := x.store(e.Type.Elem, e.Args[1])
	return func(r *Runner) []int64 {
		elem := r.scratch[at : at+each]
		store(r, elem)
		l := list(r)
		i, found := search(l, each, elem[:width])
		dst := fill(r, l[0], l[1:])
		switch {
		case found && kind != Bag:
			copy(dst[1+i*each:], elem)
			return dst
		case l[0] >= limit:
			r.raise(Full)
			return dst
		}
		copy(dst[1+(i+1)*each:], l[1+i*each:1+int(l[0])*each])
		copy(dst[1+i*each:], elem)
		dst[0] = l[0] + 1
		return dst
	}
}

// sortWords sorts elements of some words each, by insertion: lists are short.
func sortWords(words []int64, each int) {
	if each == 1 {
		slices.Sort(words)
		return
	}
	for i := each; i < len(words) && each > 0; i += each {
		for k := i; k > 0 && slices.Compare(words[k:k+each], words[k-each:k]) < 0; k -= each {
			for w := range each {
				words[k+w], words[k+w-each] = words[k+w-each], words[k+w]
			}
		}
	}
}

// Bounds are the least and the greatest value of a Sized type as it is kept.
func (t *Type) Bounds() (lo, hi int64) {
	switch {
	case t.Bits == 64:
		return math.MinInt64, math.MaxInt64
	case t.Unsigned:
		return 0, 1<<t.Bits - 1
	}
	return -1 << (t.Bits - 1), 1<<(t.Bits-1) - 1
}
