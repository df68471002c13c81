package synth

import (
	"math"
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/span"
	"cdpor/synth/internal/unsupported"
)

// guards are the literals that make it safe to evaluate a direction: indices in range, options present, divisors not
// zero. Those that hold in every state are left out.
func (t *table) guards(dir int) []literal {
	var all []literal
	add := func(f form, rel relation, neg bool) {
		if f.constant() || rel == leRel && t.implied(f, neg) {
			return
		}
		l := t.atom(f, rel)
		if neg {
			l = l.not()
		}
		d := &t.dirs[l.dir]
		if truth, known := (&interval{lo: d.lo, hi: d.hi}).decides(l); known && truth || slices.Contains(all, l) {
			return
		}
		all = append(all, l)
	}
	var visit func(terms []term)
	visit = func(terms []term) {
		for _, x := range terms {
			s := t.syms[x.s]
			for _, f := range s.idx {
				visit(f.terms)
			}
			switch s.kind {
			case divSym, modSym:
				add(s.idx[1], eqRel, true)
			case wordSym:
				at := place{slot: s.mem.slot, v: s.mem.v, typ: s.mem.v.Type}
			walk:
				for at.typ.Kind == step.Array || at.typ.Kind == step.Record || at.off != s.mem.off ||
					len(at.idx) != len(s.idx) {
					limit := form{}
					switch at.typ.Kind {
					case step.Option:
						add(t.word(at.key(), at.idx, step.BoolType).minus(constant(1)), eqRel, false)
						at = at.sub(1, at.typ.Elem)
						continue
					case step.Record:
						f := fieldWith(at.typ, s.mem.off-at.off)
						at = at.sub(at.typ.FieldAt(f), at.typ.Fields[f].Type)
						continue
					case step.Array:
						limit = constant(int64(at.typ.Len))
					case step.List, step.Queue, step.Set, step.Bag, step.Map:
						if s.mem.view == keyed {
							if s.mem.off == at.off {
								break walk // one can always ask for a key
							}
							key := s.idx[len(at.idx):]
							count := at.countAt(key)
							add(t.word(count.key(), count.idx, count.typ).minus(constant(1)), eqRel, false)
							at = at.valueAt(key)
							continue
						}
						limit = t.word(at.key(), at.idx, at.typ)
					default:
						panic(unsupported.Reason("a word has no place"))
					}
					i := s.idx[len(at.idx)]
					add(i.plus(1, constant(1)), leRel, true)               // 0 <= i
					add(i.plus(1, constant(1)).minus(limit), leRel, false) // i < limit
					off := 1
					if at.typ.Kind == step.Array {
						off = 0
					}
					at = at.sub(off, at.typ.Elem, i)
				}
			}
		}
	}
	visit(t.dirs[dir].terms)
	return all
}

// implied tells whether facts settle a guard f <= 0, or its negation.
func (t *table) implied(f form, neg bool) bool {
	if neg {
		return t.within(f, span.Between(1, math.MaxInt64))
	}
	return t.within(f, span.Between(math.MinInt64, 0))
}

// guarded tells whether guards hold in a cell. Where a cell does not tell, they count as false if the cell knows
// anything about the direction, else as true: the steps evaluate the same places, so an undecided guard was found to be
// implied.
func (c *cells) guarded(cell int, guards []literal) bool {
	for _, l := range guards {
		for i := range c.axes {
			if c.axes[i].dir != l.dir {
				continue
			}
			r := c.axes[i].regions[c.coord[cell][i]]
			v := interval{lo: r.lo, hi: r.hi}
			for _, k := range r.except {
				v.add(literal{rel: eqRel, neg: true, k: k})
			}
			if truth, known := v.decides(l); !known || !truth {
				return false
			}
		}
	}
	return true
}
