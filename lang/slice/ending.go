package slice

import (
	"slices"

	"cdpor/lang/step"
)

// What certainly ends: loops that count up to a bound, and waiting for a lock that whoever holds it is bound to give
// back. The first cannot run for ever. At the second no process stands in a state in which nothing is enabled: the
// holder could go on.

// counts finds the nodes that are in no loop but such as count.
func (h *thread) counts() {
	h.ends = make([]bool, len(h.succ))
	var check func(nodes []int) bool
	check = func(nodes []int) bool {
		for _, loop := range h.loops(nodes) {
			if !slices.ContainsFunc(loop, func(b int) bool {
				v := h.counter(b, loop)
				if v == nil {
					return false
				}
				still := slices.DeleteFunc(slices.Clone(loop), func(i int) bool { return h.increases(i, v) })
				for _, other := range h.loops(still) {
					if slices.Contains(other, b) {
						return false
					}
				}
				return check(slices.DeleteFunc(slices.Clone(loop), func(i int) bool { return i == b }))
			}) {
				return false
			}
		}
		return true
	}
	all := make([]int, h.entry)
	for i := range all {
		all[i] = i
	}
	for _, loop := range h.loops(all) {
		if check(loop) {
			for _, i := range loop {
				h.ends[i] = true
			}
		}
	}
}

// loops are the strongly connected parts of some nodes that have cycles.
func (h *thread) loops(nodes []int) (list [][]int) {
	number := map[int]int{}
	for k, i := range nodes {
		number[i] = k
	}
	succ := make([][]int, len(nodes))
	for k, i := range nodes {
		for _, next := range h.succ[i] {
			if to, in := number[next]; in {
				succ[k] = append(succ[k], to)
			}
		}
	}
	for _, part := range components(succ) {
		if len(part) > 1 || slices.Contains(succ[part[0]], part[0]) {
			loop := make([]int, len(part))
			for k, i := range part {
				loop[k] = nodes[i]
			}
			list = append(list, loop)
		}
	}
	return list
}

// counter is a local that a branch of a loop compares with a bound, such that the loop is left when it gets there, and
// that the loop changes only by making it larger. It is nil if there is none.
func (h *thread) counter(b int, loop []int) *step.Var {
	n := h.template.Nodes[b]
	if n.Kind != step.Branch || len(h.succ[b]) < 2 || slices.Contains(loop, h.succ[b][1]) {
		return nil
	}
	var find func(e *step.Expr) *step.Var
	find = func(e *step.Expr) *step.Var {
		if e.Op == step.And {
			if v := find(e.Args[0]); v != nil {
				return v
			}
			return find(e.Args[1])
		}
		if e.Op != step.Lt && e.Op != step.Le || e.Args[0].Op != step.VarRef || !e.Args[0].Type.Numeric() ||
			!h.fixed(e.Args[1], loop) {
			return nil
		}
		v := e.Args[0].Var
		if v.Shared || slices.ContainsFunc(loop, func(i int) bool { return h.writes(i, v) && !h.increases(i, v) }) {
			return nil
		}
		return v
	}
	return find(n.Cond)
}

// fixed reports whether an expression has the same value throughout a loop.
func (h *thread) fixed(e *step.Expr, loop []int) bool {
	return !e.Has(func(e *step.Expr) bool {
		return e.Op == step.VarRef && (e.Var.Shared ||
			slices.ContainsFunc(loop, func(i int) bool { return h.writes(i, e.Var) }))
	})
}

func (h *thread) writes(i int, v *step.Var) bool {
	n := h.template.Nodes[i]
	return n.Dst.Root() == v || n.Counter.Root() == v
}

// increases reports whether a node adds a positive constant to a variable.
func (h *thread) increases(i int, v *step.Var) bool {
	n := h.template.Nodes[i]
	if n.Kind != step.Assign || n.Dst.Op != step.VarRef || n.Dst.Var != v || n.Src.Op != step.Add {
		return false
	}
	k, ok := h.constant(n.Src.Args[1])
	return n.Src.Args[0].Op == step.VarRef && n.Src.Args[0].Var == v && ok && k > 0
}

// lockOf is the cell of a lock that an expression is the place of; -1 if it may be one of several, or is none.
func (g *Graph) lockOf(h *thread, place *step.Expr) int {
	if place == nil || place.Type.Kind != step.Mutex || place.Root() == nil || !place.Root().Shared {
		return -1
	}
	if a, ok := g.place(h, place); ok && a.exact && a.first == a.last {
		return a.first
	}
	return -1
}

// compares is the cell of a lock that a condition compares with free, or with who executes it; -1 for other conditions.
func (g *Graph) compares(h *thread, cond *step.Expr, with step.Op) int {
	if cond == nil || cond.Op != step.Eq || !h.is(cond.Args[1], with) {
		return -1
	}
	return g.lockOf(h, cond.Args[0])
}

// is reports whether an expression is who executes it (Me), or free (Const).
func (h *thread) is(e *step.Expr, what step.Op) bool {
	return e.Op == what && (what == step.Me && e.Of == step.Own ||
		what == step.Const && len(e.Words) == 1 && e.Words[0] == 0)
}

