package symbolic

import (
	"cdpor/lang/step"
	"cdpor/synth/internal/term"
)

// Transfer reads a form of a pair's table as a value of the current store.
func (x *interpreter) Transfer(t *term.Table, f term.Form, slots [2]int) term.Form {
	sum := term.Constant(f.K)
	for _, y := range f.Terms {
		sum = sum.Plus(y.C, x.transferSymbol(t, &t.Syms[y.S], slots))
	}
	return sum
}

func (x *interpreter) transferSymbol(t *term.Table, s *term.Symbol, slots [2]int) term.Form {
	slot := s.Mem.Slot
	if slot != term.Shared {
		slot = slots[slot]
	}
	switch s.Kind {
	case term.SelfSym, term.MeSym:
		return x.Table.Self(slot, s.Kind)
	case term.ChoiceSym:
		return x.Table.Choice(slot)
	case term.IdentitySym, term.LeftSym:
		return x.Table.Given(s.Kind, slot, s.Mem.Off, s.Pool)
	}
	var idx []term.Form
	for _, f := range s.Idx {
		idx = append(idx, x.Transfer(t, f, slots))
	}
	switch s.Kind {
	case term.MulSym:
		return x.product(idx[0], idx[1])
	case term.DivSym:
		return x.quotient(step.Div, idx[0], idx[1])
	case term.ModSym:
		return x.quotient(step.Mod, idx[0], idx[1])
	case term.WrapSym:
		return x.wrapped(s.Typ, idx[0])
	}
	f := x.Read(term.Place{Slot: slot, V: s.Mem.V, Off: s.Mem.Off, View: s.Mem.View, Idx: idx, Typ: s.Typ})
	if f.Constant() { // zero where the word is unused, of which any value that it can have is as good
		f.K = s.Nearest(f.K)
	}
	return f
}
