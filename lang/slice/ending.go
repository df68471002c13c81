package slice

import (
	"slices"

	"cdpor/lang/step"
)

// What certainly ends: loops that count up to a bound, and waiting for a lock that whoever holds it is bound to give back. The first
// cannot run for ever. The second still decides when what follows is executed, but nobody stands there in a state in which nothing
// is enabled: the holder could go on.

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

// counter is a local that a branch of a loop compares with a bound, such that the loop is left when it gets there, and that the
// loop changes only by making it larger. It is nil if there is none.
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
		if e.Op != step.Lt && e.Op != step.Le || e.Args[0].Op != step.VarRef || !e.Args[0].Type.Numeric() || !h.fixed(e.Args[1], loop) {
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
	if e.Op == step.VarRef && (e.Var.Shared || slices.ContainsFunc(loop, func(i int) bool { return h.writes(i, e.Var) })) {
		return false
	}
	return !slices.ContainsFunc(e.Args, func(a *step.Expr) bool { return !h.fixed(a, loop) })
}

func (h *thread) writes(i int, v *step.Var) bool {
	n := h.template.Nodes[i]
	return rootOf(n.Dst) == v || rootOf(n.Counter) == v
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

// awaitsFree is the cell of a lock that a node waits for until it is free, and the whole step takes it; -1 for other nodes.
func (g *Graph) awaitsFree(h *thread, i int) int {
	n := h.template.Nodes[i]
	if n.Kind != step.Await || n.Cond.Op != step.Eq || n.Cond.Args[0].Type.Kind != step.Mutex {
		return -1
	}
	return g.lockOf(h, n.Cond.Args[0], n.Cond.Args[1])
}

// lockOf is the cell of a lock that is compared with or set to free; -1 if it may be one of several.
func (g *Graph) lockOf(h *thread, place, value *step.Expr) int {
	if k, ok := h.constant(value); !ok || k != 0 || rootOf(place) == nil {
		return -1
	}
	if a, ok := g.place(h, place); ok && a.exact && a.first == a.last {
		return a.first
	}
	return -1
}

// releases finds the waits that certainly end: for locks that are taken only where all ways lead to giving them back, past nothing
// that may fail, drop its process, run for ever, or wait for anything but such locks.
func (g *Graph) releases() {
	waits := map[int][]Node{} // by lock
	for t, h := range g.threads {
		h.stuck = slices.Clone(h.blocks)
		for i := range h.template.Nodes {
			if lock := g.awaitsFree(h, i); lock >= 0 && h.live(i) {
				waits[lock] = append(waits[lock], Node{t, i})
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for lock, list := range waits {
			if g.threads[list[0].Thread].stuck[list[0].Index] && g.alwaysReleased(lock) {
				for _, n := range list {
					g.threads[n.Thread].stuck[n.Index] = false
				}
				changed = true
			}
		}
	}
}

func (g *Graph) alwaysReleased(lock int) bool {
	for _, h := range g.threads {
		for i := range h.template.Nodes {
			if !h.live(i) || !slices.ContainsFunc(h.defs[i], func(a access) bool { return a.first <= lock && lock <= a.last }) || g.frees(h, i) == lock {
				continue
			}
			if h.drops[i] || !g.leadsToRelease(h, i, lock) {
				return false
			}
		}
	}
	return true
}

// frees is the cell of a lock that a node sets to free; -1 for other nodes.
func (g *Graph) frees(h *thread, i int) int {
	n := h.template.Nodes[i]
	if n.Kind != step.Assign || n.Dst.Type.Kind != step.Mutex {
		return -1
	}
	return g.lockOf(h, n.Dst, n.Src)
}

// leadsToRelease reports whether all ways from a node lead to giving a lock back.
func (g *Graph) leadsToRelease(h *thread, from, lock int) bool {
	seen := map[int]bool{}
	todo := slices.Clone(h.succ[from])
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[i] {
			continue
		}
		seen[i] = true
		switch {
		case i == h.end:
			return false
		case g.holds(h, i, lock):
		case h.fails[i] || h.drops[i] || h.stuck[i] || h.forever(i):
			return false
		case g.frees(h, i) == lock:
			continue
		}
		todo = append(todo, h.succ[i]...)
	}
	return true
}

// holds reports whether a node checks that its own process holds the lock, as it does.
func (g *Graph) holds(h *thread, i, lock int) bool {
	n := h.template.Nodes[i]
	if n.Kind != step.Check || n.Property != nil || n.Cond.Op != step.Eq || n.Cond.Args[1].Op != step.Me || n.Cond.Args[1].Of != step.Own {
		return false
	}
	a, ok := g.place(h, n.Cond.Args[0])
	return ok && rootOf(n.Cond.Args[0]) != nil && a.exact && a.first == lock && a.last == lock
}

// forever reports whether a node may be executed again and again without end.
func (h *thread) forever(i int) bool { return h.cyclic[i] && !h.ends[i] }
