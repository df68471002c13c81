package wording

import (
	"cdpor/lang/step"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/partition"
	"cdpor/synth/internal/term"
)

// A stack is a list of which cells know the size, and single elements.
type stack struct {
	list  *step.Expr
	size  int         // axis
	place map[int]int // the axis of an element
	axes  []int       // of elements, in order
}

// lasts adds what is known of the last element of a list, which else takes a literal for each size: l.last() == 0 for
// l.size() == 1 && l[0] == 0 || l.size() == 2 && l[1] == 0.
func (w *Wording) lasts() {
	for _, k := range w.stacks() {
		seen := map[term.Literal]bool{}
		for _, i := range k.axes {
			for _, p := range append([]*part{}, w.of...) {
				l := p.lit
				if p.opaque || l.Dir != w.c.Axes[i].Dir || len(k.axes) < 2 {
					continue
				}
				if l.Dir = 0; !seen[l] {
					seen[l] = true
					w.last(k, p.lit)
				}
			}
		}
	}
}

// stacks lists them.
func (w *Wording) stacks() (list []*stack) {
	c, of := w.c, map[term.MemKey]*stack{}
	for i := range c.Axes {
		d := &c.Table.Dirs[c.Axes[i].Dir]
		s := &c.Table.Syms[d.Terms[0].S]
		if len(d.Terms) > 1 || d.Terms[0].C != 1 || s.Kind != term.WordSym || len(s.Idx) != 1 || !s.Idx[0].Constant() {
			continue
		}
		e := w.pr.Symbol(d.Terms[0].S)
		if e == nil || e.Op != step.Index || e.Args[0].Type.Kind != step.List {
			continue
		}
		k := of[s.Mem]
		if k == nil {
			k = &stack{list: e.Args[0], size: -1, place: map[int]int{}}
			of[s.Mem], list = k, append(list, k)
			size := term.WordKey{Mem: term.MemKey{Slot: s.Mem.Slot, V: s.Mem.V, Off: s.Mem.Off - 1, View: term.Direct},
				A: -1, B: -1}
			for j := range c.Axes {
				terms := c.Table.Dirs[c.Axes[j].Dir].Terms
				if id, ok := c.Table.Words[size]; ok && len(terms) == 1 && terms[0].S == id {
					k.size = j
				}
			}
		}
		k.place[int(s.Idx[0].K)] = i
		k.axes = append(k.axes, i)
	}
	return list
}

// last adds a literal about an element of a list as one about the last element.
func (w *Wording) last(k *stack, l term.Literal) {
	c := w.c
	e := w.pr.Literal(l)
	if e == nil || k.size < 0 {
		return
	}
	n := len(c.Value)
	p := &part{lit: term.Literal{Dir: -1}, opaque: true, yes: partition.NewBitset(n), no: partition.NewBitset(n),
		guards: []term.Literal{{Dir: c.Axes[k.size].Dir, Rel: term.LeRel, Neg: true}}}
	w.spend(1 + n/8)
	for cell := range n {
		size, known := c.Axes[k.size].Regions[c.Coord[cell][k.size]].Single()
		if known && size == 0 {
			continue
		}
		i, mentioned := k.place[int(size)-1]
		if !known || !mentioned {
			return
		}
		l.Dir = c.Axes[i].Dir
		switch is, known := c.Axes[i].Regions[c.Coord[cell][i]].Decides(l); {
		case !known:
			return
		case is:
			p.yes.Set(cell)
		default:
			p.no.Set(cell)
		}
	}
	if p.yes.Count() == 0 || p.no.Count() == 0 {
		return
	}
	last := expr.New(step.Sub, step.IntType, expr.New(step.Size, step.IntType, k.list), expr.Number(1))
	p.expr = atLast(e, k.list, last)
	p.not = &part{lit: p.lit, opaque: true, yes: p.no, no: p.yes, not: p, guards: p.guards, expr: expr.Negation(p.expr)}
	w.offer(w.finish(p), w.finish(p.not))
}

// atLast is an expression with another index where it asks for an element of a list.
func atLast(e, list, last *step.Expr) *step.Expr {
	if e.Op == step.Index && step.Equal(e.Args[0], list) {
		return expr.New(step.Index, e.Type, list, last)
	}
	return e.With(func(a *step.Expr) *step.Expr { return atLast(a, list, last) })
}
