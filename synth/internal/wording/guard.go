package wording

import (
	"math"
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/span"
	"cdpor/synth/internal/term"
	"cdpor/synth/internal/unsupported"
)

// guards are the literals that make it safe to evaluate a direction: indices in range, options present, divisors not
// zero. Those that hold in every state are left out.
func guards(t *term.Table, dir int) []term.Literal {
	var all []term.Literal
	add := func(f term.Form, rel term.Relation, neg bool) {
		if f.Constant() || rel == term.LeRel && implied(t, f, neg) {
			return
		}
		l := t.Atom(f, rel)
		if neg {
			l = l.Not()
		}
		d := &t.Dirs[l.Dir]
		if truth, known := (&term.Interval{Lo: d.Lo, Hi: d.Hi}).Decides(l); known && truth || slices.Contains(all, l) {
			return
		}
		all = append(all, l)
	}
	var visit func(terms []term.Term)
	visit = func(terms []term.Term) {
		for _, x := range terms {
			s := t.Syms[x.S]
			for _, f := range s.Idx {
				visit(f.Terms)
			}
			switch s.Kind {
			case term.DivSym, term.ModSym:
				add(s.Idx[1], term.EqRel, true)
			case term.WordSym:
				at := term.PlaceOf(s.Mem.Slot, s.Mem.V)
			walk:
				for at.Typ.Kind == step.Array || at.Typ.Kind == step.Record || at.Off != s.Mem.Off ||
					len(at.Idx) != len(s.Idx) {
					limit := term.Form{}
					switch at.Typ.Kind {
					case step.Option:
						add(t.Word(at.Key(), at.Idx, step.BoolType).Minus(term.Constant(1)), term.EqRel, false)
						at = at.Sub(1, at.Typ.Elem)
						continue
					case step.Record:
						f := term.FieldWith(at.Typ, s.Mem.Off-at.Off)
						at = at.Sub(at.Typ.FieldAt(f), at.Typ.Fields[f].Type)
						continue
					case step.Array:
						limit = term.Constant(int64(at.Typ.Len))
					case step.List, step.Queue, step.Set, step.Bag, step.Map:
						if s.Mem.View == term.Keyed {
							if s.Mem.Off == at.Off {
								break walk // one can always ask for a key
							}
							key := s.Idx[len(at.Idx):]
							count := at.CountAt(key)
							add(t.Word(count.Key(), count.Idx, count.Typ).Minus(term.Constant(1)), term.EqRel, false)
							at = at.ValueAt(key)
							continue
						}
						limit = t.Word(at.Key(), at.Idx, at.Typ)
					default:
						panic(unsupported.Reason("a word has no place"))
					}
					i := s.Idx[len(at.Idx)]
					add(i.Plus(1, term.Constant(1)), term.LeRel, true)               // 0 <= i
					add(i.Plus(1, term.Constant(1)).Minus(limit), term.LeRel, false) // i < limit
					off := 1
					if at.Typ.Kind == step.Array {
						off = 0
					}
					at = at.Sub(off, at.Typ.Elem, i)
				}
			}
		}
	}
	visit(t.Dirs[dir].Terms)
	return all
}

// implied reports whether facts settle a guard f <= 0, or its negation.
func implied(t *term.Table, f term.Form, neg bool) bool {
	if neg {
		return t.Within(f, span.Between(1, math.MaxInt64))
	}
	return t.Within(f, span.Between(math.MinInt64, 0))
}
