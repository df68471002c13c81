package wording

import (
	"slices"
	"strings"

	"cdpor/lang"
	"cdpor/lang/step"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/partition"
	"cdpor/synth/internal/term"
)

// A part is a condition that phrases are made of, with the cells where it is true and where it is false. In the others
// its guards do not hold, and it cannot be evaluated.
type part struct {
	lit    term.Literal
	opaque bool // the literal does not say it; without a direction (-1) there is none
	said   bool // as such, not as the negation of the other
	not    *part
	expr   *step.Expr
	guards []term.Literal
	vague  bool // the cells do not tell whether the guards hold
	yes    partition.Bitset
	no     partition.Bitset
	absent partition.Bitset // where what it is about is not there; nil: nowhere
	size   int              // characters, operators counted as one
	tight  bool             // binds more tightly than comparisons
	fails  bool             // evaluating it may fail
}

// Costs are in characters. What joins a literal to the rest is counted with it; literals that the program itself uses
// are preferred to others of the same length.
const (
	joinCost  = len(" && ")
	textBonus = 1
)

// A Wording is what the cells of a pair can be spoken of with.
type Wording struct {
	c     *partition.Cells
	n     *term.Names
	pr    *Printer
	bare  *Printer // that quotes nothing
	pool  []partition.Candidate
	of    []*part // the parts that the pool has the cells of
	parts map[term.Literal]*part
	extra []*part // by size: what else may replace something
	units int     // what it took to find all this
	all   partition.Bitset
}

func New(c *partition.Cells, n *term.Names) *Wording {
	return &Wording{c: c, n: n, pr: &Printer{c.Table, n}, bare: &Printer{c.Table, n.Unquoted()},
		parts: map[term.Literal]*part{}, all: c.Everywhere()}
}

// prepare finds the parts, once for all functions over the cells, and charges that each time.
func (w *Wording) prepare() {
	if w.extra != nil {
		w.c.Oracle.Spend(w.units)
		return
	}
	w.literals()
	w.members()
	w.lasts()
	w.compounds()
	w.substituted()
	w.calls()
	w.others()
}

func (w *Wording) spend(units int) {
	w.units += units
	w.c.Oracle.Spend(units)
}

// text is how a condition is printed.
func (w *Wording) text(e *step.Expr) string {
	actors := w.c.Table.Actors
	return lang.FormatExpr(e, actors[0].Tmpl, actors[1].Tmpl)
}

// finish fills in what follows from the expression of a part.
func (w *Wording) finish(p *part) *part {
	text := w.text(p.expr)
	p.size, p.tight, p.fails = len(text), !strings.Contains(text, " ") || strings.HasPrefix(text, "!("),
		expr.MayFail(p.expr)
	p.absent = w.absent(p.guards)
	switch p.expr.Op {
	case step.Eq, step.Ne, step.Le, step.Ge: // x == 0 reads as easily as x < 1
		p.size--
	}
	return p
}

// part is a literal as a part, nil if the language cannot say it.
func (w *Wording) part(l term.Literal) *part {
	if p, ok := w.parts[l]; ok {
		return p
	}
	w.parts[l] = nil
	e := w.pr.Literal(l)
	said := e != nil
	if !said {
		if e = w.pr.Literal(l.Not()); e == nil {
			return nil
		}
		e = expr.Negation(e)
	}
	p := &part{lit: l, expr: e, said: said, guards: guards(w.c.Table, l.Dir)}
	w.spend(1 + len(w.c.Value)*(2+len(w.c.Axes)*len(p.guards))/64)
	p.yes, p.no, p.vague = w.c.Truth(l, p.guards)
	w.parts[l] = w.finish(p)
	if e := w.bare.Literal(l); e != nil { // what is quoted takes the place of what is said otherwise
		p.size = min(p.size, w.finish(&part{expr: e}).size)
	}
	p.not = w.part(l.Not())
	return p
}

// absent are the cells in which some guard is false that asks whether a value or an element is there; nil if there are
// none.
func (w *Wording) absent(guards []term.Literal) (absent partition.Bitset) {
	guards = slices.DeleteFunc(slices.Clone(guards), func(g term.Literal) bool { return !w.presence(g) })
	for cell := range w.c.Value {
		if !w.c.Guarded(cell, guards) {
			if absent == nil {
				absent = partition.NewBitset(len(w.c.Value))
			}
			absent.Set(cell)
		}
	}
	return absent
}

// presence reports whether a guard asks whether a value or an element is there.
func (w *Wording) presence(guard term.Literal) bool {
	terms := w.c.Table.Dirs[guard.Dir].Terms
	s := &w.c.Table.Syms[terms[0].S]
	return len(terms) == 1 && s.Kind == term.WordSym && (s.Typ.Kind == step.Bool || s.Typ.Counted())
}

