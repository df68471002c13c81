package wording

import (
	"math"

	"cdpor/lang/step"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/term"
)

// sizedLiteral prints a literal about integers that wrap around, nil if the language cannot say it; about tells
// whether it is one.
func (p *Printer) sizedLiteral(l term.Literal) (e *step.Expr, about bool) {
	d := &p.Table.Dirs[l.Dir]
	whole := false // some value may be any of 64 bits: nothing can be added to it
	for _, x := range d.Terms {
		if s := &p.Table.Syms[x.S]; s.Kind == term.WrapSym || s.Kind == term.WordSym && s.Of(s.Typ) {
			about, whole = true, whole || s.Typ.Bits == 64
		}
	}
	first := &p.Table.Syms[d.Terms[0].S]
	typ := first.Typ
	large := typ != nil && typ.Kind == step.Sized && typ.Unsigned && typ.Bits == 64 // its order is another one
	switch {
	case !about || large && (l.Rel != term.EqRel || l.K < 0):
		return nil, about
	case len(d.Terms) == 1 && first.Kind == term.WrapSym && l.Rel == term.EqRel:
		return p.congruence(typ, first.Idx[0].Minus(term.Constant(l.K)), !l.Neg), true
	case len(d.Terms) == 1:
		if e = p.Symbol(d.Terms[0].S); e != nil {
			e = p.comparison(d, l, e, nil)
		}
		return e, true
	case len(d.Terms) == 2 && d.Terms[0].C == 1 && d.Terms[1].C == -1 && first.Of(typ) &&
		p.Table.Syms[d.Terms[1].S].Of(typ) && (l.K == 0 || l.K == -1 && l.Rel == term.LeRel):
		left, right := p.Symbol(d.Terms[0].S), p.Symbol(d.Terms[1].S)
		if left != nil && right != nil {
			e = (&Printer{Table: p.Table}).comparison(d, l, left, right)
		}
		return e, true
	}
	two := len(d.Terms) == 2 && d.Terms[0].C == 1 && d.Terms[1].C == -1 &&
		(l.K == 0 || l.K == -1 && l.Rel == term.LeRel)
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
func (p *Printer) congruence(typ *step.Type, f term.Form, holds bool) *step.Expr {
	f = p.Table.Residue(typ, f)
	left, right := term.Form{}, term.Form{}
	for _, x := range f.Terms {
		if x.C > 0 {
			left = left.Plus(1, term.Form{Terms: []term.Term{x}})
		} else {
			right = right.Plus(-1, term.Form{Terms: []term.Term{x}})
		}
	}
	switch {
	case left.Constant():
		left, right = right, term.Constant(f.K)
	case right.Constant():
		right = term.Constant(-f.K)
	case f.K > 0:
		left.K = f.K
	default:
		right.K = -f.K
	}
	a, b := p.sized(typ, left), p.sized(typ, right)
	if a == nil || b == nil {
		return nil
	}
	return expr.When(expr.New(step.Eq, step.BoolType, a, b), holds)
}

// sized prints a sum with the arithmetic of a Sized type, nil if the language cannot say it.
func (p *Printer) sized(typ *step.Type, f term.Form) *step.Expr {
	of := func(k int64) *step.Expr {
		return &step.Expr{Op: step.Const, Type: typ, Of: step.Own, Words: []int64{typ.Wrap(k)}}
	}
	if f.Constant() {
		return of(f.K)
	}
	var sum *step.Expr
	for _, x := range f.Terms {
		e := p.Symbol(x.S)
		if e == nil || !e.Type.Numeric() && e.Type.Kind != step.Sized || x.C == math.MinInt64 {
			return nil
		}
		if !p.Table.Syms[x.S].Of(typ) {
			e = expr.New(step.Convert, typ, e)
		}
		c, op := x.C, step.Add
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
	case f.K > 0:
		return expr.New(step.Add, typ, sum, of(f.K))
	case f.K < 0 && f.K != math.MinInt64:
		return expr.New(step.Sub, typ, sum, of(-f.K))
	}
	return sum
}
