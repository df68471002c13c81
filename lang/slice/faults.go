package slice

import "cdpor/lang/step"

// Which nodes may fail. What a thread does after such a node depends on it, so it matters that x = x + 1 is not one of
// them: an integer that only ever grows by small amounts cannot leave int64 in an execution of less than 2^31 nodes,
// which is more than any exploration goes through.

// A size bounds the absolute value of an expression: by limit, or by limit above the largest value of any slow
// variable. The zero size is no bound.
type size struct {
	known, relative bool
	limit           int64
}

const (
	largest  = 1 << 40 // of values that do not grow
	increase = 1 << 31 // of values that do, by one node
)

func absolute(limit int64) size {
	return size{known: limit >= 0 && limit <= largest, limit: limit}
}

func (a size) capped() size {
	if a.known && (a.relative && a.limit > increase || a.limit > largest) {
		return size{}
	}
	return a
}

func join(a, b size) size {
	if !a.known || !b.known {
		return size{}
	}
	return size{true, a.relative || b.relative, max(a.limit, b.limit)}.capped()
}

// sizes knows which variables are slow: all that they are assigned is bounded by a size.
type sizes struct{ fast map[*step.Var]bool }

func newSizes(p *step.Program) *sizes {
	s := &sizes{map[*step.Var]bool{}}
	initial := func(vars []*step.Var, words []int64) {
		for _, v := range vars {
			for _, w := range words[v.Offset : v.Offset+v.Type.Words()] {
				if w < -largest || w > largest {
					s.fast[v] = true
				}
			}
		}
	}
	initial(p.Shared, p.Init)
	for _, proc := range p.Procs {
		initial(proc.Template.Locals, proc.Init)
	}
	assign := func(v *step.Var, e *step.Expr) bool {
		if v == nil || e == nil || s.fast[v] || s.of(e).known {
			return false
		}
		s.fast[v] = true
		return true
	}
	for changed := true; changed; {
		changed = false
		for _, t := range p.Templates {
			for _, n := range t.Nodes {
				if n.Kind != step.Choose {
					changed = assign(n.Dst.Root(), n.Src) || changed
				}
				for i, a := range n.Args {
					to := n.Target.Locals
					if n.Target.Pool.Fields != nil {
						to = n.Target.Pool.Fields
					}
					changed = assign(to[i], a) || changed
				}
			}
		}
	}
	return s
}

// of is the size of an expression, of all words of one that is no scalar.
func (s *sizes) of(e *step.Expr) size {
	switch t := e.Type; t.Kind {
	case step.Bool, step.Enum, step.Mutex:
		return absolute(increase)
	case step.Sized:
		if t.Bits <= 32 {
			return absolute(2 * increase)
		}
		return size{}
	case step.Range:
		if e.Op == step.VarRef && t.Lo >= -largest && t.Hi <= largest {
			return absolute(max(-t.Lo, t.Hi))
		}
	}
	switch e.Op {
	case step.Const:
		all := absolute(0)
		for _, w := range e.Words {
			all = join(all, absolute(max(w, -w)))
		}
		return all
	case step.Self, step.Size:
		return absolute(increase)
	case step.VarRef:
		return size{!s.fast[e.Var], true, 0}
	case step.Neg, step.Div, step.Mod:
		return s.of(e.Args[0])
	case step.Add, step.Sub:
		a, b := s.of(e.Args[0]), s.of(e.Args[1])
		if !a.known || !b.known || a.relative && b.relative {
			return size{}
		}
		return size{true, a.relative || b.relative, a.limit + b.limit}.capped()
	case step.Mul:
		a, b := s.of(e.Args[0]), s.of(e.Args[1])
		if !a.known || !b.known || a.relative || b.relative || a.limit != 0 && b.limit > largest/a.limit {
			return size{}
		}
		return absolute(a.limit * b.limit)
	case step.Call, step.Me, step.BitAnd, step.BitOr, step.BitXor, step.ShiftLeft, step.ShiftRight:
		return size{}
	}
	all := absolute(0)
	for _, a := range e.Args { // a part of them, or made of them
		all = join(all, s.of(a))
	}
	return all
}

// fault reports whether evaluating an expression may fail in a thread.
func (s *sizes) fault(h *thread, e *step.Expr) bool {
	if e == nil {
		return false
	}
	for i, a := range e.Args {
		if s.fault(h, a) {
			return true
		}
		switch e.Op {
		case step.Some, step.MakeList, step.Put:
			if (e.Op != step.Put || i == 1) && s.misfit(h, e.Type.Elem, a) {
				return true
			}
		case step.Make:
			part := e.Type.Elem
			if e.Type.Kind == step.Record {
				part = e.Type.Fields[i].Type
			}
			if s.misfit(h, part, a) {
				return true
			}
		}
	}
	switch e.Op {
	case step.Index:
		i, ok := h.constant(e.Args[1])
		length, t := int64(e.Args[0].Type.Len), e.Args[1].Type
		inside := ok && i >= 0 && i < length || t.Kind == step.Range && e.Args[1].Op == step.VarRef &&
			t.Lo >= 0 && t.Hi < length
		return e.Args[0].Type.Kind != step.Array || !inside
	case step.Neg, step.Add, step.Sub, step.Mul:
		return e.Type.Kind != step.Sized && !s.of(e).known
	case step.Div, step.Mod:
		d, ok := h.constant(e.Args[1])
		return !ok || d == 0 || d == -1
	case step.Convert:
		from := e.Args[0].Type
		return e.Type.Kind != step.Sized && from.Kind == step.Sized && from.Unsigned && from.Bits == 64
	case step.Unwrap, step.Call, step.Fit, step.Concat, step.Slice, step.Lookup, step.Put:
		return true
	}
	return false
}

// misfit reports whether storing an expression as a type may fail.
func (s *sizes) misfit(h *thread, as *step.Type, e *step.Expr) bool {
	if as.Kind != step.Range || e.Type.Kind == step.Range && e.Type.Lo >= as.Lo && e.Type.Hi <= as.Hi {
		return false
	}
	v, ok := h.constant(e)
	return !ok || v < as.Lo || v > as.Hi
}

// stops finds the nodes after which a process may not go on.
func (s *sizes) stops(h *thread) {
	h.fails, h.blocks, h.drops = make([]bool, h.end+1), make([]bool, h.end+1), make([]bool, h.end+1)
	for i, n := range h.template.Nodes {
		switch n.Kind {
		case step.Assign:
			h.fails[i] = s.fault(h, n.Src) || s.fault(h, n.Dst) || s.misfit(h, n.Dst.Type, n.Src)
		case step.Branch:
			h.fails[i] = s.fault(h, n.Cond)
		case step.Await:
			is, ok := h.constant(n.Cond)
			h.blocks[i], h.fails[i] = !ok || is == 0, s.fault(h, n.Cond)
		case step.Assume:
			h.drops[i], h.fails[i] = true, s.fault(h, n.Cond)
		case step.Choose:
			k, ok := h.constant(n.Src)
			h.drops[i] = !ok || k < 1
			h.fails[i] = !ok || k > step.MaxAlternatives || n.Cond != nil && s.fault(h, n.Cond)
			h.blocks[i] = n.Cond != nil && !n.Otherwise
		case step.Check, step.Append, step.PopHead, step.PopTail, step.Spawn:
			h.fails[i] = true
		}
	}
}
