package term

import (
	"slices"

	"cdpor/lang/step"
)

// Quotient is the truncated quotient of two forms or its remainder. Both are odd functions of a, so the first
// coefficient of what is divided is made positive. A remainder by a number is nearer to zero than that: dividing it by
// the same number or a larger one leaves it as it is.
func (t *Table) Quotient(kind SymKind, a, b Form) Form {
	if len(a.Terms) > 0 && a.Terms[0].C < 0 {
		return Constant(0).Minus(t.Quotient(kind, Constant(0).Minus(a), b))
	}
	if len(a.Terms) == 1 && a.K == 0 && a.Terms[0].C == 1 && b.Constant() && b.K > 0 {
		if s := &t.Syms[a.Terms[0].S]; s.Kind == ModSym && s.Idx[1].Constant() && s.Idx[1].K > 0 && s.Idx[1].K <= b.K {
			if kind == DivSym {
				return Constant(0)
			}
			return a
		}
	}
	return t.Other(Symbol{Kind: kind, Idx: []Form{a, b}, Typ: step.IntType})
}

// Given is an unknown about the process of a number that the step in a slot starts.
func (t *Table) Given(kind SymKind, slot, number int, pool *step.Pool) Form {
	key := WordKey{Mem: MemKey{Slot: slot, Off: -int(kind)}, A: int64(number), B: int64(pool.First)}
	id, ok := t.Words[key]
	if !ok {
		hi := int64(1)
		if kind == IdentitySym {
			hi = int64(pool.Size - 1)
		}
		id = t.add(Symbol{Kind: kind, Mem: MemKey{Slot: slot, Off: number}, Typ: &step.Type{Kind: step.Range, Hi: hi},
			Pool: pool})
		t.Words[key] = id
	}
	return One(id)
}

// Fresh reports whether a form compares an identity that is about to be given with something else, so that it is not
// zero: nothing in the unknown state knows that process, as references come from starts only, and two starts give two
// identities.
func (t *Table) Fresh(f Form) bool {
	if len(f.Terms) != 2 || f.Terms[0].C != -f.Terms[1].C || f.Terms[0].C != 1 && f.Terms[0].C != -1 {
		return false
	}
	identity := false
	for _, x := range f.Terms {
		switch t.Syms[x.S].Kind {
		case IdentitySym:
			identity = true
		case WordSym, SelfSym:
		default:
			return false
		}
	}
	return identity
}

// Mentions reports whether a symbol occurs in another.
func (t *Table) Mentions(in, s SymID) bool {
	return in == s || slices.ContainsFunc(t.Syms[in].Idx, func(f Form) bool {
		return slices.ContainsFunc(f.Terms, func(x Term) bool { return t.Mentions(x.S, s) })
	})
}

// Opaque reports whether a direction is expensive to reason about: products, quotients and remainders, also in indices.
func (t *Table) Opaque(terms []Term) bool {
	for _, x := range terms {
		s := &t.Syms[x.S]
		if s.Kind.Nonlinear() {
			return true
		}
		for _, f := range s.Idx {
			if t.Opaque(f.Terms) {
				return true
			}
		}
	}
	return false
}

// Long reports whether some of the literals are about what the solver may work on for ever, whatever its limit is:
// products of unknowns, and quotients and remainders but those of one variable, and perhaps a number added to it, by a
// constant.
func (t *Table) Long(lits []Literal) bool {
	return t.mentioned(lits, func(s *Symbol) bool {
		if s.Kind != DivSym && s.Kind != ModSym {
			return s.Kind == MulSym
		}
		of := s.Idx[0].Terms
		return !s.Idx[1].Constant() || len(of) != 1 || of[0].C != 1 || t.Syms[of[0].S].Kind != WordSym
	})
}

// Linear reports whether none of the literals multiplies unknowns, or divides by one.
func (t *Table) Linear(lits []Literal) bool {
	return !t.mentioned(lits, func(s *Symbol) bool {
		return s.Kind == MulSym || (s.Kind == DivSym || s.Kind == ModSym) && !s.Idx[1].Constant()
	})
}

// mentioned reports whether there is such a symbol in the literals.
func (t *Table) mentioned(lits []Literal, such func(s *Symbol) bool) bool {
	var visit func(terms []Term) bool
	visit = func(terms []Term) bool {
		return slices.ContainsFunc(terms, func(x Term) bool {
			s := &t.Syms[x.S]
			return such(s) || slices.ContainsFunc(s.Idx, func(f Form) bool { return visit(f.Terms) })
		})
	}
	return slices.ContainsFunc(lits, func(l Literal) bool { return visit(t.Dirs[l.Dir].Terms) })
}
