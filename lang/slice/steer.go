package slice

import (
	"slices"

	"cdpor/lang/step"
)

// What decides which steps a thread takes and which places they touch must have its value of the program whenever it is executed, not only
// where the criterion needs it: otherwise the slice would, once its criterion is decided, do what the program never does, and could have
// more Mazurkiewicz traces than it. Other values may be wrong there; nobody sees them.

// steers finds the nodes of a thread that read what decides that.
func (h *thread) steers() []bool {
	list := make([]bool, h.end+1)
	for i, n := range h.template.Nodes {
		list[i] = h.fails[i] || h.drops[i] || h.blocks[i] || h.cyclic[i] || len(h.succ[i]) > 1 || n.Kind == step.Choose || n.Kind == step.Spawn ||
			slices.ContainsFunc([]*step.Expr{n.Dst, n.Src, n.Cond, n.Counter, n.Maker}, h.wanders) || slices.ContainsFunc(n.Args, h.wanders)
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
