package synth

import (
	"slices"

	"cdpor/constraints"
	"cdpor/lang/step"
	"cdpor/synth/internal/expr"
)

// A place0 is an access of a step whose array indices are expressions, nil where they depend on shared state.
type place0 struct {
	v     *step.Var
	idx   []*step.Expr
	lens  []int
	write bool
}

func (e *questions) writesAny(q *step.Step, vars map[*step.Var]bool) bool {
	w := e.writes[q]
	if w == nil {
		w = map[*step.Var]bool{}
		for _, v := range constraints.Writes(q) {
			w[v] = true
		}
		for _, t := range q.Spawns() {
			w[t.Pool.Life] = true
		}
		if q.Ends() {
			w[q.Template.Pool.Life] = true
		}
		e.writes[q] = w
	}
	for v, in := range vars {
		if in && w[v] {
			return true
		}
	}
	return false
}

// accessesOf lists what a step may touch.
func (e *questions) accessesOf(s *step.Step) []place0 {
	if list, ok := e.access[s]; ok {
		return list
	}
	var list []place0
	var visit func(x *step.Expr, write bool)
	visit = func(x *step.Expr, write bool) {
		if x == nil {
			return
		}
		if v := x.Root(); v != nil {
			p := place0{v: v, write: write}
			for y := x; y.Op != step.VarRef; y = y.Args[0] {
				whole := y.Args[0].Type
				if y.Op == step.Part { // fields are told apart like elements of an array
					p.idx = append([]*step.Expr{expr.Number(int64(y.Field))}, p.idx...)
					p.lens = append([]int{len(whole.Fields)}, p.lens...)
					continue
				}
				visit(y.Args[1], false)
				i := y.Args[1]
				if i.TouchesShared() {
					i = nil
				}
				if whole.Kind != step.Array {
					p.idx, p.lens = nil, nil
				} else {
					p.idx = append([]*step.Expr{i}, p.idx...)
					p.lens = append([]int{whole.Len}, p.lens...)
				}
			}
			if v.Shared {
				list = append(list, p)
			}
			return
		}
		for _, a := range x.Args {
			visit(a, false)
		}
	}
	for _, i := range s.Nodes {
		n := s.Template.Nodes[i]
		visit(n.Cond, false)
		visit(n.Src, false)
		visit(n.Dst, true)
	}
	e.access[s] = list
	return list
}

// conflicts calls a function with the accesses of two steps to a common variable of which one writes, until it reports
// false.
func (e *questions) conflicts(a, b *step.Step, each func(p, q place0) bool) bool {
	left, right := e.accessesOf(a), e.accessesOf(b)
	for _, p := range left {
		for _, q := range right {
			if p.v == q.v && (p.write || q.write) && !each(p, q) {
				return false
			}
		}
	}
	return true
}

// separable tells whether there may be states in which the footprints of two steps are disjoint.
func (e *questions) separable(a, b *step.Step) bool {
	return e.conflicts(a, b, func(p, q place0) bool {
		for i := range min(len(p.idx), len(q.idx)) {
			if p.idx[i] != nil && q.idx[i] != nil {
				return true
			}
		}
		for _, x := range append(append([]*step.Expr(nil), p.idx...), q.idx...) {
			if x != nil && x.Op != step.Const { // it may be out of range, and the access with it
				return true
			}
		}
		return false
	})
}

// A target is what a step may write: a variable, or the part of it that some indices choose. The indices are made of
// what the step does not change, nil where they are not known.
type target struct{ place0 }

// targets lists what a step may write; known is false if there may be more.
func (e *questions) targets(s *step.Step) (list []target, known bool) {
	if len(s.Spawns()) > 0 || s.Ends() {
		return nil, false
	}
	written := map[*step.Var]bool{}
	for _, i := range s.Nodes {
		if n := s.Template.Nodes[i]; n.Dst != nil {
			written[n.Dst.Root()] = true
		}
	}
	for _, p := range e.accessesOf(s) {
		if !p.write {
			continue
		}
		t := target{place0{v: p.v, idx: slices.Clone(p.idx), lens: p.lens}}
		for k, i := range t.idx {
			if i != nil {
				i.EachVar(func(v *step.Expr) {
					if written[v.Var] {
						t.idx[k] = nil
					}
				})
			}
		}
		list = append(list, t)
	}
	for _, v := range constraints.Writes(s) {
		if !slices.ContainsFunc(list, func(t target) bool { return t.v == v }) {
			return nil, false
		}
	}
	return list, true
}