// sets is the cell of a lock that a node sets to free or to who executes it; -1 for other nodes.
func (g *Graph) sets(h *thread, i int, to step.Op) int {
	n := h.template.Nodes[i]
	if n.Kind != step.Assign || !h.is(n.Src, to) {
		return -1
	}
	return g.lockOf(h, n.Dst)
}

// awaitsFree is the cell of a lock that a node waits for until it is free; -1 for other nodes.
func (g *Graph) awaitsFree(h *thread, i int) int {
	if h.template.Nodes[i].Kind != step.Await {
		return -1
	}
	return g.compares(h, h.template.Nodes[i].Cond, step.Const)
}

// checksOwn is the cell of a lock that a node checks to be held by who executes it; -1 for other nodes.
func (g *Graph) checksOwn(h *thread, i int) int {
	if n := h.template.Nodes[i]; n.Kind != step.Check || n.Property != nil {
		return -1
	}
	return g.compares(h, h.template.Nodes[i].Cond, step.Me)
}

// orderly reports whether a lock is taken only by a process that has just found it free, and given back only by one
// that has just found that it holds it. Then no other process touches what a process holds.
func (g *Graph) orderly(lock int) bool {
	just := func(h *thread, i int, found func(p int) bool) bool {
		return !h.boundary(i) && len(h.pred[i]) > 0 &&
			!slices.ContainsFunc(h.pred[i], func(p int) bool { return p >= h.entry || !found(p) })
	}
	for _, h := range g.threads {
		for i := range h.template.Nodes {
			if !h.live(i) || !slices.ContainsFunc(h.defs[i],
				func(a access) bool { return a.first <= lock && lock <= a.last }) {
				continue
			}
			taken := g.sets(h, i, step.Me) == lock && just(h, i, func(p int) bool { return g.awaitsFree(h, p) == lock })
			given := g.sets(h, i, step.Const) == lock &&
				just(h, i, func(p int) bool { return g.checksOwn(h, p) == lock })
			if !taken && !given {
				return false
			}
		}
	}
	return true
}

// holding are the nodes of a thread to which all ways lead with an orderly lock in hand.
func (g *Graph) holding(h *thread, lock int) bits {
	held := make([]bool, len(h.succ)) // after the node
	for i := range held {
		held[i] = i != h.entry
	}
	before := func(i int) bool {
		return i != h.entry && !slices.ContainsFunc(h.pred[i], func(p int) bool { return !held[p] })
	}
	for changed := true; changed; {
		changed = false
		for i := range h.entry {
			is := g.sets(h, i, step.Me) == lock || before(i) && g.sets(h, i, step.Const) != lock
			if h.live(i) && held[i] != is {
				held[i], changed = is, true
			}
		}
	}
	holds := newBits(len(held))
	for i := range held {
		if before(i) {
			holds.set(i)
		}
	}
	return holds
}

// secure finds the checks of an orderly lock that cannot fail, because the process holds it on all ways to them.
func (g *Graph) secure(h *thread, lock int) {
	holds := g.holding(h, lock)
	for i := range h.entry {
		if h.live(i) && g.checksOwn(h, i) == lock && holds.has(i) {
			h.fails[i] = false
		}
	}
}

// releases finds the waits that certainly end: for orderly locks that are taken only where all ways lead to giving them
// back, past nothing that may fail, drop its process, run for ever, or wait for anything but such locks.
func (g *Graph) releases() {
	waits := map[int][]Node{} // by lock
	for t, h := range g.threads {
		h.stuck, h.locked = slices.Clone(h.blocks), map[int][]int{}
		for i := range h.template.Nodes {
			if lock := g.awaitsFree(h, i); lock >= 0 && h.live(i) {
				waits[lock] = append(waits[lock], Node{t, i})
			}
		}
	}
	for lock := range waits {
		if !g.orderly(lock) {
			delete(waits, lock)
			continue
		}
		for _, h := range g.threads {
			g.secure(h, lock)
		}
	}
	for changed := true; changed; {
		changed = false
		for lock, list := range waits {
			if g.threads[list[0].Thread].stuck[list[0].Index] && g.alwaysReleased(lock) {
				for _, n := range list {
					h := g.threads[n.Thread]
					h.stuck[n.Index] = false
					h.locked[n.Index], _ = g.whileHeld(h, n.Index, lock)
				}
				changed = true
			}
		}
	}
}

func (g *Graph) alwaysReleased(lock int) bool {
	for _, h := range g.threads {
		for i := range h.template.Nodes {
			if h.live(i) && g.sets(h, i, step.Me) == lock {
				if _, ok := g.whileHeld(h, i, lock); !ok {
					return false
				}
			}
		}
	}
	return true
}

// whileHeld are the nodes after one that takes a lock, up to those that give it back. ok says that all ways lead to one
// of these, past nothing that might stand in between.
func (g *Graph) whileHeld(h *thread, from, lock int) (inside []int, ok bool) {
	ok = true
	step.Reach(func(i int) []int {
		if i == h.end {
			ok = false
			return nil
		}
		inside = append(inside, i)
		if g.sets(h, i, step.Const) == lock {
			return nil
		}
		ok = ok && !h.fails[i] && !h.drops[i] && !h.stuck[i] && !h.forever(i)
		return h.succ[i]
	}, h.succ[from]...)
	return inside, ok
}

// forever reports whether a node may be executed again and again without end.
func (h *thread) forever(i int) bool { return h.cyclic[i] && !h.ends[i] }

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
