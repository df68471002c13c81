package wording

import (
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/partition"
	"cdpor/synth/internal/term"
)

// Compound parts say in one condition what the cells only know case by case: flag[p.self] == 1 where the steps ask for
// p.self, flag[0] and flag[1]; p.k == q.self where both have few values.

// A few is an axis of a variable, or the number of a process, of which each region is one value.
type few struct {
	axis   int
	f      term.Form
	values []int64 // by region
}

func (w *Wording) few() (list []few) {
	c := w.c
next:
	for i := range c.Axes {
		d := &c.Table.Dirs[c.Axes[i].Dir]
		s := &c.Table.Syms[d.Terms[0].S]
		number := s.Kind == term.WordSym && s.Typ.Numeric() && s.Typ.Kind != step.Sized && len(s.Idx) == 0
		if len(d.Terms) > 1 || s.Kind != term.SelfSym && !number {
			continue
		}
		x := few{axis: i, f: term.Form{Terms: d.Terms}}
		for _, r := range c.Axes[i].Regions {
			v, ok := r.Single()
			if !ok {
				continue next
			}
			x.values = append(x.values, v)
		}
		list = append(list, x)
	}
	return list
}

func (x *few) in(c *partition.Cells, cell int) int64 { return x.values[c.Coord[cell][x.axis]] }

// compounds adds them.
func (w *Wording) compounds() {
	c := w.c
	list := w.few()
	for i := range list {
		for j := i + 1; j < len(list); j++ {
			w.compound(c.Table.Atom(list[i].f.Minus(list[j].f), term.EqRel), func(cell int) (truth, known bool) {
				return list[i].in(c, cell) == list[j].in(c, cell), true
			}, c.Everywhere().Has)
		}
	}
	literals := slices.Clone(w.of)
	for i := range list {
		seen := map[term.Literal]bool{}
		for _, k := range literals {
			if !k.opaque {
				w.indexed(&list[i], k.lit, seen)
			}
		}
	}
}

// compound adds a literal of which the truth in each cell is known, unless the cells know it as such. It can be
// evaluated where that is safe.
func (w *Wording) compound(l term.Literal, truth func(cell int) (truth, known bool), safe func(cell int) bool) {
	c := w.c
	if slices.ContainsFunc(c.Axes, func(a partition.Axis) bool { return a.Dir == l.Dir }) {
		return
	}
	p := w.opaque(len(c.Value)/16, truth)
	if p == nil {
		return
	}
	w.protect(p, guards(c.Table, l.Dir), safe)
	if p.expr, p.not.expr = w.pr.Literal(l), w.pr.Literal(l.Not()); p.expr != nil && p.not.expr != nil {
		w.offer(w.finish(p), w.finish(p.not))
		if w.parts[l] == nil && w.parts[l.Not()] == nil {
			w.parts[l], w.parts[l.Not()] = p, p.not
		}
	}
}

// protect says of a part what must hold for it to be evaluated, and in which cells it can be.
func (w *Wording) protect(p *part, guards []term.Literal, safe func(cell int) bool) {
	if len(guards) == 0 {
		return
	}
	for cell := range w.c.Value {
		if !safe(cell) {
			p.yes.Clear(cell)
			p.no.Clear(cell)
		}
	}
	vague := slices.ContainsFunc(guards, func(g term.Literal) bool { k := w.part(g); return k == nil || k.vague })
	p.guards, p.vague, p.not.guards, p.not.vague = guards, vague, guards, vague
}

