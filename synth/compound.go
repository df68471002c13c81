package synth

import (
	"slices"

	"cdpor/lang/step"
)

// Compound parts say in one condition what the cells only know case by case: flag[p.self] == 1 where the steps ask for
// p.self, flag[0] and flag[1]; p.k == q.self where both have few values.

// single is the only value in a region, if there is just one.
func (r region) single() (v int64, ok bool) {
	i := r.interval()
	return i.lo, i.lo == i.hi
}

// A few is an axis of a variable, or the number of a process, of which each region is one value.
type few struct {
	axis   int
	f      form
	values []int64 // by region
}

func (w *wording) few() (list []few) {
	c := w.c
next:
	for i := range c.axes {
		d := &c.t.dirs[c.axes[i].dir]
		s := &c.t.syms[d.terms[0].s]
		number := s.kind == wordSym && s.typ.Numeric() && s.typ.Kind != step.Sized && len(s.idx) == 0
		if len(d.terms) > 1 || s.kind != selfSym && !number {
			continue
		}
		x := few{axis: i, f: form{terms: d.terms}}
		for _, r := range c.axes[i].regions {
			v, ok := r.single()
			if !ok {
				continue next
			}
			x.values = append(x.values, v)
		}
		list = append(list, x)
	}
	return list
}

func (x *few) in(c *cells, cell int) int64 { return x.values[c.coord[cell][x.axis]] }

// compounds adds them.
func (w *wording) compounds() {
	c := w.c
	list := w.few()
	for i := range list {
		for j := i + 1; j < len(list); j++ {
			w.compound(c.t.atom(list[i].f.minus(list[j].f), eqRel), func(cell int) (truth, known bool) {
				return list[i].in(c, cell) == list[j].in(c, cell), true
			})
		}
	}
	literals := slices.Clone(w.pool)
	for i := range list {
		if c.t.syms[list[i].f.terms[0].s].kind != selfSym {
			continue
		}
		seen := map[literal]bool{}
		for _, k := range literals {
			if !k.is.opaque {
				w.indexed(&list[i], k.is.lit, seen)
			}
		}
	}
}

// compound adds a literal of which the truth in each cell is known, unless the cells know it as such.
func (w *wording) compound(l literal, truth func(cell int) (truth, known bool)) {
	c := w.c
	if slices.ContainsFunc(c.axes, func(a axis) bool { return a.dir == l.dir }) {
		return
	}
	p := &part{lit: literal{dir: -1}, opaque: true, yes: newBitset(len(c.value)), no: newBitset(len(c.value))}
	w.spend(1 + len(c.value)/16)
	for cell := range c.value {
		switch is, known := truth(cell); {
		case !known:
			return
		case is:
			p.yes.set(cell)
		default:
			p.no.set(cell)
		}
	}
	if p.yes.count() == 0 || p.no.count() == 0 {
		return
	}
	not := &part{lit: p.lit, opaque: true, yes: p.no, no: p.yes, not: p}
	p.not = not
	if p.expr, not.expr = w.pr.literal(c.t, l, w.n), w.pr.literal(c.t, l.not(), w.n); p.expr == nil || not.expr == nil {
		return
	}
	w.finish(p)
	w.finish(not)
	w.pool = append(w.pool, candidate{p, p.size + joinCost, p.yes}, candidate{not, not.size + joinCost, not.yes})
}

