// Package term has what questions are made of: symbols for the words of an unknown state, linear forms over them,
// literals, and the table of a question.
package term

import (
	"encoding/binary"
	"math"
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/unsupported"
)

type Term struct {
	S SymID
	C int64
}

// A Form is a linear form: terms sorted by symbol, plus k. name is the named constant that k (or a multiple of it)
// comes from, if any.
type Form struct {
	Terms []Term
	K     int64
	Name  *step.Expr
}

func Constant(k int64) Form { return Form{K: k} }

// One is the form of a symbol.
func One(s SymID) Form { return Form{Terms: []Term{{s, 1}}} }

func (f Form) Constant() bool { return len(f.Terms) == 0 }

func MulSafe(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	c := a * b
	if c/b != a || c == math.MinInt64 {
		panic(unsupported.Reason("the numbers are too large"))
	}
	return c
}

func AddSafe(a, b int64) int64 {
	c := a + b
	if (c > a) != (b > 0) && b != 0 || c == math.MinInt64 {
		panic(unsupported.Reason("the numbers are too large"))
	}
	return c
}

// Plus is f + c*g.
func (f Form) Plus(c int64, g Form) Form {
	if c == 0 {
		return f
	}
	r := Form{K: AddSafe(f.K, MulSafe(c, g.K))}
	switch {
	case g.K == 0 && g.Name == nil:
		r.Name = f.Name
	case f.K == 0 && f.Name == nil:
		r.Name = g.Name
	case f.Name != nil && g.Name != nil && f.Name.Name == g.Name.Name: // 2 * AMOUNT
		r.Name = f.Name
	}
	switch {
	case len(g.Terms) == 0:
		r.Terms = f.Terms
		return r
	case len(f.Terms) == 0 && c == 1:
		r.Terms = g.Terms
		return r
	}
	r.Terms = make([]Term, 0, len(f.Terms)+len(g.Terms))
	i, j := 0, 0
	for i < len(f.Terms) || j < len(g.Terms) {
		switch {
		case j == len(g.Terms) || i < len(f.Terms) && f.Terms[i].S < g.Terms[j].S:
			r.Terms = append(r.Terms, f.Terms[i])
			i++
		case i == len(f.Terms) || g.Terms[j].S < f.Terms[i].S:
			r.Terms = append(r.Terms, Term{g.Terms[j].S, MulSafe(c, g.Terms[j].C)})
			j++
		default:
			if sum := AddSafe(f.Terms[i].C, MulSafe(c, g.Terms[j].C)); sum != 0 {
				r.Terms = append(r.Terms, Term{f.Terms[i].S, sum})
			}
			i, j = i+1, j+1
		}
	}
	return r
}

func (f Form) Minus(g Form) Form { return f.Plus(-1, g) }

func (f Form) Equal(g Form) bool { return f.K == g.K && slices.Equal(f.Terms, g.Terms) }

// Over is a form of one term without its coefficient.
func (f Form) Over(c int64) Form { return Form{Terms: []Term{{f.Terms[0].S, f.Terms[0].C / c}}} }

// ValueIn is the value of a sum of symbols that are known.
func (f Form) ValueIn(fixed map[SymID]int64) (sum int64, known bool) {
	sum = f.K
	for _, y := range f.Terms {
		v, ok := fixed[y.S]
		if !ok {
			return 0, false
		}
		sum += y.C * v
	}
	return sum, true
}

func appendForm(b []byte, f Form) []byte {
	b = binary.AppendVarint(b, int64(len(f.Terms)))
	for _, x := range f.Terms {
		b = binary.AppendVarint(binary.AppendVarint(b, int64(x.S)), x.C)
	}
	return binary.AppendVarint(b, f.K)
}

func EqualForms(a, b []Form) bool {
	for i := range a {
		if !a[i].Equal(b[i]) {
			return false
		}
	}
	return true
}

// NoZero reports whether the coefficients of a form leave it no integers for which it is zero.
func (f Form) NoZero() bool {
	g := int64(0)
	for _, y := range f.Terms {
		a, b := g, y.C
		for b != 0 {
			a, b = b, a%b
		}
		g = max(a, -a)
	}
	return f.K == math.MinInt64 || f.K%g != 0
}

// With is a form with a number for a symbol, also in products; changed is false if it does not mention it there.
func (t *Table) With(f Form, s SymID, value int64) (r Form, changed bool) {
	r.K = f.K
	for _, y := range f.Terms {
		p := &t.Syms[y.S]
		switch {
		case y.S == s:
			r, changed = r.Plus(y.C, Constant(value)), true
		case p.Kind == MulSym && p.Idx[0].Equal(One(s)):
			r, changed = r.Plus(MulSafe(y.C, value), p.Idx[1]), true
		case p.Kind == MulSym && p.Idx[1].Equal(One(s)):
			r, changed = r.Plus(MulSafe(y.C, value), p.Idx[0]), true
		default:
			r = r.Plus(y.C, One(y.S))
		}
	}
	return r, changed
}
