package synth

import (
	"math"
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/span"
)

// Integers that wrap around. A result is the form of the integers with a symbol around it, unless that lies within
// the type: x + 1 of an int8 is wrap(x + 1). Sums and multiples inside of such a symbol need no other one, since only
// the residue counts; so additions in any order give the same symbol. An equation of two values of one type says that
// a difference is 0 modulo 2^bits, and is asked as wrap(difference) == 0, or without the symbol where both are words,
// or a word and a number.

// nonlinear tells whether symbols of a kind are computed from others.
func (k symKind) nonlinear() bool { return k == mulSym || k == divSym || k == modSym || k == wrapSym }

// wrapped is a form as a value of a Sized type.
func (x *run) wrapped(typ *step.Type, f form) form { return x.t.wrap(typ, x.reduce(f)) }

// wrap is a form as a value of a Sized type.
func (t *table) wrap(typ *step.Type, f form) form {
	f.name = nil
	r := t.residue(typ, f)
	switch {
	case r.constant():
		return constant(typ.Wrap(r.k))
	case len(r.terms) == 1 && r.k == 0 && r.terms[0].c == 1 && t.syms[r.terms[0].s].of(typ):
		return r
	case t.within(f, surely(typ)):
		return f
	}
	return t.wrapSymbol(typ, r)
}

func (t *table) wrapSymbol(typ *step.Type, r form) form {
	sort := typ.Bits * 2
	if typ.Unsigned {
		sort++
	}
	return t.other(symbol{kind: wrapSym, mem: memKey{off: sort}, idx: []form{r}, typ: typ})
}

// of tells whether the values of a symbol are those of a Sized type.
func (s *symbol) of(typ *step.Type) bool {
	return (s.kind == wordSym || s.kind == wrapSym) && s.mem.view == direct && sameSize(s.typ, typ)
}

func sameSize(a, b *step.Type) bool {
	return a.Kind == step.Sized && b.Kind == step.Sized && a.Bits == b.Bits && a.Unsigned == b.Unsigned
}

// residue is a form that is equal modulo 2^bits, the same one for equal sums of symbols.
func (t *table) residue(typ *step.Type, f form) form {
	sum := constant(f.k)
	for _, x := range f.terms {
		one := one(x.s)
		if s := &t.syms[x.s]; s.kind == wrapSym && s.typ.Bits >= typ.Bits {
			one = s.idx[0]
		}
		sum = sum.plus(x.c, one)
	}
	signed := step.Type{Kind: step.Sized, Bits: typ.Bits}
	r := constant(signed.Wrap(sum.k))
	for _, x := range sum.terms {
		if c := signed.Wrap(x.c); c != 0 {
			r.terms = append(r.terms, term{x.s, c})
		}
	}
	return r
}

// turns is how often the form in a symbol leaves the range of the type, at most; known is false if there is no limit.
func (t *table) turns(s *symbol) (most int64, known bool) {
	size := math.Exp2(float64(s.typ.Bits))
	sum := math.Abs(float64(s.idx[0].k)) / size
	for _, x := range s.idx[0].terms {
		y := &t.syms[x.s]
		large := max(math.Abs(float64(y.lo)), math.Abs(float64(y.hi)))
		if y.kind == selfSym || y.kind == meSym || (y.lo == math.MinInt64 || y.hi == math.MaxInt64) && !y.of(y.typ) {
			return 0, false
		}
		sum += math.Abs(float64(x.c)) * large / size
	}
	return int64(sum) + 2, sum < 1e6
}

// modular is a form that is zero where f is: of a difference of two values of one Sized type one of which is wrapped
// around, what the equation says of their residues. A number says that it holds always, 0, or never.
func (t *table) modular(f form) form {
	typ := t.differenceOf(f)
	if typ == nil {
		return f
	}
	d := t.residue(typ, f)
	switch {
	case d.constant():
		return d
	case d.terms[0].c < 0 && d.terms[0].c != math.MinInt64:
		d = t.residue(typ, constant(0).minus(d))
	}
	plain := true
	for _, x := range d.terms {
		plain = plain && t.syms[x.s].of(typ)
	}
	switch {
	case plain && len(d.terms) == 1 && d.terms[0].c == 1:
		return d.minus(constant(d.k)).plus(-1, constant(typ.Wrap(-d.k)))
	case plain && len(d.terms) == 2 && d.k == 0 && d.terms[0].c == 1 && d.terms[1].c == -1:
		return d
	}
	return t.wrapSymbol(typ, d)
}

// differenceOf is the type of which a form is a difference of two values, one of them wrapped around; nil if it is
// none.
func (t *table) differenceOf(f form) *step.Type {
	for i, x := range f.terms {
		s := &t.syms[x.s]
		if s.kind != wrapSym || x.c != 1 && x.c != -1 {
			continue
		}
		rest := form{terms: slices.Delete(slices.Clone(f.terms), i, i+1), k: f.k}
		if x.c == 1 {
			rest = constant(0).minus(rest)
		}
		lo, hi := s.typ.Bounds()
		switch {
		case rest.constant() && rest.k >= lo && rest.k <= hi,
			len(rest.terms) == 1 && rest.k == 0 && rest.terms[0].c == 1 && t.syms[rest.terms[0].s].of(s.typ),
			t.within(rest, surely(s.typ)):
			return s.typ
		}
	}
	return nil
}