// literals lists the printable literals of the axes: those the regions give, without two that hold in the same cells.
func (w *Wording) literals() {
	c := w.c
	add := func(l term.Literal) {
		p := w.part(l)
		if p == nil || !p.said || p.not == nil {
			return
		}
		if count := p.yes.Count(); count == 0 || count == len(c.Value) {
			return
		}
		k := partition.Candidate{Cost: p.size + joinCost, In: p.yes}
		if w.n.Writes(l.Dir, l.K) {
			k.Cost -= textBonus
		}
		for i := range w.pool {
			if w.pool[i].In.Equal(k.In) && w.of[i].lit.Dir == l.Dir {
				if k.Cost < w.pool[i].Cost {
					w.pool[i], w.of[i] = k, p
				}
				return
			}
		}
		w.pool, w.of = append(w.pool, k), append(w.of, p)
	}
	for i := range c.Axes {
		a := &c.Axes[i]
		if !a.Equations {
			d := &c.Table.Dirs[a.Dir]
			for _, r := range a.Regions {
				picks := w.n.Picks(c.Table, d.Terms)
				if r.Lo == r.Hi && (picks || r.Hi != d.Hi || r.Hi == d.Typed.Hi) {
					add(term.Literal{Dir: a.Dir, Rel: term.EqRel, K: r.Lo})
				}
				if r.Lo == r.Hi && picks {
					add(term.Literal{Dir: a.Dir, Rel: term.EqRel, Neg: true, K: r.Lo})
				}
			}
			for _, cut := range a.Cuts {
				if cut < d.Lo || cut >= d.Hi {
					continue
				}
				add(term.Literal{Dir: a.Dir, Rel: term.LeRel, Neg: true, K: cut})
				add(term.Literal{Dir: a.Dir, Rel: term.LeRel, K: cut})
			}
			for _, r := range a.Regions {
				if r.Lo == r.Hi { // x > 0 says more than x == 1 where x is proved to be at most 1
					add(term.Literal{Dir: a.Dir, Rel: term.EqRel, K: r.Lo})
					add(term.Literal{Dir: a.Dir, Rel: term.EqRel, Neg: true, K: r.Lo})
				}
			}
			continue
		}
		for _, v := range a.Values {
			add(term.Literal{Dir: a.Dir, Rel: term.EqRel, K: v})
			add(term.Literal{Dir: a.Dir, Rel: term.EqRel, Neg: true, K: v})
		}
	}
}

// others lists what may stand for several literals of one direction: comparisons and ranges that the regions decide.
func (w *Wording) others() {
	w.extra = slices.Clone(w.of)
	c := w.c
	for i := range c.Axes {
		a := &c.Axes[i]
		guards := guards(c.Table, a.Dir)
		add := func(l term.Literal, expr *step.Expr, holds func(r partition.Region) bool) {
			if expr == nil {
				return
			}
			w.spend(1 + len(c.Value)*(1+len(guards)*len(c.Axes))/64)
			p := &part{lit: l, opaque: true, expr: expr, guards: guards}
			p.yes, p.no = partition.NewBitset(len(c.Value)), partition.NewBitset(len(c.Value))
			for cell := range c.Value {
				switch {
				case !c.Guarded(cell, guards):
				case holds(a.Regions[c.Coord[cell][i]]):
					p.yes.Set(cell)
				default:
					p.no.Set(cell)
				}
			}
			p.vague = slices.ContainsFunc(guards, func(g term.Literal) bool { return !c.Settles(g) })
			w.extra = append(w.extra, w.finish(p))
		}
		if a.Equations {
			for _, cut := range a.Cuts {
				for _, neg := range []bool{false, true} {
					if l := (term.Literal{Dir: a.Dir, Rel: term.LeRel, Neg: neg, K: cut}); c.Settles(l) {
						add(l, w.pr.Literal(l), func(r partition.Region) bool {
							truth, _ := r.Decides(l)
							return truth
						})
					}
				}
			}
		}
		if len(a.Cuts) > maxEnds {
			continue
		}
		for j, from := range a.Cuts {
			for _, to := range a.Cuts[j+1:] {
				low, high := term.Literal{Dir: a.Dir, Rel: term.LeRel, Neg: true, K: from},
					term.Literal{Dir: a.Dir, Rel: term.LeRel, K: to}
				inside := func(r partition.Region) (truth, known bool) { return r.Within(from+1, to) }
				if to-from < 2 || slices.ContainsFunc(a.Regions,
					func(r partition.Region) bool { _, known := inside(r); return !known }) {
					continue
				}
				if e := w.pr.between(low, high); e != nil {
					add(low, e, func(r partition.Region) bool { truth, _ := inside(r); return truth })
				}
			}
		}
	}
	slices.SortStableFunc(w.extra, func(a, b *part) int { return a.size - b.size })
}

// maxEnds is how many ends the ranges of a direction may have to be worth looking at.
const maxEnds = 8

// opaque is a part, and its negation, that no literal says, from its truth in each cell; nil if a cell does not tell,
// or it is the same in all.
func (w *Wording) opaque(units int, truth func(cell int) (is, known bool)) *part {
	n := len(w.c.Value)
	p := &part{lit: term.Literal{Dir: -1}, opaque: true, yes: partition.NewBitset(n), no: partition.NewBitset(n)}
	w.spend(1 + units)
	for cell := range n {
		switch is, known := truth(cell); {
		case !known:
			return nil
		case is:
			p.yes.Set(cell)
		default:
			p.no.Set(cell)
		}
	}
	if p.yes.Count() == 0 || p.no.Count() == 0 {
		return nil
	}
	p.not = &part{lit: p.lit, opaque: true, yes: p.no, no: p.yes, not: p}
	return p
}

// offer adds parts to the pool.
func (w *Wording) offer(list ...*part) {
	for _, p := range list {
		w.pool, w.of = append(w.pool, partition.Candidate{Cost: p.size + joinCost, In: p.yes}), append(w.of, p)
	}
}
