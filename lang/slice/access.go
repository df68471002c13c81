package slice

import "cdpor/lang/step"

// A cell is a unit of reading and writing: a scalar, a counted value or an option, alone or as an element of an array
// or a field of a record. Shared cells come first, then the locals of each thread, then one for each pool, which stands
// for how many of its processes have been started.

// An access touches the cells first to last. exact says that it touches all of them whenever its node is executed.
type access struct {
	first, last int
	exact       bool
}

func (a access) overlaps(b access) bool { return a.first <= b.last && b.first <= a.last }

// kills reports whether a definite write leaves nothing of what was there.
func (a access) kills(b access) bool { return a.exact && a.first <= b.first && b.last <= a.last }

// cells numbers the cells of variables; the result maps words to cells.
func cells(vars []*step.Var, words int, next *int) []int {
	of := make([]int, words)
	var add func(t *step.Type, at int)
	add = func(t *step.Type, at int) {
		switch t.Kind {
		case step.Array:
			for i := range t.Len {
				add(t.Elem, at+i*t.Elem.Words())
			}
			return
		case step.Record:
			for i, f := range t.Fields {
				add(f.Type, at+t.FieldAt(i))
			}
			return
		}
		for w := at; w < at+t.Words(); w++ {
			of[w] = *next
		}
		*next++
	}
	for _, v := range vars {
		add(v.Type, v.Offset)
	}
	return of
}

// words is where a place lies in its variable's part of the state; exact is false if it may lie anywhere in there.
func (h *thread) words(e *step.Expr) (from, count int, exact bool) {
	switch e.Op {
	case step.VarRef:
		return e.Var.Offset, e.Type.Words(), true
	case step.Part:
		from, count, exact = h.words(e.Args[0])
		if exact {
			return from + e.Args[0].Type.FieldAt(e.Field), e.Type.Words(), true
		}
		return
	}
	from, count, exact = h.words(e.Args[0])
	if array := e.Args[0].Type; exact && array.Kind == step.Array {
		if i, ok := h.constant(e.Args[1]); ok && i >= 0 && i < int64(array.Len) {
			return from + int(i)*e.Type.Words(), e.Type.Words(), true
		}
	}
	return from, count, false
}

// place is the access to a place; ok is false if it has no words.
func (g *Graph) place(h *thread, e *step.Expr) (access, bool) {
	from, count, exact := h.words(e)
	if count == 0 {
		return access{}, false
	}
	of := h.locals
	if e.Root().Shared {
		of = g.shared
	}
	return access{of[from], of[from+count-1], exact}, true
}

// constant is the value of an expression that is the same whenever the thread evaluates it.
func (h *thread) constant(e *step.Expr) (int64, bool) {
	if e == nil || !e.Type.Scalar() {
		return 0, false
	}
	var known func(e *step.Expr) *step.Expr
	known = func(e *step.Expr) *step.Expr {
		switch {
		case e.Op == step.Self && h.many, e.Op == step.Me:
			return nil
		case e.Op == step.VarRef:
			if e.Var.Shared || h.many || !e.Var.Type.Scalar() || h.assigned()[e.Var] {
				return nil
			}
			return &step.Expr{Op: step.Const, Type: e.Type, Words: h.proc.Init[e.Var.Offset : e.Var.Offset+1]}
		}
		c := *e
		c.Args = make([]*step.Expr, len(e.Args))
		for i, a := range e.Args {
			if c.Args[i] = known(a); c.Args[i] == nil {
				return nil
			}
		}
		return &c
	}
	c := known(e)
	if c == nil {
		return 0, false
	}
	words, fault, ok := step.Evaluate(c, h.proc.Self)
	if !ok || fault != step.NoFault {
		return 0, false
	}
	return words[0], true
}

// assigned are the locals that some node of the template writes.
func (h *thread) assigned() map[*step.Var]bool {
	if h.written == nil {
		h.written = map[*step.Var]bool{}
		for _, n := range h.template.Nodes {
			h.written[n.Dst.Root()], h.written[n.Counter.Root()] = true, true
		}
	}
	return h.written
}

// reads calls add for everything that evaluating an expression reads.
func (g *Graph) reads(h *thread, e *step.Expr, add func(access)) {
	if e == nil {
		return
	}
	if e.Root() == nil {
		for _, a := range e.Args {
			g.reads(h, a, add)
		}
		return
	}
	if a, ok := g.place(h, e); ok {
		add(a)
	}
	g.indices(h, e, add)
}

// indices calls add for what is read to find out which place an expression is.
func (g *Graph) indices(h *thread, e *step.Expr, add func(access)) {
	for ; e.Op != step.VarRef; e = e.Args[0] {
		if e.Op != step.Index {
			continue
		}
		g.reads(h, e.Args[1], add)
		if e.Args[0].Type.Kind != step.Array { // its size decides whether the element is there
			if a, ok := g.place(h, e.Args[0]); ok {
				add(a)
			}
		}
	}
}

// touch finds what the nodes of a thread read and write.
func (g *Graph) touch(h *thread) {
	h.uses, h.defs = make([][]access, h.end+1), make([][]access, h.end+1)
	for i, n := range h.template.Nodes {
		use := func(a access) { h.uses[i] = append(h.uses[i], a) }
		def := func(a access) { h.defs[i] = append(h.defs[i], a) }
		g.reads(h, n.Src, use)
		g.reads(h, n.Cond, use)
		g.reads(h, n.Maker, use)
		for _, a := range n.Args {
			g.reads(h, a, use)
		}
		for _, place := range []*step.Expr{n.Dst, n.Counter} {
			if place == nil {
				continue
			}
			g.indices(h, place, use)
			a, ok := g.place(h, place)
			if !ok {
				continue
			}
			if place == n.Counter || n.Kind == step.Append || n.Kind == step.PopHead || n.Kind == step.PopTail {
				use(a)
			}
			def(a)
		}
		if n.Kind != step.Spawn {
			continue
		}
		pool := n.Target.Pool
		counter := g.pools[n.Target]
		use(access{counter, counter, true})
		def(access{counter, counter, false})
		g.life(pool, def)
		for _, v := range pool.Fields {
			if w := v.Type.Words(); w > 0 {
				def(access{g.shared[v.Offset], g.shared[v.Offset+w-1], false})
			}
		}
	}
	if h.template.Pool != nil {
		g.life(h.template.Pool, func(a access) { h.defs[h.end] = append(h.defs[h.end], a) })
	}
}

// life is the part of Life that belongs to a pool.
func (g *Graph) life(p *step.Pool, def func(access)) {
	if p.Size > 0 {
		at := p.Life.Offset + p.First
		def(access{g.shared[at], g.shared[at+p.Size-1], false})
	}
}
