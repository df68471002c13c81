// Package span has intervals of integers.
package span

import "math"

// A Span is an interval; math.MinInt64 and math.MaxInt64 mean no bound. It is empty if lo > hi.
type Span struct{ Lo, Hi int64 }

var (
	Any    = Span{math.MinInt64, math.MaxInt64}
	None   = Span{math.MaxInt64, math.MinInt64} // an empty one
	Either = Span{0, 1}                         // of a Boolean
)

// Between is an interval with two bounds.
func Between(lo, hi int64) Span { return Span{lo, hi} }

func Only(k int64) Span                { return Span{k, k} }
func (s Span) Empty() bool             { return s.Lo > s.Hi }
func (s Span) Single() bool            { return s.Lo == s.Hi }
func (s Span) Join(t Span) Span        { return Span{min(s.Lo, t.Lo), max(s.Hi, t.Hi)} }
func (s Span) Meet(t Span) Span        { return Span{max(s.Lo, t.Lo), min(s.Hi, t.Hi)} }
func (s Span) Negated() Span           { return Span{negateBound(s.Hi), negateBound(s.Lo)} }
func (s Span) Plus(t Span) Span        { return Span{AddBound(s.Lo, t.Lo), AddBound(s.Hi, t.Hi)} }
func (s Span) Finite() bool            { return s.Lo != math.MinInt64 && s.Hi != math.MaxInt64 }
func (s Span) Truth() (is, known bool) { return s.Lo == 1, s.Single() }

func negateBound(a int64) int64 {
	switch a {
	case math.MinInt64:
		return math.MaxInt64
	case math.MaxInt64:
		return math.MinInt64
	}
	return -a
}

// AddBound adds; infinities and what leaves int64 stay infinite.
func AddBound(a, b int64) int64 {
	for _, x := range []int64{a, b} {
		if x == math.MinInt64 || x == math.MaxInt64 {
			return x
		}
	}
	c := a + b
	switch {
	case b > 0 && c < a:
		return math.MaxInt64
	case b < 0 && c > a:
		return math.MinInt64
	}
	return c
}

func mulBound(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	c := a * b
	if a == math.MinInt64 || a == math.MaxInt64 || b == math.MinInt64 || b == math.MaxInt64 || c/b != a {
		if (a < 0) != (b < 0) {
			return math.MinInt64
		}
		return math.MaxInt64
	}
	return c
}

func (s Span) Times(t Span) Span {
	r := None
	for _, a := range []int64{s.Lo, s.Hi} {
		for _, b := range []int64{t.Lo, t.Hi} {
			r = r.Join(Only(mulBound(a, b)))
		}
	}
	return r
}

// Over is the quotient, or with rest the remainder.
func (s Span) Over(t Span, rest bool) Span {
	if t.Lo <= 0 || t.Hi == math.MaxInt64 {
		return Any
	}
	if rest {
		r := Span{1 - t.Hi, t.Hi - 1}
		if s.Lo >= 0 {
			r.Lo = 0
			if s.Hi < t.Lo {
				return s
			}
		}
		if s.Hi <= 0 {
			r.Hi = 0
		}
		if s.Single() && t.Single() {
			return Only(s.Lo % t.Lo)
		}
		return r
	}
	divide := func(a, b int64) int64 {
		if a == math.MinInt64 || a == math.MaxInt64 {
			return a
		}
		return a / b
	}
	return Span{min(divide(s.Lo, t.Lo), divide(s.Lo, t.Hi)), max(divide(s.Hi, t.Lo), divide(s.Hi, t.Hi))}
}
