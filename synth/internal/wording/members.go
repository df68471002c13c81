package wording

import (
	"slices"

	"cdpor/lang/step"
	"cdpor/synth/internal/expr"
	"cdpor/synth/internal/partition"
	"cdpor/synth/internal/term"
)

// members adds "the process waits at the condition variable", which else takes a literal for each place in the queue.
func (w *Wording) members() {
	c := w.c
	for i := range c.Axes {
		d := &c.Table.Dirs[c.Axes[i].Dir]
		for _, x := range d.Terms {
			s := &c.Table.Syms[x.S]
			if s.Kind != term.WordSym || s.Mem.Slot != term.Shared || s.Typ.Kind != step.Mutex || len(s.Idx) == 0 {
				continue
			}
			at := w.pr.Symbol(x.S)
			if at == nil || at.Op != step.Index || at.Args[0].Op != step.Part ||
				at.Args[0].Args[0].Type.Sync != "cond" {
				continue
			}
			for slot := range pairSlots {
				w.member(at.Args[0], s, slot)
			}
		}
	}
}

// member adds that the process in a slot is in the queue that a symbol is an element of.
func (w *Wording) member(waiters *step.Expr, elem *term.Symbol, slot int) {
	q := w.queueOf(elem, slot, waiters.Type.Len)
	p := w.opaque(len(w.c.Value)*len(q.places)/64, func(cell int) (there, known bool) { return q.there(w.c, cell) })
	if p == nil {
		return
	}
	me := &step.Expr{Op: step.Me, Type: step.MutexType, Of: pairSlots[slot]}
	var each []*step.Expr
	for at := range q.places {
		i := expr.Number(int64(at))
		size := expr.New(step.Size, step.IntType, waiters)
		each = append(each, expr.New(step.And, step.BoolType, expr.New(step.Gt, step.BoolType, size, i),
			expr.New(step.Eq, step.BoolType, expr.New(step.Index, step.MutexType, waiters, i), me)))
	}
	p.expr = expr.Join(step.Or, each)
	p.not.expr = expr.New(step.Not, step.BoolType, p.expr)
	w.finish(p)
	w.finish(p.not)
	p.fails, p.not.fails = false, false // each element is asked for only if it is there
	if !slices.ContainsFunc(w.of, func(k *part) bool { return k.opaque && w.text(k.expr) == w.text(p.expr) }) {
		w.offer(p, p.not)
	}
}

// A queue is what cells say of a process in a queue: the axis of the size, and by place the axis that compares the
// element with the process, and its value there if they are equal; -1: none.
type queue struct {
	size   int
	places []int
	value  []int64
}

// queueOf finds these axes for the queue that a symbol is an element of.
func (w *Wording) queueOf(elem *term.Symbol, slot, length int) *queue {
	c := w.c
	outer := elem.Idx[:len(elem.Idx)-1]
	sameIndices := func(a, b []term.Form) bool { return slices.EqualFunc(a, b, term.Form.Equal) }
	isElem := func(s *term.Symbol) bool {
		return s.Kind == term.WordSym && s.Mem == elem.Mem && len(s.Idx) == len(elem.Idx) &&
			sameIndices(s.Idx[:len(outer)], outer)
	}
	q := &queue{size: -1, places: slices.Repeat([]int{-1}, length), value: make([]int64, length)}
	for i := range c.Axes {
		d := &c.Table.Dirs[c.Axes[i].Dir]
		s := &c.Table.Syms[d.Terms[0].S]
		if len(d.Terms) == 1 && s.Kind == term.WordSym && s.Mem.Slot == term.Shared && s.Mem.V == elem.Mem.V &&
			s.Mem.View == elem.Mem.View && s.Mem.Off == elem.Mem.Off-1 && sameIndices(s.Idx, outer) {
			q.size = i
		}
		me, k := term.SymID(-1), int64(0)
		switch procs := c.Table.Actors[slot].Procs; {
		case len(d.Terms) == 1 && len(procs) == 1:
			k = int64(procs[0].Index) + 1
		case len(d.Terms) == 2:
			me = d.Terms[1].S
			if !isElem(s) {
				s, me = &c.Table.Syms[me], d.Terms[0].S
			}
			if c.Table.Syms[me].Kind != term.MeSym || c.Table.Syms[me].Mem.Slot != slot {
				continue
			}
		default:
			continue
		}
		if isElem(s) && s.Idx[len(outer)].Constant() && c.Axes[i].Equations {
			if at := s.Idx[len(outer)].K; at >= 0 && at < int64(length) && slices.Contains(c.Axes[i].Values, k) {
				q.places[at], q.value[at] = i, k
			}
		}
	}
	return q
}

// there reports whether the process is in the queue in a cell, if the cell tells.
func (q *queue) there(c *partition.Cells, cell int) (there, known bool) {
	known = true
	region := func(axis int) partition.Region { return c.Axes[axis].Regions[c.Coord[cell][axis]] }
	for at, axis := range q.places {
		present, sized := false, false
		if q.size >= 0 {
			present, sized = region(q.size).Decides(term.Literal{Rel: term.LeRel, Neg: true, K: int64(at)})
		}
		compared := axis >= 0
		equal := compared && region(axis).Holds(term.Literal{Rel: term.EqRel, K: q.value[at]})
		switch {
		case sized && !present, compared && !equal:
		case sized && compared:
			there = true
		default:
			known = false
		}
	}
	return there, there || known
}
