package lang

import (
	"errors"
	"math"
	"math/bits"
	"slices"

	"cdpor/lang/step"
)

// constInt elaborates and evaluates a constant integer.
func (x *elab) constInt(e *expr, what string) (int64, bool) {
	v := x.value(e, step.IntType)
	if v == nil {
		return 0, false
	}
	if !v.Type.Numeric() {
		x.report(e.pos, e.end, "", "%s is an integer, not %s", what, typeString(v.Type))
		return 0, false
	}
	words, err := evaluate(v, 0)
	if err != nil {
		x.report(e.pos, e.end, "", "%s: %v", what, err)
		return 0, false
	}
	return words[0], true
}

// constWords elaborates a constant of a type and evaluates it for an instance; nil after an error.
func (x *elab) constWords(e *expr, t *step.Type, self int64) []int64 {
	v := x.assignable(e, t)
	if v == nil {
		return nil
	}
	words, err := evaluate(v, self)
	if err == nil {
		err = checkWords(t, words)
	}
	if err != nil {
		x.report(e.pos, e.end, "", "%v", err)
		return nil
	}
	return words
}

// constOf returns the constant that an expression is, or nil.
func constOf(e *step.Expr) *step.Expr {
	if e == nil || e.Op != step.Const {
		return nil
	}
	return e
}

var errOverflow = errors.New("the value leaves the range of 64 bits")

// evaluate computes an expression without variables for the instance self.
func evaluate(e *step.Expr, self int64) ([]int64, error) {
	scalar := func(i int) (int64, error) {
		w, err := evaluate(e.Args[i], self)
		if err != nil {
			return 0, err
		}
		return w[0], nil
	}
	truth := func(b bool) ([]int64, error) {
		if b {
			return []int64{1}, nil
		}
		return []int64{0}, nil
	}
	switch e.Op {
	case step.Const:
		return e.Words, nil
	case step.Self:
		return []int64{self}, nil
	case step.VarRef, step.Me:
		return nil, errors.New("not a constant")
	case step.And, step.Or, step.Cond:
		c, err := scalar(0)
		if err != nil {
			return nil, err
		}
		switch {
		case e.Op == step.Cond && c == 0:
			return evaluate(e.Args[2], self)
		case e.Op == step.And && c == 0, e.Op == step.Or && c != 0:
			return []int64{c}, nil
		}
		return evaluate(e.Args[1], self)
	case step.Eq, step.Ne:
		a, err := evaluate(e.Args[0], self)
		if err != nil {
			return nil, err
		}
		b, err := evaluate(e.Args[1], self)
		if err != nil {
			return nil, err
		}
		return truth(slices.Equal(a, b) == (e.Op == step.Eq))
	case step.Some, step.MakeList:
		words := make([]int64, e.Type.Words())
		words[0] = int64(len(e.Args))
		for i, a := range e.Args {
			w, err := evaluate(a, self)
			if err != nil {
				return nil, err
			}
			copy(words[1+i*len(w):], w)
		}
		return words, nil
	case step.Index, step.Unwrap, step.Present, step.Size:
		c, err := evaluate(e.Args[0], self)
		if err != nil {
			return nil, err
		}
		switch e.Op {
		case step.Present, step.Size:
			return c[:1], nil
		case step.Unwrap:
			if c[0] == 0 {
				return nil, errors.New("the value is null")
			}
			return c[1:], nil
		}
		i, err := scalar(1)
		if err != nil {
			return nil, err
		}
		n := int64(e.Args[0].Type.Len)
		if e.Args[0].Type.Kind != step.Array {
			n, c = c[0], c[1:]
		}
		if i < 0 || i >= n {
			return nil, errors.New("index out of range")
		}
		w := int64(e.Type.Words())
		return c[i*w : (i+1)*w], nil
	}
	a, err := scalar(0)
	if err != nil {
		return nil, err
	}
	b := int64(0)
	if len(e.Args) > 1 {
		if b, err = scalar(1); err != nil {
			return nil, err
		}
	}
	switch e.Op {
	case step.Not:
		return truth(a == 0)
	case step.Lt:
		return truth(a < b)
	case step.Le:
		return truth(a <= b)
	case step.Gt:
		return truth(a > b)
	case step.Ge:
		return truth(a >= b)
	}
	v, err := arithmetic(e.Op, a, b)
	return []int64{v}, err
}

func arithmetic(op step.Op, a, b int64) (int64, error) {
	switch op {
	case step.Neg:
		if a == math.MinInt64 {
			return 0, errOverflow
		}
		return -a, nil
	case step.Add:
		if s := a + b; (s > a) == (b > 0) {
			return s, nil
		}
		return 0, errOverflow
	case step.Sub:
		if d := a - b; (d < a) == (b > 0) {
			return d, nil
		}
		return 0, errOverflow
	case step.Mul:
		negative := (a < 0) != (b < 0)
		hi, lo := bits.Mul64(magnitude(a), magnitude(b))
		switch {
		case hi != 0 || lo > 1<<63 || lo == 1<<63 && !negative:
			return 0, errOverflow
		case negative:
			return -int64(lo), nil
		}
		return int64(lo), nil
	}
	if b == 0 {
		return 0, errors.New("division by zero")
	}
	if a == math.MinInt64 && b == -1 {
		if op == step.Mod {
			return 0, nil
		}
		return 0, errOverflow
	}
	if op == step.Mod {
		return a % b, nil
	}
	return a / b, nil
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}
