package slice

import (
	"slices"

	"cdpor/lang/step"
)

// Control dependence by postdominators (Ferrante, Ottenstein, Warren). When deadlocks are to be preserved, a node that
// may block or fail, and a branch in a loop that may not end, has one more edge, to the exit: then everything after it
// depends on it. On waiting for a lock that certainly comes to an end only that depends which is executed while the
// lock is held.

// decide computes control.
func (h *thread) decide(preserve Preserve) {
	exit := h.end + 1
	succ := make([][]int, exit+1)
	for i, list := range h.succ {
		succ[i] = slices.Clone(list)
		stands := preserve == Deadlock && (h.fails[i] || h.stuck[i] || h.drops[i] || h.forever(i) && len(list) > 1)
		if i >= h.entry || stands || !h.leaves(i) {
			succ[i] = append(succ[i], exit)
		}
	}
	parent := postdominators(succ, exit)
	h.control = make([][]int, exit)
	for a, list := range succ {
		if len(list) < 2 || !h.live(a) {
			continue
		}
		for _, b := range list {
			for i := b; i != parent[a] && i != exit; i = parent[i] {
				if !slices.Contains(h.control[i], a) {
					h.control[i] = append(h.control[i], a)
				}
			}
		}
	}
	if preserve == Deadlock {
		for a, inside := range h.locked {
			for _, i := range inside {
				if !slices.Contains(h.control[i], a) {
					h.control[i] = append(h.control[i], a)
				}
			}
		}
	}
}

// leaves reports whether the end can be reached from a node.
func (h *thread) leaves(i int) bool { return h.reach[i].has(h.end) }

// postdominators computes the immediate postdominators by iteration over the reverse graph (Cooper, Harvey, Kennedy).
// All nodes reach the exit.
func postdominators(succ [][]int, exit int) (parent []int) {
	n := len(succ)
	pred := make([][]int, n)
	for a, list := range succ {
		for _, b := range list {
			pred[b] = append(pred[b], a)
		}
	}
	parent = make([]int, n)
	order := make([]int, n)
	for i := range n {
		parent[i] = -1
	}
	var post []int
	type frame struct{ node, edge int }
	seen := make([]bool, n)
	seen[exit] = true
	for todo := []frame{{exit, 0}}; len(todo) > 0; {
		f := &todo[len(todo)-1]
		if f.edge < len(pred[f.node]) {
			p := pred[f.node][f.edge]
			f.edge++
			if !seen[p] {
				seen[p] = true
				todo = append(todo, frame{p, 0})
			}
			continue
		}
		order[f.node] = len(post)
		post = append(post, f.node)
		todo = todo[:len(todo)-1]
	}
	parent[exit] = exit
	for changed := true; changed; {
		changed = false
		for k := len(post) - 2; k >= 0; k-- {
			i, common := post[k], -1
			for _, s := range succ[i] {
				if parent[s] < 0 {
					continue
				}
				if common < 0 {
					common = s
					continue
				}
				a, b := common, s
				for a != b {
					for order[a] < order[b] {
						a = parent[a]
					}
					for order[b] < order[a] {
						b = parent[b]
					}
				}
				common = a
			}
			if common != parent[i] {
				parent[i], changed = common, true
			}
		}
	}
	return
}

// What decides which steps a thread takes and which places they touch must have its value of the program whenever it is
// executed, not only where the criterion needs it: otherwise the slice would, once its criterion is decided, do what
// the program never does, and could have more Mazurkiewicz traces than it. Other values may be wrong there; no one sees
// them.

// steers finds the nodes of a thread that read what decides that.
func (h *thread) steers() []bool {
	list := make([]bool, h.end+1)
	for i, n := range h.template.Nodes {
		list[i] = h.fails[i] || h.drops[i] || h.blocks[i] || h.cyclic[i] || len(h.succ[i]) > 1 ||
			n.Kind == step.Choose || n.Kind == step.Spawn ||
			slices.ContainsFunc([]*step.Expr{n.Dst, n.Src, n.Cond, n.Counter, n.Maker}, h.wanders) ||
			slices.ContainsFunc(n.Args, h.wanders)
	}
	return list
}

// wanders reports whether values decide what evaluating an expression touches.
func (h *thread) wanders(e *step.Expr) bool {
	if e == nil {
		return false
	}
	switch e.Op {
	case step.And, step.Or, step.Cond, step.Call:
		return true
	case step.Index:
		if _, ok := h.constant(e.Args[1]); !ok || e.Args[0].Type.Kind != step.Array {
			return true
		}
	}
	return slices.ContainsFunc(e.Args, h.wanders)
}

// steer visits the kept nodes that decide what a thread does, so that they have their values of the program wherever
// that matters: in every order, or, if only values matter, in the orders in which something is needed that their thread
// executes after them. What fails or blocks for a wrong value when the criterion is decided takes nothing away then,
// and a branch that goes the wrong way still leads to what does not depend on it.
func (w *walker) steer(kept []Node) {
	if !w.values {
		for _, n := range kept {
			if w.g.threads[n.Thread].steering[n.Index] {
				w.root(n, Reason{n, Root})
			}
		}
		return
	}
	for _, n := range kept {
		h := w.g.threads[n.Thread]
		switch i := n.Index; {
		case h.drops[i] || h.forever(i): // the execution would not count, or would have no end
			w.root(n, Reason{n, Root})
		case h.fails[i] || h.blocks[i] || h.cyclic[i]:
			for _, m := range kept {
				if m.Thread != n.Thread || m == n || !h.reach[i].has(m.Index) {
					continue
				}
				for _, last := range w.seen[m] {
					w.visit(n, last, Reason{m, Control})
				}
			}
		}
	}
}
