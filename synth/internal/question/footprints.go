package question

import (
	"slices"

	"cdpor/constraints"
	"cdpor/lang/step"
	"cdpor/synth/internal/expr"
)

// A Access is an access of a step whose array indices are expressions, nil where they depend on shared state.
type Access struct {
	V     *step.Var
	Idx   []*step.Expr
	Lens  []int
	write bool
}

func (e *Program) WritesAny(q *step.Step, vars map[*step.Var]bool) bool {
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

// accessesOf lists what a step may touch, but for the processes that it starts.
func (e *Program) accessesOf(s *step.Step) []Access {
	if list, ok := e.access[s]; ok {
		return list
	}
	var list []Access
	var visit func(x *step.Expr, write bool)
	visit = func(x *step.Expr, write bool) {
		if x == nil {
			return
		}
		if v := x.Root(); v != nil {
			p := Access{V: v, write: write}
			for y := x; y.Op != step.VarRef; y = y.Args[0] {
				whole := y.Args[0].Type
				if y.Op == step.Part { // fields are told apart like elements of an array
					p.Idx = append([]*step.Expr{expr.Number(int64(y.Field))}, p.Idx...)
					p.Lens = append([]int{len(whole.Fields)}, p.Lens...)
					continue
				}
				visit(y.Args[1], false)
				i := y.Args[1]
				if i.TouchesShared() {
					i = nil
				}
				if whole.Kind != step.Array {
					p.Idx, p.Lens = nil, nil
				} else {
					p.Idx = append([]*step.Expr{i}, p.Idx...)
					p.Lens = append([]int{whole.Len}, p.Lens...)
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
	if pool := s.Template.Pool; s.Ends() && pool != nil {
		self := &step.Expr{Op: step.Self, Type: step.IntType, Of: step.Own}
		list = append(list, Access{V: pool.Life, Lens: []int{pool.Life.Type.Len}, write: true,
			Idx: []*step.Expr{expr.New(step.Add, step.IntType, self, expr.Number(int64(pool.First)))}})
	}
	e.access[s] = list
	return list
}

// Conflicts calls a function with the accesses of two steps to a common variable of which one writes, until it reports
// false.
func (e *Program) Conflicts(a, b *step.Step, each func(p, q Access) bool) bool {
	left, right := e.accessesOf(a), e.accessesOf(b)
	for _, p := range left {
		for _, q := range right {
			if p.V == q.V && (p.write || q.write) && !each(p, q) {
				return false
			}
		}
	}
	return true
}

// Separable reports whether there may be states in which the footprints of two steps are disjoint.
func (e *Program) Separable(a, b *step.Step) bool {
	return e.Conflicts(a, b, func(p, q Access) bool {
		for i := range min(len(p.Idx), len(q.Idx)) {
			if p.Idx[i] != nil && q.Idx[i] != nil {
				return true
			}
		}
		for _, x := range append(append([]*step.Expr(nil), p.Idx...), q.Idx...) {
			if x != nil && x.Op != step.Const { // it may be out of range, and the access with it
				return true
			}
		}
		return false
	})
}

// A Target is what a step may write: a variable, or the part of it that some indices choose. The indices are made of
// what the step does not change, nil where they are not known.
type Target struct{ Access }

// Targets lists what a step may write; known is false if there may be more.
func (e *Program) Targets(s *step.Step) (list []Target, known bool) {
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
		t := Target{Access{V: p.V, Idx: slices.Clone(p.Idx), Lens: p.Lens}}
		for k, i := range t.Idx {
			if i != nil {
				i.EachVar(func(v *step.Expr) {
					if written[v.Var] {
						t.Idx[k] = nil
					}
				})
			}
		}
		list = append(list, t)
	}
	for _, v := range constraints.Writes(s) {
		if !slices.ContainsFunc(list, func(t Target) bool { return t.V == v }) {
			return nil, false
		}
	}
	return list, true
}
