package liveness

import "cdpor/lang/step"

// Counts reports whether no execution of a program goes on for ever because every loop counts: each way round it
// increases a local of the process, or each decreases it, and nothing in the loop does otherwise with that local. Then
// no state can come back, so the state graph has no cycle. No state is looked at for that; false says nothing.
func Counts(p *step.Program) bool {
	for _, t := range p.Templates {
		all := make([]int, len(t.Nodes))
		for i := range all {
			all[i] = i
		}
		if !counts(t, all) {
			return false
		}
	}
	return true
}

// counts looks at the loops that some nodes of a template make up: strongly connected components with a node that
// begins a step. (A loop inside a step makes that step fail if it goes on too long.) If all nodes of a component that
// assign to some local add a constant to it, always of the same sign, then a way that is in the component for ever and
// comes back to an earlier value does without these nodes at last: what is left of the component must count as well.
// The local is live everywhere in the component, since each node leads to one that reads it before anything else
// writes it; so it is not forgotten between two steps.
func counts(t *step.Template, nodes []int) bool {
	for _, component := range loopsOf(t, nodes) {
		in, begins := map[int]bool{}, false
		for _, i := range component {
			in[i] = true
			begins = begins || t.Nodes[i].Visible
		}
		if !begins {
			continue
		}
		counted := false
		for _, v := range t.Locals {
			at := counters(t, component, v)
			if len(at) == 0 {
				continue
			}
			var rest []int
			for _, i := range component {
				if !at[i] {
					rest = append(rest, i)
				}
			}
			if counted = counts(t, rest); counted {
				break
			}
		}
		if !counted {
			return false
		}
	}
	return true
}

// counters are the nodes of a component that write a local, if all of them count in one direction; else none.
func counters(t *step.Template, component []int, v *step.Var) (at map[int]bool) {
	if v.Type.Kind != step.Int && v.Type.Kind != step.Range { // others wrap around
		return nil
	}
	at = map[int]bool{}
	sign := 0
	for _, i := range component {
		n := t.Nodes[i]
		if n.Dst == nil || n.Dst.Root() != v {
			continue
		}
		s := 0
		if n.Kind == step.Assign && n.Dst.Op == step.VarRef {
			s = direction(n.Src, v)
		}
		if s == 0 || sign != 0 && s != sign {
			return nil
		}
		sign, at[i] = s, true
	}
	return at
}

// direction is 1 for v + c and -1 for v - c with a constant c above 0, the other way round below; else 0.
func direction(e *step.Expr, v *step.Var) int {
	if e.Op != step.Add && e.Op != step.Sub || len(e.Args) != 2 {
		return 0
	}
	a, b := e.Args[0], e.Args[1]
	if a.Op == step.Const && e.Op == step.Add {
		a, b = b, a
	}
	if a.Op != step.VarRef || a.Var != v || b.Op != step.Const || len(b.Words) != 1 || b.Words[0] == 0 {
		return 0
	}
	if (b.Words[0] > 0) == (e.Op == step.Add) {
		return 1
	}
	return -1
}

// loopsOf are the strongly connected components with an edge of the control flow between some nodes.
func loopsOf(t *step.Template, nodes []int) (list [][]int) {
	at := map[int]uint32{}
	for k, i := range nodes {
		at[i] = uint32(k)
	}
	g := NewGraph(1, []int32{0})
	var all []uint32
	for k, i := range nodes {
		g.Add(Live)
		g.Begin()
		all = append(all, uint32(k))
		n := t.Nodes[i]
		next := []int{n.Next}
		if n.Kind == step.Branch {
			next = append(next, n.Else)
		}
		for _, j := range next {
			if to, ok := at[j]; ok {
				g.Edge(0, to)
			}
		}
	}
	g.tarjan().run(all, everywhere, func(component []uint32) {
		if len(component) == 1 && !g.loops(component[0]) {
			return
		}
		var c []int
		for _, k := range component {
			c = append(c, nodes[k])
		}
		list = append(list, c)
	})
	return list
}
