package slice

import (
	"slices"

	"cdpor/lang/step"
)

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