// indexed adds a literal about an element with a constant index as one about the element of a process: flag[self], or
// flag[1 - self].
func (w *wording) indexed(self *few, l literal, seen map[literal]bool) {
	c := w.c
	d := &c.t.dirs[l.dir]
	for at, x := range d.terms {
		s := c.t.syms[x.s]
		if s.kind != wordSym || s.mem.view == keyed || len(s.idx) == 0 {
			continue
		}
		for j, idx := range s.idx {
			about := func(y term) bool { return y.s != x.s && c.t.mentions(y.s, self.f.terms[0].s) }
			if !idx.constant() || slices.ContainsFunc(d.terms, about) {
				continue
			}
			axes, flipped := w.family(l.dir, at, j, slices.Max(self.values)+1)
			if axes == nil {
				continue
			}
			for _, mirrored := range []bool{false, true} {
				index := self.f
				if mirrored {
					if len(axes) != 2 {
						continue
					}
					index = constant(1).minus(self.f)
				}
				place := slices.Clone(s.idx)
				place[j] = index
				f := c.t.word(s.mem, place, s.typ)
				sum := form{k: -l.k}
				for i, y := range d.terms {
					if i == at {
						sum = sum.plus(y.c, f)
					} else {
						sum = sum.plus(y.c, form{terms: []term{y}}.over(y.c))
					}
				}
				g := c.t.atom(sum, l.rel)
				if l.neg {
					g = g.not()
				}
				if seen[g] || seen[g.not()] {
					continue
				}
				seen[g] = true
				w.n.like(g, l)
				w.compound(g, func(cell int) (truth, known bool) {
					i := self.in(c, cell)
					if mirrored {
						i = 1 - i
					}
					if i < 0 || i >= int64(len(axes)) {
						return false, false
					}
					a, m := axes[i], l
					if flipped[i] {
						m.k = -m.k
						if m.rel == leRel {
							m.k, m.neg = m.k-1, !m.neg
						}
					}
					return c.axes[a].regions[c.coord[cell][a]].decides(m)
				})
			}
		}
	}
}

// like says that the program writes a literal as it writes another one about the same number.
func (n *names) like(l, other literal) {
	if n == nil || l.k != other.k || l.neg != other.neg {
		return
	}
	for _, k := range []int64{l.k, l.k + 1} {
		if c := n.constant[nameKey{other.dir, k}]; c != nil {
			n.constant[nameKey{l.dir, k}] = c
		}
	}
	if v, written := n.number[nameKey{other.dir, l.k}]; written {
		n.number[nameKey{l.dir, l.k}] = v
	}
}

// over is a form of one term without its coefficient.
func (f form) over(c int64) form { return form{terms: []term{{f.terms[0].s, f.terms[0].c / c}}} }

// mentions tells whether a symbol occurs in another.
func (t *table) mentions(in, s symID) bool {
	return in == s || slices.ContainsFunc(t.syms[in].idx, func(f form) bool {
		return slices.ContainsFunc(f.terms, func(x term) bool { return t.mentions(x.s, s) })
	})
}

// family finds the axes that differ from one in a constant index only, by that index from 0 to below count, and whether
// they have the opposite sign; nil if one is missing.
func (w *wording) family(dir, at, j int, count int64) (axes []int, flipped []bool) {
	c := w.c
	if count < 2 || count > maxListed {
		return nil, nil
	}
	axes, flipped = make([]int, count), make([]bool, count)
	for i := range axes {
		axes[i] = -1
	}
	d := c.t.dirs[dir].terms
	base := c.t.syms[d[at].s]
	for a := range c.axes {
		e := c.t.dirs[c.axes[a].dir].terms
		if len(e) != len(d) {
			continue
		}
		index, sign, match := int64(-1), int64(0), true
		for _, x := range e {
			k := slices.IndexFunc(d, func(y term) bool { return y.s == x.s })
			s := &c.t.syms[x.s]
			if s.kind == wordSym && s.mem == base.mem && len(s.idx) == len(base.idx) &&
				s.idx[j].constant() && index < 0 {
				same := true
				for m := range s.idx {
					same = same && (m == j || s.idx[m].equal(base.idx[m]))
				}
				if same {
					k, index = at, s.idx[j].k
				}
			}
			switch {
			case k < 0 || x.c != d[k].c && x.c != -d[k].c:
				match = false
			case sign == 0:
				sign = x.c / d[k].c
			default:
				match = match && sign == x.c/d[k].c
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
