package term

// Mirror is a literal with the two processes exchanged, for pairs of a step with itself.
func (t *Table) Mirror(l Literal) Literal {
	f := Form{}
	for _, x := range t.Dirs[l.Dir].Terms {
		f = f.Plus(x.C, t.mirrorSymbol(x.S))
	}
	g := t.Atom(f.Minus(Constant(l.K)), l.Rel)
	if l.Neg {
		g = g.Not()
	}
	return g
}

func (t *Table) mirrorSymbol(id SymID) Form {
	s := t.Syms[id]
	slot := s.Mem.Slot
	if slot != Shared {
		slot = 1 - slot
	}
	switch s.Kind {
	case SelfSym, MeSym:
		return t.Self(slot, s.Kind)
	case ChoiceSym:
		return t.Choice(slot)
	case IdentitySym, LeftSym:
		return t.Given(s.Kind, slot, s.Mem.Off, s.Pool)
	}
	var idx []Form
	for _, f := range s.Idx {
		g := Constant(f.K)
		for _, x := range f.Terms {
			g = g.Plus(x.C, t.mirrorSymbol(x.S))
		}
		idx = append(idx, g)
	}
	switch s.Kind {
	case WordSym:
		return t.Word(MemKey{slot, s.Mem.V, s.Mem.Off, s.Mem.View}, idx, s.Typ)
	case DivSym, ModSym:
		return t.Quotient(s.Kind, idx[0], idx[1])
	case WrapSym:
		return t.wrapSymbol(s.Typ, t.Residue(s.Typ, idx[0]))
	}
	if s.Kind == MulSym && idx[0].Terms[0].S > idx[1].Terms[0].S {
		idx[0], idx[1] = idx[1], idx[0]
	}
	return t.Other(Symbol{Kind: s.Kind, Idx: idx, Typ: s.Typ})
}