// surely is what lies within a Sized type for sure, where a range without an end may reach beyond.
func surely(typ *step.Type) span.Span {
	lo, hi := typ.Bounds()
	return span.Between(max(lo, math.MinInt64+1), min(hi, math.MaxInt64-1))
}

// sizedLiteral prints a literal about integers that wrap around, nil if the language cannot say it; about tells
// whether it is one.
func (p *printer) sizedLiteral(t *table, l literal, n *names) (e *step.Expr, about bool) {
	d := &t.dirs[l.dir]
	whole := false // some value may be any of 64 bits: nothing can be added to it
	for _, x := range d.terms {
		if s := &t.syms[x.s]; s.kind == wrapSym || s.kind == wordSym && s.of(s.typ) {
			about, whole = true, whole || s.typ.Bits == 64
		}
	}
	first := &t.syms[d.terms[0].s]
	typ := first.typ
	large := typ != nil && typ.Kind == step.Sized && typ.Unsigned && typ.Bits == 64 // its order is another one
	switch {
	case !about || large && (l.rel != eqRel || l.k < 0):
		return nil, about
	case len(d.terms) == 1 && first.kind == wrapSym && l.rel == eqRel:
		return p.congruence(t, typ, first.idx[0].minus(constant(l.k)), !l.neg), true
	case len(d.terms) == 1:
		if e = p.symbol(t, d.terms[0].s); e != nil {
			e = p.comparison(d, l, n, e, nil)
		}
		return e, true
	case len(d.terms) == 2 && d.terms[0].c == 1 && d.terms[1].c == -1 && first.of(typ) &&
		t.syms[d.terms[1].s].of(typ) && (l.k == 0 || l.k == -1 && l.rel == leRel):
		left, right := p.symbol(t, d.terms[0].s), p.symbol(t, d.terms[1].s)
		if left != nil && right != nil {
			e = p.comparison(d, l, nil, left, right)
		}
		return e, true
	}
	two := len(d.terms) == 2 && d.terms[0].c == 1 && d.terms[1].c == -1 && (l.k == 0 || l.k == -1 && l.rel == leRel)
	return nil, large || whole && !two
}

// unsized is the expression of a symbol as an integer that does not wrap around, nil if there is none.
func unsized(e *step.Expr) *step.Expr {
	switch {
	case e == nil || e.Type.Kind != step.Sized:
		return e
	case e.Type.Unsigned && e.Type.Bits == 64:
		return nil
	}
	return expr.New(step.Convert, step.IntType, e)
}

// congruence prints that a form is 0 modulo 2^bits, or that it is not.
func (p *printer) congruence(t *table, typ *step.Type, f form, holds bool) *step.Expr {
	f = t.residue(typ, f)
	left, right := form{}, form{}
	for _, x := range f.terms {
		if x.c > 0 {
			left = left.plus(1, form{terms: []term{x}})
		} else {
			right = right.plus(-1, form{terms: []term{x}})
		}
	}
	switch {
	case left.constant():
		left, right = right, constant(f.k)
	case right.constant():
		right = constant(-f.k)
	case f.k > 0:
		left.k = f.k
	default:
		right.k = -f.k
	}
	a, b := p.sized(t, typ, left), p.sized(t, typ, right)
	if a == nil || b == nil {
		return nil
	}
	return expr.When(expr.New(step.Eq, step.BoolType, a, b), holds)
}

// sized prints a sum with the arithmetic of a Sized type, nil if the language cannot say it.
func (p *printer) sized(t *table, typ *step.Type, f form) *step.Expr {
	of := func(k int64) *step.Expr {
		return &step.Expr{Op: step.Const, Type: typ, Of: step.Own, Words: []int64{typ.Wrap(k)}}
	}
	if f.constant() {
		return of(f.k)
	}
	var sum *step.Expr
	for _, x := range f.terms {
		e := p.symbol(t, x.s)
		if e == nil || !e.Type.Numeric() && e.Type.Kind != step.Sized || x.c == math.MinInt64 {
			return nil
		}
		if !t.syms[x.s].of(typ) {
			e = expr.New(step.Convert, typ, e)
		}
		c, op := x.c, step.Add
		if c < 0 {
			c, op = -c, step.Sub
		}
		if c != 1 {
			e = expr.New(step.Mul, typ, of(c), e)
		}
		switch {
		case sum != nil:
			sum = expr.New(op, typ, sum, e)
		case op == step.Sub:
			sum = expr.New(step.Neg, typ, e)
		default:
			sum = e
		}
	}
	switch {
	case f.k > 0:
		return expr.New(step.Add, typ, sum, of(f.k))
	case f.k < 0 && f.k != math.MinInt64:
		return expr.New(step.Sub, typ, sum, of(-f.k))
	}
	return sum
}