// indexed adds a literal about an element with a constant index as one about the element of a process: flag[self], or
// flag[1 - self].
func (w *Wording) indexed(self *few, l term.Literal, seen map[term.Literal]bool) {
	c := w.c
	d := &c.Table.Dirs[l.Dir]
	for at, x := range d.Terms {
		s := c.Table.Syms[x.S]
		if s.Kind != term.WordSym || len(s.Idx) == 0 {
			continue
		}
		for j, idx := range s.Idx {
			about := func(y term.Term) bool { return y.S != x.S && c.Table.Mentions(y.S, self.f.Terms[0].S) }
			if !idx.Constant() || slices.ContainsFunc(d.Terms, about) {
				continue
			}
			axes, flipped := w.family(l.Dir, at, j, slices.Max(self.values)+1)
			if axes == nil {
				continue
			}
			for _, mirrored := range []bool{false, true} {
				index := self.f
				if mirrored {
					if len(axes) != 2 {
						continue
					}
					index = term.Constant(1).Minus(self.f)
				}
				place := slices.Clone(s.Idx)
				place[j] = index
				f := c.Table.Word(s.Mem, place, s.Typ)
				sum := term.Form{K: -l.K}
				for i, y := range d.Terms {
					if i == at {
						sum = sum.Plus(y.C, f)
					} else {
						sum = sum.Plus(y.C, term.Form{Terms: []term.Term{y}}.Over(y.C))
					}
				}
				g := c.Table.Atom(sum, l.Rel)
				if l.Neg {
					g = g.Not()
				}
				if seen[g] || seen[g.Not()] {
					continue
				}
				seen[g] = true
				w.n.Like(g, l)
				element := func(cell int) int64 {
					if mirrored {
						return 1 - self.in(c, cell)
					}
					return self.in(c, cell)
				}
				w.compound(g, func(cell int) (truth, known bool) {
					i := element(cell)
					if i < 0 || i >= int64(len(axes)) {
						return false, false
					}
					a, m := axes[i], l
					if flipped[i] {
						m.K = -m.K
						if m.Rel == term.LeRel {
							m.K, m.Neg = m.K-1, !m.Neg
						}
					}
					return c.Axes[a].Regions[c.Coord[cell][a]].Decides(m)
				}, func(cell int) bool {
					return c.Guarded(cell, guards(c.Table, c.Axes[axes[element(cell)]].Dir))
				})
			}
		}
	}
}

// maxElements is how many elements of an array may be spoken of as the one of a process.
const maxElements = 16

// family finds the axes that differ from one in a constant index only, by that index from 0 to below count, and whether
// they have the opposite sign; nil if one is missing.
func (w *Wording) family(dir, at, j int, count int64) (axes []int, flipped []bool) {
	c := w.c
	if count < 2 || count > maxElements {
		return nil, nil
	}
	axes, flipped = make([]int, count), make([]bool, count)
	for i := range axes {
		axes[i] = -1
	}
	d := c.Table.Dirs[dir].Terms
	base := c.Table.Syms[d[at].S]
	for a := range c.Axes {
		e := c.Table.Dirs[c.Axes[a].Dir].Terms
		if len(e) != len(d) {
			continue
		}
		index, sign, match := int64(-1), int64(0), true
		for _, x := range e {
			k := slices.IndexFunc(d, func(y term.Term) bool { return y.S == x.S })
			s := &c.Table.Syms[x.S]
			if s.Kind == term.WordSym && s.Mem == base.Mem && len(s.Idx) == len(base.Idx) &&
				s.Idx[j].Constant() && index < 0 {
				same := true
				for m := range s.Idx {
					same = same && (m == j || s.Idx[m].Equal(base.Idx[m]))
				}
				if same {
					k, index = at, s.Idx[j].K
				}
			}
			switch {
			case k < 0 || x.C != d[k].C && x.C != -d[k].C:
				match = false
			case sign == 0:
				sign = x.C / d[k].C
			default:
				match = match && sign == x.C/d[k].C
			}
		}
		if match && index >= 0 && index < count {
			axes[index], flipped[index] = a, sign < 0
		}
	}
	if slices.Contains(axes, -1) {
		return nil, nil
	}
	return axes, flipped
}

// substituted adds what an equation is worth beside another one that gives a variable a value: x == 2 && y == 1 for
// x == y + 1 && y == 1.
func (w *Wording) substituted() {
	single := func(p *part) (s term.SymID, ok bool) {
		terms := w.c.Table.Dirs[p.lit.Dir].Terms
		return terms[0].S, len(terms) == 1 && terms[0].C == 1
	}
	var equations []*part
	for _, p := range w.of {
		if !p.opaque && p.lit.Rel == term.EqRel && !p.lit.Neg {
			equations = append(equations, p)
		}
	}
	for _, value := range equations {
		s, ok := single(value)
		for _, p := range equations {
			if !ok || p.lit.Dir == value.lit.Dir || len(equations) > maxElements {
				continue
			}
			f, changed := w.c.Table.With(term.Form{Terms: w.c.Table.Dirs[p.lit.Dir].Terms, K: -p.lit.K}, s, value.lit.K)
			if !changed || f.Constant() || f.NoZero() {
				continue
			}
			l := w.c.Table.Atom(f, term.EqRel)
			e := w.pr.Literal(l)
			both := w.opaque(len(w.c.Value)/16, func(cell int) (is, known bool) {
				return value.yes.Has(cell) && p.yes.Has(cell), true
			})
			if e == nil || both == nil || len(guards(w.c.Table, l.Dir)) > 0 {
				continue
			}
			both.expr = expr.New(step.And, step.BoolType, e, value.expr)
			both.not.expr = expr.New(step.Not, step.BoolType, both.expr)
			w.offer(w.finish(both), w.finish(both.not))
		}
	}
}
