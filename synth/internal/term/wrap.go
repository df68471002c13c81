package term

import (
	"math"
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/span"
)

// Integers that wrap around. A result is the form of the integers with a symbol around it, unless that lies within
// the type: x + 1 of an int8 is wrap(x + 1). Sums and multiples inside of such a symbol need no other one, since only
// the residue counts; so additions in any order give the same symbol. An equation of two values of one type says that
// a difference is 0 modulo 2^bits, and is asked as wrap(difference) == 0, or without the symbol where both are words,
// or a word and a number.

// Wrap is a form as a value of a Sized type.
func (t *Table) Wrap(typ *step.Type, f Form) Form {
	f.Name = nil
	r := t.Residue(typ, f)
	switch {
	case r.Constant():
		return Constant(typ.Wrap(r.K))
	case len(r.Terms) == 1 && r.K == 0 && r.Terms[0].C == 1 && t.Syms[r.Terms[0].S].Of(typ):
		return r
	case t.Within(f, surely(typ)):
		return f
	}
	return t.wrapSymbol(typ, r)
}

func (t *Table) wrapSymbol(typ *step.Type, r Form) Form {
	sort := typ.Bits * 2
	if typ.Unsigned {
		sort++
	}
	return t.Other(Symbol{Kind: WrapSym, Mem: MemKey{Off: sort}, Idx: []Form{r}, Typ: typ})
}

// Residue is a form that is equal modulo 2^bits, the same one for equal sums of symbols.
func (t *Table) Residue(typ *step.Type, f Form) Form {
	sum := Constant(f.K)
	for _, x := range f.Terms {
		one := One(x.S)
		if s := &t.Syms[x.S]; s.Kind == WrapSym && s.Typ.Bits >= typ.Bits {
			one = s.Idx[0]
		}
		sum = sum.Plus(x.C, one)
	}
	signed := step.Type{Kind: step.Sized, Bits: typ.Bits}
	r := Constant(signed.Wrap(sum.K))
	for _, x := range sum.Terms {
		if c := signed.Wrap(x.C); c != 0 {
			r.Terms = append(r.Terms, Term{x.S, c})
		}
	}
	return r
}

// Turns is how often the form in a symbol leaves the range of the type, at most; known is false if there is no limit.
func (t *Table) Turns(s *Symbol) (most int64, known bool) {
	size := math.Exp2(float64(s.Typ.Bits))
	sum := math.Abs(float64(s.Idx[0].K)) / size
	for _, x := range s.Idx[0].Terms {
		y := &t.Syms[x.S]
		large := max(math.Abs(float64(y.Lo)), math.Abs(float64(y.Hi)))
		if y.Kind == SelfSym || y.Kind == MeSym || (y.Lo == math.MinInt64 || y.Hi == math.MaxInt64) && !y.Of(y.Typ) {
			return 0, false
		}
		sum += math.Abs(float64(x.C)) * large / size
	}
	return int64(sum) + 2, sum < 1e6
}

// Modular is a form that is zero where f is: of a difference of two values of one Sized type one of which is wrapped
// around, what the equation says of their residues. A number says that it holds always, 0, or never.
func (t *Table) Modular(f Form) Form {
	typ := t.differenceOf(f)
	if typ == nil {
		return f
	}
	d := t.Residue(typ, f)
	switch {
	case d.Constant():
		return d
	case d.Terms[0].C < 0 && d.Terms[0].C != math.MinInt64:
		d = t.Residue(typ, Constant(0).Minus(d))
	}
	plain := true
	for _, x := range d.Terms {
		plain = plain && t.Syms[x.S].Of(typ)
	}
	switch {
	case plain && len(d.Terms) == 1 && d.Terms[0].C == 1:
		return d.Minus(Constant(d.K)).Plus(-1, Constant(typ.Wrap(-d.K)))
	case plain && len(d.Terms) == 2 && d.K == 0 && d.Terms[0].C == 1 && d.Terms[1].C == -1:
		return d
	}
	return t.wrapSymbol(typ, d)
}

// differenceOf is the type of which a form is a difference of two values, one of them wrapped around; nil if it is
// none.
func (t *Table) differenceOf(f Form) *step.Type {
	for i, x := range f.Terms {
		s := &t.Syms[x.S]
		if s.Kind != WrapSym || x.C != 1 && x.C != -1 {
			continue
		}
		rest := Form{Terms: slices.Delete(slices.Clone(f.Terms), i, i+1), K: f.K}
		if x.C == 1 {
			rest = Constant(0).Minus(rest)
		}
		lo, hi := s.Typ.Bounds()
		switch {
		case rest.Constant() && rest.K >= lo && rest.K <= hi,
			len(rest.Terms) == 1 && rest.K == 0 && rest.Terms[0].C == 1 && t.Syms[rest.Terms[0].S].Of(s.Typ),
			t.Within(rest, surely(s.Typ)):
			return s.Typ
		}
	}
	return nil
}

// surely is what lies within a Sized type for sure, where a range without an end may reach beyond.
func surely(typ *step.Type) span.Span {
	lo, hi := typ.Bounds()
	return span.Between(max(lo, math.MinInt64+1), min(hi, math.MaxInt64-1))
}
